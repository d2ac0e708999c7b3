"""A database of one's own: made empty, filled from a dump or dumped, and dropped."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

FOLDER = Path(__file__).parent
VERSIONS = sorted(path.name for path in FOLDER.iterdir() if path.name[0].isdigit())
"""Those whose databases are kept."""

MADE_BY = {
    "postgresql": ["pg_dump", "--inserts", "--no-owner", "--no-privileges"],
    "mysql": ["mariadb-dump", "--skip-comments", "--skip-extended-insert", "--skip-add-locks"],
}


def path_of(version: str, vendor: str) -> Path:
    return FOLDER / version / f"{vendor}.sql"


@contextmanager
def empty_database(name: str, *, folder: Path) -> Iterator[None]:
    """Until the end the default connection leads to a new database of this name."""
    connection.close()
    usual = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        name = str(folder / f"{name}.sqlite3")
    _drop(name)
    if connection.vendor != "sqlite":
        characters = "CHARACTER SET utf8mb4" if connection.vendor == "mysql" else ""
        _outside(f"CREATE DATABASE {connection.ops.quote_name(name)} {characters}")
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
        _drop(name)


def _drop(name: str) -> None:
    if connection.vendor == "sqlite":
        Path(name).unlink(missing_ok=True)
    else:
        _outside(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")


def _outside(statement: str) -> None:
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement)


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


def dump() -> str:
    """The whole database as SQL, without the commands of psql."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        return "".join(f"{line}\n" for line in connection.connection.iterdump())
    arguments, variables = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    command = [*MADE_BY[connection.vendor], *arguments[1:]]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return re.sub(r"^\\.*\n", "", done.stdout, flags=re.MULTILINE)
