"""Databases as released versions left them: one folder per version, one dump per database.

`python -m tests.project.upgrade 0.1.0` makes the dump of the database that DATABASE_URL names; do
it once on each of them when a version is tagged, and never again for that version.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.db import connection

FOLDER = Path(__file__).parent
VERSIONS = sorted(path.name for path in FOLDER.iterdir() if path.name[0].isdigit())
"""Those whose databases are kept."""
THEN = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
"""When the documents in them came."""
FAR = datetime(2099, 1, 1, tzinfo=UTC)
"""When a pin in them ends."""


def path_of(version: str, vendor: str) -> Path:
    return FOLDER / version / f"{vendor}.sql"


@contextmanager
def empty_database(name: str, *, folder: Path) -> Iterator[None]:
    """Until the end the default connection leads to a new database of this name."""
    connection.close()
    usual = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        name = str(folder / f"{name}.sqlite3")
    characters = "CHARACTER SET utf8mb4" if connection.vendor == "mysql" else ""

    def drop() -> None:
        if connection.vendor == "sqlite":
            Path(name).unlink(missing_ok=True)
        else:
            with connection._nodb_cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")

    drop()
    if connection.vendor != "sqlite":
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {connection.ops.quote_name(name)} {characters}")
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
        drop()


def load(dump: str) -> None:
    """Run a dump; it may change the session, so that ends here."""
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        with connection.constraint_checks_disabled():  # Tables come in any order.
            connection.connection.executescript(dump)
    elif connection.vendor == "postgresql":
        connection.connection.execute(dump)
    else:
        cursor = connection.connection.cursor()
        cursor.execute(dump)
        while cursor.nextset():
            pass
        cursor.close()
    connection.close()
