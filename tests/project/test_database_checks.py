"""What the system checks say about the database; one test per id."""

from collections.abc import Iterator

import pytest
from django.core.checks import ERROR, WARNING, CheckMessage
from django.core.checks.registry import registry
from django.db import connection, connections

from doc_priority.checks import check_connections, check_databases


def database_messages() -> list[CheckMessage]:
    return check_databases(databases=["default"])


def test_the_database_of_the_tests_passes(db: None) -> None:
    assert database_messages() == []


@pytest.mark.parametrize("databases", [None, [], ["another"]])
def test_databases_are_checked_only_when_asked_for(databases: list[str] | None) -> None:
    assert check_databases(databases=databases) == []


def test_e014_an_unknown_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections["default"], "vendor", "oracle")
    monkeypatch.setattr(connections["default"], "display_name", "Oracle")
    (message,) = database_messages()
    assert (message.id, message.level) == ("doc_priority.E014", ERROR)
    assert "Oracle" in message.msg
    assert "PostgreSQL, MariaDB or SQLite" in message.hint


@pytest.mark.sqlite
@pytest.mark.parametrize("mode", [None, "DEFERRED", "deferred"])
def test_w001_sqlite_begins_without_a_lock(
    monkeypatch: pytest.MonkeyPatch, mode: str | None
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", mode)
    (message,) = database_messages()
    assert (message.id, message.level) == ("doc_priority.W001", WARNING)
    assert repr(mode) in message.msg
    assert "IMMEDIATE" in message.hint


@pytest.mark.sqlite
@pytest.mark.parametrize("mode", ["IMMEDIATE", "immediate", "EXCLUSIVE"])
def test_sqlite_takes_its_lock_at_once(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", mode)
    assert database_messages() == []


@pytest.fixture
def server_data(monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[dict[str, object]]:
    """What Django remembers of the server, to be changed by a test."""
    cached = ("mysql_is_mariadb", "mysql_server_info", "sql_mode")
    data = {**connection.mysql_server_data}
    wrapper = connections["default"]
    for name in cached:
        wrapper.__dict__.pop(name, None)
    monkeypatch.setitem(wrapper.__dict__, "mysql_server_data", data)
    yield data
    for name in cached:
        wrapper.__dict__.pop(name, None)


@pytest.mark.mariadb
def test_w002_mysql_itself_is_untested(server_data: dict[str, object]) -> None:
    server_data["version"] = "8.4.3"
    (message,) = database_messages()
    assert (message.id, message.level) == ("doc_priority.W002", WARNING)
    assert "untested" in message.msg
    assert "MariaDB or PostgreSQL" in message.hint


@pytest.mark.mariadb
@pytest.mark.parametrize("mode", ["", "ANSI_QUOTES"])
def test_w003_sql_mode_is_not_strict(server_data: dict[str, object], mode: str) -> None:
    server_data["sql_mode"] = mode
    (message,) = database_messages()
    assert (message.id, message.level) == ("doc_priority.W003", WARNING)
    assert repr(mode) in message.msg
    assert "STRICT_TRANS_TABLES" in message.hint


@pytest.mark.mariadb
def test_any_strict_sql_mode_passes(server_data: dict[str, object]) -> None:
    server_data["sql_mode"] = "STRICT_ALL_TABLES"
    assert database_messages() == []


@pytest.fixture(params=["postgresql", "mysql"])
def server_settings(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    """The settings of a server with a connection per request, to be changed by a test."""
    given = {**connection.settings_dict, "CONN_MAX_AGE": 0, "OPTIONS": {}}
    monkeypatch.setattr(connections["default"], "vendor", request.param)
    monkeypatch.setattr(connections["default"], "settings_dict", given)
    return given


def test_w004_a_connection_per_request(server_settings: dict[str, object]) -> None:
    (message,) = check_connections()
    assert (message.id, message.level) == ("doc_priority.W004", WARNING)
    assert "DATABASES['default'] has CONN_MAX_AGE 0" in message.msg
    assert "'CONN_MAX_AGE': 60 and 'CONN_HEALTH_CHECKS': True" in message.hint
    assert "'OPTIONS': {'pool': True}" in message.hint


def test_w004_is_for_a_deployment() -> None:
    """CONN_MAX_AGE 0 is Django's default; other commands need not say so each time."""
    assert check_connections in registry.get_checks(include_deployment_checks=True)
    assert check_connections not in registry.get_checks()


@pytest.mark.parametrize("seconds", [1, 60, None])
def test_connections_are_kept(server_settings: dict[str, object], seconds: int | None) -> None:
    server_settings["CONN_MAX_AGE"] = seconds
    assert check_connections() == []


@pytest.mark.parametrize("pool", [True, {"min_size": 2}])
def test_connections_come_from_a_pool(server_settings: dict[str, object], pool: object) -> None:
    server_settings["OPTIONS"] = {"pool": pool}
    assert check_connections() == []


@pytest.mark.sqlite
def test_sqlite_may_open_its_file_each_time() -> None:
    assert connection.settings_dict["CONN_MAX_AGE"] == 0
    assert check_connections() == []


def test_connections_are_looked_at_without_connecting(server_settings: dict[str, object]) -> None:
    """The test may not use the database, and the check needs no permission for it."""
    assert check_connections(databases=None) == check_connections(databases=["default"]) != []
