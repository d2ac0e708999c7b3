"""What the system checks say about the database; one test per id."""

from collections.abc import Iterator

import pytest
from django.core.checks import ERROR, WARNING, CheckMessage
from django.db import connection, connections

from doc_priority.checks import check_databases


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
