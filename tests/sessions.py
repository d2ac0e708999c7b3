"""A second connection to the test database, for what others do meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

HOLD_COUNTERS = "UPDATE doc_priority_counter SET pending_documents = pending_documents"
"""While a transaction that has done it stays open, nobody else counts."""

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
    """A transaction of somebody else that has done these statements and stays open."""
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(BEGIN[other.vendor])
        for statement in statements:
            cursor.execute(statement)
        yield other
        cursor.execute("ROLLBACK")


def count_elsewhere() -> None:
    """Somebody else has counted every customer to seven, and committed."""
    with another_session() as other, other.cursor() as cursor:
        cursor.execute("UPDATE doc_priority_counter SET pending_documents = -7")
