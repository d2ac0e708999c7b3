"""Somebody who keeps a table to himself."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from tests.sessions import another_session, open_transaction

HOLD = {"postgresql": "LOCK TABLE {}", "sqlite": "DELETE FROM {} WHERE false"}


@contextmanager
def held_table(table: str) -> Iterator[None]:
    """Nobody else reads or writes it meanwhile; on SQLite nobody writes anything."""
    if connection.vendor != "mysql":
        with open_transaction(HOLD[connection.vendor].format(table)):
            yield
        return
    with another_session() as other, other.cursor() as cursor:
        cursor.execute(f"LOCK TABLES {table} WRITE")
        yield
        cursor.execute("UNLOCK TABLES")
