"""The isolation levels of each database: how a session gets one, and what it then says it has."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connection


class Level(NamedTuple):
    name: str
    told: str
    """By the session."""
    options: Mapping[str, str]
    """Of the connection."""


_STRICT = "SET sql_mode = 'STRICT_TRANS_TABLES'"
_SNAPSHOT_OFF = f"{_STRICT}, innodb_snapshot_isolation = OFF"
_SNAPSHOT_ON = f"{_STRICT}, innodb_snapshot_isolation = ON"


def _of_postgresql(name: str) -> Level:
    quoted = name.lower().replace(" ", r"\ ")
    return Level(name, name.lower(), {"options": f"-c default_transaction_isolation={quoted}"})


def _of_mariadb(name: str, told: str, isolation: str, init: str) -> Level:
    return Level(name, told, {"isolation_level": isolation, "init_command": init})


LEVELS: Mapping[str, Sequence[Level]] = {
    "sqlite": (Level("IMMEDIATE", "IMMEDIATE", {}),),
    "postgresql": tuple(map(_of_postgresql, ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"))),
    "mariadb": (
        _of_mariadb("READ COMMITTED", "READ-COMMITTED, OFF", "read committed", _SNAPSHOT_OFF),
        _of_mariadb("REPEATABLE READ", "REPEATABLE-READ, OFF", "repeatable read", _SNAPSHOT_OFF),
        _of_mariadb(
            "innodb_snapshot_isolation", "REPEATABLE-READ, ON", "repeatable read", _SNAPSHOT_ON
        ),
    ),
}

_ASK = {
    "postgresql": "SHOW transaction_isolation",
    # MariaDB gave the first one its new name in 11.1; the other one follows it.
    "mysql": """
        SELECT GROUP_CONCAT(DISTINCT variable_value ORDER BY variable_value DESC SEPARATOR ', ')
          FROM information_schema.session_variables
         WHERE variable_name IN
            ('tx_isolation', 'transaction_isolation', 'innodb_snapshot_isolation')
    """,
}


def level_of_this_session() -> str:
    """SQLite has none; there it is how Django begins a transaction."""
    if connection.vendor == "sqlite":
        return str(connection.transaction_mode)
    with connection.cursor() as cursor:
        cursor.execute(_ASK[connection.vendor])
        return str(cursor.fetchone()[0])
