"""A database made by each released version: migrated, nothing is lost and everything works."""

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from pytest_django.plugin import DjangoDbBlocker

from doc_priority import services
from doc_priority.models import Counter, Customer, DocumentDecision, Event
from doc_priority.types import FLOOR
from tests.databases import HOLD_COUNTERS, another_session, open_transaction
from tests.project.upgrade import FAR, THEN, VERSIONS, empty_database, load, path_of
from tests.settings import BASE_DIR, TEST_NAME

SOON = THEN + timedelta(seconds=60)

Rows = dict[str, list[Mapping[str, Any]]]
Upgraded = tuple[Rows, Rows]
"""All rows of each table of the app, before the migration and right after it."""


@pytest.fixture(scope="module")
def own_name(worker_id: str) -> str:
    return f"{TEST_NAME}_upgrade{worker_id}"


@pytest.fixture(scope="module", params=VERSIONS)
def upgraded(
    request: pytest.FixtureRequest,
    own_name: str,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Upgraded]:
    """The default connection leads to the kept database, migrated as a portal would."""
    folder = tmp_path_factory.mktemp("upgrade")
    with django_db_blocker.unblock(), empty_database(own_name, folder=folder):
        load(path_of(request.param, connection.vendor).read_text("utf-8"))
        before = rows_of_tables()
        call_command("migrate", verbosity=0)
        yield before, rows_of_tables()


def tables_of_the_app() -> list[str]:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
    return [name for name in names if name.startswith("doc_priority_")]


def rows_of_tables() -> Rows:
    found = {}
    with connection.cursor() as cursor:
        for table in tables_of_the_app():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
            columns = [column[0] for column in cursor.description]
            found[table] = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return found


def schema() -> dict[tuple[str, str], Any]:
    """Columns, constraints and indexes, each under its table and name."""
    found: dict[tuple[str, str], Any] = {}
    with connection.cursor() as cursor:
        for table in tables_of_the_app():
            for column in connection.introspection.get_table_description(cursor, table):
                # On MariaDB the display size is that of the longest value just seen.
                size = None if connection.vendor == "mysql" else column.display_size
                found[table, column.name] = column._replace(display_size=size)
            for name, one in connection.introspection.get_constraints(cursor, table).items():
                found[table, name] = one
    return found


def test_a_database_of_each_released_version_is_kept() -> None:
    changelog = Path(BASE_DIR, "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d[^]]*)\]", changelog, re.MULTILINE)
    assert set(released) <= set(VERSIONS)


def test_nothing_is_lost(upgraded: Upgraded) -> None:
    """A column that is there before and after holds the same; where one goes, say here why."""
    before, after = upgraded
    assert len(before) >= 5
    assert before.keys() <= after.keys()
    for table, rows in before.items():
        assert rows, f"nothing in {table}"
        assert [{name: row[name] for name in rows[0]} for row in after[table]] == rows


def test_the_tables_are_those_of_a_new_installation(
    upgraded: Upgraded, own_name: str, tmp_path: Path
) -> None:
    """So a migration that was released and then edited is found out."""
    found = schema()
    with empty_database(f"{own_name}_new", folder=tmp_path):
        call_command("migrate", "doc_priority", verbosity=0)
        assert schema() == found
    call_command("makemigrations", "doc_priority", "--check", "--dry-run", verbosity=0)


