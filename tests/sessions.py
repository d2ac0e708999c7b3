"""A second connection to the test database, for what others do meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

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
