"""A database made by each released version: migrated, nothing is lost and everything works."""

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.backends.base.introspection import FieldInfo
from pytest_django.plugin import DjangoDbBlocker

from doc_priority import services
from doc_priority.models import Counter, Customer, DocumentDecision, Event
from doc_priority.types import FLOOR
from tests.project.upgrade.databases import empty_database, load
from tests.project.upgrade.dumps import VERSIONS, path_of
from tests.project.upgrade.invented import FAR, THEN
from tests.sessions import HOLD_COUNTERS, another_session, open_transaction
from tests.settings import BASE_DIR, TEST_NAME

SOON = THEN + timedelta(seconds=60)

SENT_BY_0_1_0 = (
    "SELECT doc_priority_check(%s, %s, %s, True, '20000', 1500, 'idle', "
    "'{-2,-4,-6,-8,-10,-12,-14,-20}')"
)
"""A check on PostgreSQL; a version that drops this function has no process of 0.1.0 beside it."""

Row = Mapping[str, Any]
Schema = dict[tuple[str, str], Any]


class Upgraded(NamedTuple):
    """All rows of each table of the app, before the migration and right after it."""

    before: dict[str, list[Row]]
    after: dict[str, list[Row]]


@pytest.fixture(scope="module", params=VERSIONS)
def upgraded(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Upgraded]:
    """The default connection leads to the kept database, migrated as a portal would."""
    dump = path_of(request.param, connection.vendor).read_text("utf-8")
    folder = tmp_path_factory.mktemp("upgrade")
    with django_db_blocker.unblock(), empty_database(own_name(request), folder=folder):
        load(dump)
        before = rows_of_tables()
        call_command("migrate", verbosity=0)
        yield Upgraded(before, rows_of_tables())


def own_name(request: pytest.FixtureRequest) -> str:
    worker = getattr(request.config, "workerinput", {"workerid": ""})["workerid"]
    return f"{TEST_NAME}_upgrade{worker}"


@pytest.fixture(scope="module")
def new_installation(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: DjangoDbBlocker,
) -> Schema:
    """The tables as today's migrations make them."""
    folder = tmp_path_factory.mktemp("new")
    with django_db_blocker.unblock(), empty_database(f"{own_name(request)}_new", folder=folder):
        call_command("migrate", "doc_priority", verbosity=0)
        return schema()


def tables_of_the_app() -> list[str]:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
    return [name for name in names if name.startswith("doc_priority_")]


def schema() -> Schema:
    """Columns, constraints and indexes, each under its table and name."""
    found: Schema = {}
    with connection.cursor() as cursor:
        for table in tables_of_the_app():
            for column in connection.introspection.get_table_description(cursor, table):
                found[table, column.name] = told(column)
            for name, one in connection.introspection.get_constraints(cursor, table).items():
                found[table, name] = one
    return found


def told(column: FieldInfo) -> FieldInfo:
    """On MariaDB the display size is that of the longest value just seen."""
    return column._replace(display_size=None) if connection.vendor == "mysql" else column


def rows_of_tables() -> dict[str, list[Row]]:
    return {table: rows_of(table) for table in tables_of_the_app()}


def rows_of(table: str) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def test_a_released_version_is_kept() -> None:
    changelog = Path(BASE_DIR, "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d[^]]*)\]", changelog, re.MULTILINE)
    assert set(released) <= set(VERSIONS)


def test_there_is_something_in_every_table(upgraded: Upgraded) -> None:
    assert len(upgraded.before) >= 5
    assert all(upgraded.before.values())


def test_nothing_is_lost(upgraded: Upgraded) -> None:
    """A column that is there before and after holds the same; where one goes, say here why."""
    assert upgraded.before.keys() <= upgraded.after.keys()
    for table, rows in upgraded.before.items():
        after = upgraded.after[table]
        assert [{name: row[name] for name in rows[0]} for row in after] == rows


def test_the_tables_are_those_of_a_new_installation(
    upgraded: Upgraded, new_installation: Schema
) -> None:
    """So a migration that was released and then edited is found out."""
    assert schema() == new_installation


def test_every_constraint_is_there(upgraded: Upgraded) -> None:
    for model in apps.get_app_config("doc_priority").get_models():
        wanted = [*model._meta.constraints, *model._meta.indexes]
        assert {(model._meta.db_table, one.name) for one in wanted} <= schema().keys()


def test_every_old_row_obeys_them(upgraded: Upgraded) -> None:
    for model in apps.get_app_config("doc_priority").get_models():
        for row in model._default_manager.all():
            row.validate_constraints()