def test_every_old_row_obeys_the_constraints(upgraded: Upgraded) -> None:
    for model in apps.get_app_config("doc_priority").get_models():
        wanted = [*model._meta.constraints, *model._meta.indexes]
        assert {(model._meta.db_table, one.name) for one in wanted} <= schema().keys()
        for row in model._default_manager.all():
            row.validate_constraints()
    with pytest.raises(IntegrityError), transaction.atomic():
        Counter.objects.filter(pk="floor").update(pending_documents=FLOOR - 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentDecision.objects.filter(customer="cedar").update(document="the same")


def test_the_services_go_on_with_old_counters(upgraded: Upgraded) -> None:
    assert services.peek("floor", at=SOON).pending_documents == FLOOR
    assert services.peek("new").pending_documents == 0
    assert services.peek("dahlia", at=SOON).priority == 2
    assert not services.peek("lapsed", at=SOON + timedelta(hours=1)).pinned
    birch = services.peek("birch", at=SOON)
    assert (birch.pending_documents, birch.priority, birch.policy) == (-19, 9, "gold")

    counted = services.check("acme", at=SOON)
    assert (counted.pending_documents, counted.priority, counted.reset) == (-25, 9, False)
    over = services.check("a.b_c~d:e@f-9", at=SOON + timedelta(days=1))
    assert (over.pending_documents, over.priority, over.reset) == (0, 1, True)

    new = services.check("after-the-upgrade", document="INV-1")
    assert (new.priority, new.repeated) == (1, False)
    assert Customer.objects.filter(key="after-the-upgrade", searched__contains="upgrade").exists()


def test_an_old_document_is_not_charged_again(upgraded: Upgraded) -> None:
    kept = DocumentDecision.objects.get(customer="cedar", document="księga/№ 7")
    again = services.check("cedar", document="księga/№ 7")
    assert again.repeated
    assert (again.priority, again.decided_at) == (kept.priority, kept.decided_at)
    many = services.check_many([("birch", "Lieferschein 0"), ("birch", "Lieferschein 39")])
    assert [one.pending_documents for one in many] == [0, -39]
    assert [one.repeated for one in many] == [True, True]


def test_old_customers_can_be_corrected(upgraded: Upgraded) -> None:
    events = Event.objects.count()
    reset = services.reset("Dahlia", actor="ops", reason="After the upgrade", at=SOON)
    assert (reset.pending_documents, reset.priority) == (0, 1)
    assert services.pin("lapsed", priority=4, until=FAR, reason="After the upgrade").priority == 4
    assert services.unpin("lapsed").priority == 1
    services.set_policy("new", policy="gold")
    assert Event.objects.count() == events + 4


def test_the_doctor_is_content(upgraded: Upgraded, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("doc_priority", "doctor")
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert [line for line in lines if not line.startswith("OK")] == []


def test_customers_whose_key_no_address_can_hold_are_named_before_anything_changes(
    own_name: str, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    """Version 0.1.0 took `.` and `..` for keys and names, and no address can hold them."""
    key = connection.ops.quote_name("key")
    dump = path_of("0.1.0", connection.vendor).read_text("utf-8")
    with django_db_blocker.unblock(), empty_database(f"{own_name}_dots", folder=tmp_path):
        load(dump)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO doc_priority_customer ({key}, name, created_at) "
                "VALUES ('.', '', 0), ('..', '', 0)"
            )
            cursor.execute("UPDATE doc_priority_policy SET name = '..' WHERE name = 'patient'")
        before, schema_before = rows_of_tables(), schema()

        with pytest.raises(CommandError) as raised:
            call_command("migrate", "doc_priority", verbosity=0)
        told = str(raised.value)
        for named in ("customer '.'", "doc_priority forget ..", "policy '..'"):
            assert named in told
        assert (rows_of_tables(), schema()) == (before, schema_before)

        call_command("doc_priority", "forget", ".", "--yes", reason="No address")
        services.forget("..", reason="No address")
        services.set_policy("cedar", policy=None)
        services.delete_policy("..")
        call_command("migrate", "doc_priority", verbosity=0)
        assert not Customer.objects.filter(key__in=[".", ".."]).exists()


@pytest.mark.postgresql
def test_processes_of_both_versions_count_together_also_while_one_migrates(
    upgraded: Upgraded,
) -> None:
    def check_of_0_1_0(key: str, document: str = "") -> list[str]:
        """What a process of 0.1.0 is told on PostgreSQL, on a connection of its own.

        A version that drops this function has no process of 0.1.0 beside it.
        """
        sent = (
            "SELECT doc_priority_check(%s, %s, %s, True, '20000', 1500, 'idle', "
            "'{-2,-4,-6,-8,-10,-12,-14,-20}')"
        )
        with another_session() as other, other.cursor() as cursor:
            cursor.execute(sent, (key, document, None))
            (told,) = cursor.fetchone()
        return told.split("|")

    assert check_of_0_1_0("both")[:5] == ["0", "1", "0", "0", "0"]
    assert services.check("both").pending_documents == -1
    assert check_of_0_1_0("both", "INV-1")[:5] == ["-2", "1", "0", "0", "0"]
    assert services.check("both", document="INV-1").repeated
    assert check_of_0_1_0("both", "INV-1")[:5] == ["-2", "1", "0", "0", "1"]
    assert services.check("both").pending_documents == -3
    # It looks for its function by the name alone, and finds none where there are two.
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regproc('doc_priority_check') IS NOT NULL")
        assert cursor.fetchone() == (True,)

    def somebody_waits_for_a_lock() -> bool:
        with another_session() as other, other.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            return bool(cursor.fetchone() == (1,))

    dump = path_of("0.1.0", "postgresql").read_text("utf-8")
    function = re.findall(r"^CREATE FUNCTION .*?^\$\$;", dump, re.MULTILINE | re.DOTALL)[0]
    older = function.replace("CREATE", "CREATE OR REPLACE", 1).replace("$$;", "-- older\n$$;")
    services.check("open-call")
    with connection.cursor() as cursor, ThreadPoolExecutor() as threads:
        cursor.execute(older)
        with open_transaction(HOLD_COUNTERS):
            call = threads.submit(check_of_0_1_0, "open-call")
            assert any(somebody_waits_for_a_lock() for _ in range(10_000))
            call_command("migrate", verbosity=0)
            cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = 'doc_priority_check'")
            assert [row for row in cursor.fetchall() if "-- older" in row[0]] == []
            assert not call.done()
        assert call.result()[:5] == ["-1", "1", "0", "0", "0"]
    assert check_of_0_1_0("open-call")[0] == "-2"
    assert services.check("open-call").pending_documents == -3
