"""A database that cannot be reached: the driver's own error comes through, and nothing is half."""

import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections

from doc_priority import services
from tests.stored import everything_stored

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

CALLS: dict[str, Callable[[], object]] = {
    "check": lambda: services.check("acme"),
    "check with a document": lambda: services.check("acme", document="D"),
    "check_many": lambda: services.check_many(["acme", "new"]),
    "check_many with documents": lambda: services.check_many([("acme", "D")]),
    "peek": lambda: services.peek("acme"),
    "reset": lambda: services.reset("acme"),
    "pin": lambda: services.pin("acme", priority=1, until=datetime.now(UTC) + timedelta(hours=1)),
    "forget": lambda: services.forget("acme"),
}
DRIVER_ERRORS = {
    "postgresql": ("psycopg", "OperationalError"),
    "mysql": ("MySQLdb", "OperationalError"),
    "sqlite": ("sqlite3", "OperationalError"),
}


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return closed.getsockname()[1]


@pytest.fixture
def nowhere(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The connection points where no database is; before and after the test it is the usual one."""
    services.check("acme")
    before = everything_stored()
    usual = connection.settings_dict
    place = (
        {"NAME": str(tmp_path / "no such folder" / "file.sqlite3")}
        if connection.vendor == "sqlite"
        else {"HOST": "127.0.0.1", "PORT": closed_port()}
    )
    connection.close()
    with monkeypatch.context() as patch:
        patch.setattr(connections[DEFAULT_DB_ALIAS], "settings_dict", {**usual, **place})
        yield
        connection.close()
    assert everything_stored() == before


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_drivers_error_comes_through(call: Callable[[], object]) -> None:
    with pytest.raises(OperationalError) as raised:
        call()
    assert type(raised.value) is OperationalError
    cause = type(raised.value.__cause__)
    module, name = DRIVER_ERRORS[connection.vendor]
    assert (cause.__module__.partition(".")[0], cause.__name__) == (module, name)
    assert not connection.in_atomic_block