def test_they_refuse_what_breaks_them(upgraded: Upgraded) -> None:
    floor = Counter.objects.filter(pk="floor")
    with pytest.raises(IntegrityError), transaction.atomic():
        floor.update(pending_documents=FLOOR - 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentDecision.objects.filter(customer="cedar").update(document="the same")


def test_the_services_know_the_old_counters(upgraded: Upgraded) -> None:
    assert services.peek("floor", at=SOON).pending_documents == FLOOR
    assert services.peek("new").pending_documents == 0
    assert services.peek("dahlia", at=SOON).priority == 2
    assert not services.peek("lapsed", at=SOON + timedelta(hours=1)).pinned
    birch = services.peek("birch", at=SOON)
    assert (birch.pending_documents, birch.priority, birch.policy) == (-19, 9, "gold")


def test_a_check_goes_on_counting(upgraded: Upgraded) -> None:
    counted = services.check("acme", at=SOON)
    assert (counted.pending_documents, counted.priority, counted.reset) == (-25, 9, False)
    over = services.check("a.b_c~d:e@f-9", at=SOON + timedelta(days=1))
    assert (over.pending_documents, over.priority, over.reset) == (0, 1, True)


def test_an_old_document_is_not_charged_again(upgraded: Upgraded) -> None:
    kept = DocumentDecision.objects.get(customer="cedar", document="księga/№ 7")
    again = services.check("cedar", document="księga/№ 7")
    assert again.repeated
    assert (again.priority, again.decided_at) == (kept.priority, kept.decided_at)
    many = services.check_many([("birch", "Lieferschein 0"), ("birch", "Lieferschein 39")])
    assert [one.pending_documents for one in many] == [0, -39]
    assert [one.repeated for one in many] == [True, True]


def test_corrections_of_old_customers(upgraded: Upgraded) -> None:
    events = Event.objects.count()
    reset = services.reset("Dahlia", actor="ops", reason="After the upgrade", at=SOON)
    assert (reset.pending_documents, reset.priority) == (0, 1)
    assert services.pin("lapsed", priority=4, until=FAR, reason="After the upgrade").priority == 4
    assert services.unpin("lapsed").priority == 1
    services.set_policy("new", policy="gold")
    assert Event.objects.count() == events + 4


def test_new_rows_find_room(upgraded: Upgraded) -> None:
    decision = services.check("after-the-upgrade", document="INV-1")
    assert (decision.priority, decision.repeated) == (1, False)
    assert Customer.objects.filter(key="after-the-upgrade", searched__contains="upgrade").exists()


def test_who_has_no_address_is_named_before_anything_changes(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    """Version 0.1.0 took `.` and `..` for keys and names, and no address can hold them."""
    quote = connection.ops.quote_name
    dump = path_of("0.1.0", connection.vendor).read_text("utf-8")
    with django_db_blocker.unblock(), empty_database(f"{own_name(request)}_dots", folder=tmp_path):
        load(dump)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO doc_priority_customer ({quote('key')}, name, created_at) "
                "VALUES ('.', '', 0), ('..', '', 0)"
            )
            cursor.execute("UPDATE doc_priority_policy SET name = '..' WHERE name = 'patient'")
        before, schema_before = rows_of_tables(), schema()

        with pytest.raises(CommandError) as raised:
            call_command("migrate", "doc_priority", verbosity=0)
        told = str(raised.value)
        assert "customer '.'" in told
        assert "doc_priority forget .." in told
        assert "policy '..'" in told
        assert (rows_of_tables(), schema()) == (before, schema_before)

        call_command("doc_priority", "forget", ".", "--yes", reason="No address")
        services.forget("..", reason="No address")
        services.set_policy("cedar", policy=None)
        services.delete_policy("..")
        call_command("migrate", "doc_priority", verbosity=0)
        assert not Customer.objects.filter(key__in=[".", ".."]).exists()


def test_no_migration_is_missing(upgraded: Upgraded) -> None:
    call_command("makemigrations", "doc_priority", "--check", "--dry-run", verbosity=0)


def test_the_doctor_is_content(upgraded: Upgraded, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("doc_priority", "doctor")
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert [line for line in lines if not line.startswith("OK")] == []


def check_of_0_1_0(key: str, document: str = "") -> list[str]:
    """What a process of 0.1.0 is told, on a connection of its own."""
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(SENT_BY_0_1_0, (key, document, None))
        (told,) = cursor.fetchone()
    return told.split("|")


@pytest.mark.postgresql
def test_processes_of_both_versions_count_together(upgraded: Upgraded) -> None:
    assert check_of_0_1_0("both")[:5] == ["0", "1", "0", "0", "0"]
    assert services.check("both").pending_documents == -1
    assert check_of_0_1_0("both", "INV-1")[:5] == ["-2", "1", "0", "0", "0"]
    assert services.check("both", document="INV-1").repeated
    assert check_of_0_1_0("both", "INV-1")[:5] == ["-2", "1", "0", "0", "1"]
    assert services.check("both").pending_documents == -3


@pytest.mark.postgresql
def test_a_process_of_0_1_0_is_still_ready(upgraded: Upgraded) -> None:
    """It looks for its function by the name alone, and finds none where there are two."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regproc('doc_priority_check') IS NOT NULL")
        assert cursor.fetchone() == (True,)


@pytest.mark.postgresql
def test_a_call_is_open_while_migrate_replaces_the_function(upgraded: Upgraded) -> None:
    dump = path_of("0.1.0", "postgresql").read_text("utf-8")
    function = re.findall(r"^CREATE FUNCTION .*?^\$\$;", dump, re.MULTILINE | re.DOTALL)[0]
    older = function.replace("CREATE", "CREATE OR REPLACE", 1).replace("$$;", "-- older\n$$;")
    services.check("open-call")
    with connection.cursor() as cursor, ThreadPoolExecutor() as threads:
        cursor.execute(older)
        with open_transaction(HOLD_COUNTERS):
            call = threads.submit(check_of_0_1_0, "open-call")
            until_somebody_waits()
            call_command("migrate", verbosity=0)
            cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = 'doc_priority_check'")
            assert [row for row in cursor.fetchall() if "-- older" in row[0]] == []
            assert not call.done()
        assert call.result()[:5] == ["-1", "1", "0", "0", "0"]
    assert check_of_0_1_0("open-call")[0] == "-2"
    assert services.check("open-call").pending_documents == -3


def until_somebody_waits() -> None:
    """For a lock, in this database."""
    with another_session() as other, other.cursor() as cursor:
        for _ in range(100_000):
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone() == (1,):
                return
    raise TimeoutError("nobody waits for a lock")
