"""Further sessions on the test database, locked rows, lost connections, and a replica."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import override_settings

HOLD_COUNTERS = "UPDATE doc_priority_counter SET pending_documents = pending_documents"
"""While a transaction that has run this stays open, no other session can count."""

BEGIN = {"postgresql": "BEGIN", "mysql": "START TRANSACTION", "sqlite": "BEGIN IMMEDIATE"}


@contextmanager
def another_session() -> Iterator[BaseDatabaseWrapper]:
    other = connection.copy()
    try:
        yield other
    finally:
        other.close()


@contextmanager
def open_transaction(*statements: str) -> Iterator[BaseDatabaseWrapper]:
    """An open transaction of another session that has run these statements."""
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(BEGIN[other.vendor])
        for statement in statements:
            cursor.execute(statement)
        yield other
        cursor.execute("ROLLBACK")


def count_elsewhere() -> None:
    """Another session has counted every customer to seven, and committed."""
    with another_session() as other, other.cursor() as cursor:
        cursor.execute("UPDATE doc_priority_counter SET pending_documents = -7")


@contextmanager
def held_table(table: str) -> Iterator[None]:
    """In the block no other session can use the table; on SQLite none can write to any table."""
    hold = {"postgresql": f"LOCK TABLE {table}", "sqlite": f"DELETE FROM {table} WHERE false"}
    if connection.vendor in hold:
        with open_transaction(hold[connection.vendor]):
            yield
        return
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(f"LOCK TABLES {table} WRITE")
        yield
        cursor.execute("UNLOCK TABLES")


def idle_until_ended(session: BaseDatabaseWrapper) -> None:
    """Wait in the session's transaction until the server ends the session."""
    end_soon, own_number, find = {
        "postgresql": (
            "SET idle_in_transaction_session_timeout = '50ms'",
            "SELECT pg_backend_pid()",
            "SELECT 1 FROM pg_stat_activity WHERE pid = %s",
        ),
        "mysql": (
            "SET SESSION idle_transaction_timeout = 1",
            "SELECT CONNECTION_ID()",
            "SELECT 1 FROM information_schema.processlist WHERE id = %s",
        ),
    }[session.vendor]
    with session.cursor() as cursor:
        cursor.execute(end_soon)
        cursor.execute("SELECT 1 FROM doc_priority_counter")  # begins it, at the latest
        cursor.execute(own_number)
        number = cursor.fetchone()
    with another_session() as other, other.cursor() as cursor:
        for _ in range(200):
            cursor.execute(find, number)
            if cursor.fetchone() is None:
                return
            Event().wait(0.05)
    raise TimeoutError("the server did not end the session")


@contextmanager
def connection_elsewhere(**settings: Any) -> Iterator[None]:
    """With these settings instead of the usual ones: `HOST`, `PORT` and what else differs."""
    wrapper = connections[DEFAULT_DB_ALIAS]
    usual = wrapper.settings_dict
    connection.close()
    wrapper.settings_dict = {**usual, **settings}
    try:
        yield
    finally:
        connection.close()
        wrapper.settings_dict = usual


def url_of_the_test_database(**options: str) -> str:
    """Its DATABASE_URL, with further options of the connection."""
    return url_of_database(str(connection.settings_dict["NAME"]), **options)


def url_of_database(name: str, **options: str) -> str:
    """The DATABASE_URL of another one, beside the one of this test."""
    if connection.vendor == "sqlite":
        options = {"init_command": connection.settings_dict["OPTIONS"]["init_command"], **options}
        return f"sqlite:///{quote(name)}?{urlencode(options)}"
    server = urlsplit(os.environ["DATABASE_URL"])
    return server._replace(path=f"/{quote(name)}", query=urlencode(options)).geturl()


def environment_of_the_test_database(**options: str) -> dict[str, str]:
    """The environment of a process that shall use the same database."""
    return {**os.environ, "DATABASE_URL": url_of_the_test_database(**options)}


def everything_stored(*labels: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of these apps; of ours alone where none is named."""
    models = [
        model
        for label in labels or ("doc_priority",)
        for model in apps.get_app_config(label).get_models(include_auto_created=bool(labels))
    ]
    return {
        model.__name__: list(model._default_manager.order_by("pk").values_list())
        for model in models
    }


def conflict() -> None:
    """Let the database give up the open transaction for another; there must be a customer acme."""
    from doc_priority.models import DocumentDecision  # Django is not set up when this is imported

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
    decided: Any = {"customer_id": "acme", "document": "INV-1", "pending_documents": 0}
    now = datetime.now(UTC)
    for _ in range(2):
        DocumentDecision.objects.create(**decided, priority=1, decided_at=now)


REPLICA = "replica"


class ReadsFromReplica:
    """A portal's router; whoever signs in is looked for on the primary."""

    def __init__(self) -> None:
        self.on_the_primary = {"auth", "knox", "sessions"}

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return DEFAULT_DB_ALIAS if model._meta.app_label in self.on_the_primary else REPLICA

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        return True


@contextmanager
def replica(**place: Any) -> Iterator[None]:
    """Another connection, with these settings in place of the primary's.

    What a test writes in a transaction of its own is not committed, so that a replica in the same
    place never gets to know of it.
    """
    connections.settings[REPLICA] = {**connections.settings[DEFAULT_DB_ALIAS], **place}
    try:
        with override_settings(DATABASE_ROUTERS=[ReadsFromReplica()]):
            yield
    finally:
        connections[REPLICA].close()
        del connections[REPLICA]
        del connections.settings[REPLICA]
