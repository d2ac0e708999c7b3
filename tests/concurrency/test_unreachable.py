"""A database that cannot be reached: the driver's own error comes through, and nothing is half."""

import socket
from collections.abc import Callable, Iterator

import pytest
from django.db import OperationalError, connection

from doc_priority import services
from tests.elsewhere import connection_elsewhere
from tests.service_calls import CALLS
from tests.stored import everything_stored

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

DRIVER_ERRORS = {
    "postgresql": ("psycopg", "OperationalError"),
    "mysql": ("MySQLdb", "OperationalError"),
    "sqlite": ("sqlite3", "OperationalError"),
}


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return closed.getsockname()[1]


@pytest.fixture
def nowhere(tmp_path) -> Iterator[None]:
    """The connection points where no database is; before and after the test it is the usual one."""
    services.check("acme")
    before = everything_stored()
    place = (
        {"NAME": str(tmp_path / "no such folder" / "file.sqlite3")}
        if connection.vendor == "sqlite"
        else {"HOST": "127.0.0.1", "PORT": closed_port()}
    )
    with connection_elsewhere(**place):
        yield
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
