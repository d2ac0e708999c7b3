"""Take away a test database that its own process leaves for the next run."""

from django.db import connection


def remove_database(name: str) -> None:
    """If there is one; on SQLite it is a file in the worker's own folder, and goes with that."""
    if connection.vendor == "sqlite":
        return
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")
