"""A database of one's own: made empty, filled from a dump or dumped, and dropped."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

MADE_BY = {
    "postgresql": ["pg_dump", "--inserts", "--no-owner", "--no-privileges"],
    "mysql": ["mariadb-dump", "--skip-comments", "--skip-extended-insert", "--skip-add-locks"],
}
COMMANDS_OF_PSQL = re.compile(r"^\\.*\n", re.MULTILINE)


@contextmanager
def empty_database(name: str, *, folder: Path) -> Iterator[None]:
    """Until the end the default connection leads to a new database of this name."""
    connection.close()
    usual = connection.settings_dict["NAME"]
    name = str(folder / f"{name}.sqlite3") if connection.vendor == "sqlite" else name
    _drop(name)
    _create(name)
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
        _drop(name)


def load(dump: str) -> None:
    """Run a dump; it may change the session, so that ends here."""
    connection.ensure_connection()
    LOADERS[connection.vendor](dump)
    connection.close()


def dump() -> str:
    """The whole database as SQL."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        return "".join(f"{line}\n" for line in connection.connection.iterdump())
    arguments, variables = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    done = subprocess.run(
        [*MADE_BY[connection.vendor], *arguments[1:]],
        env={**os.environ, **(variables or {})},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return COMMANDS_OF_PSQL.sub("", done.stdout)


def _create(name: str) -> None:
    if connection.vendor != "sqlite":
        characters = "CHARACTER SET utf8mb4" if connection.vendor == "mysql" else ""
        _outside(f"CREATE DATABASE {connection.ops.quote_name(name)} {characters}")


def _drop(name: str) -> None:
    if connection.vendor == "sqlite":
        Path(name).unlink(missing_ok=True)
    else:
        _outside(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")


def _outside(statement: str) -> None:
    with connection._nodb_cursor() as cursor:
        cursor.execute(statement)


def _load_into_sqlite(dump: str) -> None:
    with connection.constraint_checks_disabled():  # tables come in any order
        connection.connection.executescript(dump)


def _load_into_postgresql(dump: str) -> None:
    connection.connection.execute(dump)


def _load_into_mariadb(dump: str) -> None:
    cursor = connection.connection.cursor()
    cursor.execute(dump)
    while cursor.nextset():
        pass
    cursor.close()


LOADERS = {
    "sqlite": _load_into_sqlite,
    "postgresql": _load_into_postgresql,
    "mysql": _load_into_mariadb,
}
