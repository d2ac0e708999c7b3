"""The driver alone: the statement a check sends, prepared where that can be, no Django."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import connection

from benchmarks.counting import Operation
from benchmarks.run import customer
from doc_priority.services import check

Parameters = Sequence[object] | Mapping[str, object]
Execute = Callable[[str, Parameters], object]


def driver_alone(key: str) -> Operation:
    execute, statement, parameters = _ready(connection.alias)
    mine = _about(key, parameters)
    return lambda: execute(statement, mine)


@functools.cache
def _ready(alias: str) -> tuple[Execute, str, Parameters]:
    statement, parameters = _sent_by_a_check()
    return _EXECUTES[connection.vendor](), _in_own_style(statement, parameters), parameters


def _sent_by_a_check() -> tuple[str, Parameters]:
    """The last statement of a check whose customer has counted before."""
    sent: list[tuple[str, Parameters]] = []

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        sent.append((sql, parameters))
        return execute(sql, parameters, many, context)

    check(customer(0))
    with connection.execute_wrapper(note):
        check(customer(0))
    return sent[-1]


def _in_own_style(statement: str, parameters: Parameters) -> str:
    """Django writes %s and %(name)s for every driver; sqlite3 itself takes ? and :name."""
    if connection.vendor != "sqlite":
        return statement
    if isinstance(parameters, Mapping):
        return statement % {name: f":{name}" for name in parameters}
    return statement % tuple("?" for _ in parameters)


def _about(key: str, parameters: Parameters) -> Parameters:
    """The same parameters for another customer."""
    if isinstance(parameters, Mapping):
        return {name: _own(key, value) for name, value in parameters.items()}
    return tuple(_own(key, value) for value in parameters)


def _own(key: str, value: object) -> object:
    return key if value == customer(0) else value


def _postgresql() -> Execute:
    given = connection.settings_dict
    bare = _driver().connect(
        dbname=given["NAME"],
        user=given["USER"],
        password=given["PASSWORD"],
        host=given["HOST"],
        port=given["PORT"],
        autocommit=True,
    )
    cursor = bare.cursor()

    def execute(statement: str, parameters: Parameters) -> object:
        cursor.execute(statement, parameters, prepare=True)
        return cursor.fetchone()

    return execute


def _mariadb() -> Execute:
    bare = _driver().connect(**connection.get_connection_params(), autocommit=True)
    cursor = bare.cursor()

    def execute(statement: str, parameters: Parameters) -> object:
        cursor.execute(statement, parameters)
        return cursor.fetchone()

    return execute


def _sqlite() -> Execute:
    bare = _driver().connect(connection.settings_dict["NAME"], isolation_level=None)
    bare.executescript(connection.settings_dict["OPTIONS"]["init_command"])
    cursor = bare.cursor()

    def execute(statement: str, parameters: Parameters) -> object:
        return cursor.execute(statement, parameters).fetchone()

    return execute


def _driver() -> Any:
    """The module Django itself uses: psycopg, MySQLdb or sqlite3."""
    return connection.Database  # type: ignore[attr-defined]


_EXECUTES: dict[str, Callable[[], Execute]] = {
    "postgresql": _postgresql,
    "mysql": _mariadb,
    "sqlite": _sqlite,
}
