"""Take away a test database that its own process leaves for the next run."""

import tempfile
from pathlib import Path

from django.db import connection


def remove_database(name: str) -> None:
    """If there is one."""
    if connection.vendor == "sqlite":
        for file in Path(tempfile.gettempdir()).glob(f"{name}.sqlite3*"):
            file.unlink()
        return
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")
