"""A database that cannot be reached: the driver's own error comes through, and nothing is half."""

import socket
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from doc_priority import services
from tests.elsewhere import connection_elsewhere
from tests.service_calls import CALLS
from tests.stored import everything_stored

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return closed.getsockname()[1]


def test_the_drivers_error_comes_through(tmp_path: Path) -> None:
    services.check("acme")
    before = everything_stored()
    if connection.vendor == "sqlite":
        nowhere = {"NAME": str(tmp_path / "no such folder" / "file.sqlite3")}
    else:
        nowhere = {"HOST": "127.0.0.1", "PORT": closed_port()}
    for name, call in CALLS.items():
        with connection_elsewhere(**nowhere):
            with pytest.raises(OperationalError) as raised:
                call()
            assert not connection.in_atomic_block
        assert type(raised.value) is OperationalError, name
        driver = type(raised.value.__cause__)
        assert driver.__name__ == "OperationalError"
        module = {"postgresql": "psycopg", "mysql": "MySQLdb", "sqlite": "sqlite3"}
        assert driver.__module__.partition(".")[0] == module[connection.vendor]
        assert everything_stored() == before, name
