"""Whether this process is ready, and what is wrong if not."""

import time
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import OperationalError

from doc_priority import services
from doc_priority.readiness import Item, readiness
from doc_priority.testing import set_priority
from tests.databases import another_session, everything_stored, held_table

pytestmark = pytest.mark.django_db

committing = pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])

NAMES = ["settings", "database", "migrations", "function", "lock", "counters"]


def wrong() -> Item:
    """The last item, which is the only one that is wrong."""
    found = readiness()
    assert not found.ready
    *good, last = found.items
    assert all(item.ok for item in good)
    assert not last.ok
    assert last.blocks
    return last


def reported() -> Item:
    """The only item that is wrong; the process is ready nevertheless."""
    found = readiness()
    assert found.ready
    assert [item.name for item in found.items] == NAMES
    (item,) = (item for item in found.items if not item.ok)
    assert not item.blocks
    return item


def test_all_is_well_and_nothing_is_changed(django_assert_max_num_queries: Any) -> None:
    set_priority("acme", 7)
    services.check("acme")
    before = everything_stored()
    with django_assert_max_num_queries(30):
        found = readiness()
    assert found.ready
    assert [(item.name, item.ok, item.detail) for item in found.items] == [
        (name, True, "") for name in NAMES
    ]
    with pytest.raises(FrozenInstanceError):
        found.items = ()  # type: ignore[misc]
    assert everything_stored() == before


@committing
def test_within_the_hosts_transaction() -> None:
    """The host's own statements before and after are committed, and its timeout stays."""
    on_postgresql = connection.vendor == "postgresql"
    with transaction.atomic(), connection.cursor() as cursor:
        services.check("acme")
        if on_postgresql:
            cursor.execute("SET LOCAL statement_timeout = '7s'")
        assert readiness().ready
        if on_postgresql:
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("7s",)
        services.check("acme")
    assert services.peek("acme").pending_documents == -1


@committing
def test_a_database_that_cannot_be_asked() -> None:
    for error, told in [
        (OperationalError("server closed\n\tthe connection"), "server closed the connection"),
        (OperationalError(), "OperationalError"),
    ]:

        def refuse(*_: Any, error: OperationalError = error) -> Any:
            raise error

        with connection.execute_wrapper(refuse):
            assert wrong() == Item("database", ok=False, detail=told, blocks=True)


@committing
@pytest.mark.postgresql
@pytest.mark.mariadb
def test_the_next_look_after_the_session_was_ended_is_ready() -> None:
    """In a process without requests Django closes no broken connection."""
    own, end = {
        "postgresql": ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend({})"),
        "mysql": ("SELECT CONNECTION_ID()", "KILL {}"),
    }[connection.vendor]
    assert readiness().ready
    with connection.cursor() as cursor:
        cursor.execute(own)
        (session,) = cursor.fetchone()
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(end.format(session))
    item = wrong()
    assert (item.name, item.blocks) == ("database", True)
    assert readiness().ready


@committing
def test_a_failed_look_leaves_a_transaction_begun_by_hand() -> None:
    """And a failed transaction of the host's is reported."""

    def misread(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "SELECT" in sql:
            return run("SELECT 1 FROM nowhere", None, False, context)
        return run(sql, params, many, context)

    transaction.set_autocommit(False)
    try:
        services.check("acme")
        with connection.execute_wrapper(misread):
            assert not readiness().ready
        transaction.commit()
    finally:
        transaction.set_autocommit(True)
    assert services.peek("acme").pending_documents == 0

    with transaction.atomic():
        transaction.set_rollback(True)
        assert wrong().name == "database"


def test_a_migration_that_is_not_applied_and_settings_that_cannot_be_used(settings: Any) -> None:
    MigrationRecorder(connection).record_unapplied("doc_priority", "0001_initial")
    item = wrong()
    assert (item.name, item.detail) == ("migrations", "Not applied: 0001_initial.")

    settings.DOC_PRIORITY = {"RECOVERY": "never"}
    item = wrong()
    assert item.name == "settings"
    assert "'never'" in item.detail


@pytest.mark.postgresql
def test_the_function_is_of_another_version_or_missing() -> None:
    """Old processes go on checking while new ones start."""
    remedy = "Run manage.py migrate doc_priority --database default."
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION doc_priority_check(a_customer text, a_document text, "
            "a_at bigint, a_create boolean, a_lock_timeout text, a_reset_interval bigint, "
            "a_recovery text, a_thresholds integer[]) RETURNS text LANGUAGE sql AS 'SELECT NULL'"
        )
        item = reported()
        assert item.name == "function"
        assert item.detail == f"doc_priority_check has the text of another version. {remedy}"

        cursor.execute("DROP FUNCTION doc_priority_check")
    item = wrong()
    assert (item.name, item.detail) == ("function", f"doc_priority_check is missing. {remedy}")


@committing
def test_counters_that_cannot_be_locked(settings: Any) -> None:
    """SQLite has one write lock, and a transaction waits for it when it begins."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 200}
    for table in ("doc_priority_counter", "doc_priority_customer"):
        with held_table(table):
            started = time.monotonic()
            item = wrong()
            assert time.monotonic() - started < 4
        assert item.name == ("database" if connection.vendor == "sqlite" else "lock")
        assert item.detail

    # A PostgreSQL server that only reads.
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            item = wrong()
        assert item.name == "lock"
        assert "read-only" in item.detail


def test_counters_in_the_future_are_reported() -> None:
    """They do not recover until then. Other customers are not affected; a minute is tolerated."""
    now = datetime.now(UTC)
    set_priority("acme", 9, at=now + timedelta(seconds=30))
    assert all(item.ok for item in readiness().items)
    for number in range(7):
        set_priority(f"ahead-{number}", 9, at=now + timedelta(hours=number, seconds=90))
    item = reported()
    assert item.name == "counters"
    assert item.detail == ("Updated in the future: ahead-6, ahead-5, ahead-4, ahead-3, ahead-2.")
