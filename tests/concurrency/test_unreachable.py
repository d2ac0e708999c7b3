"""A database that cannot be reached: the driver's own error is raised, and nothing is half done."""

import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from doc_priority import services
from tests.databases import connection_elsewhere, everything_stored

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]


def test_the_drivers_error_comes_through(tmp_path: Path) -> None:
    services.check("acme")
    before = everything_stored()
    if connection.vendor == "sqlite":
        nowhere = {"NAME": str(tmp_path / "no such folder" / "file.sqlite3")}
    else:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            nowhere = {"HOST": "127.0.0.1", "PORT": closed.getsockname()[1]}
    later = datetime.now(UTC) + timedelta(hours=1)
    for name, call in {
        "check": lambda: services.check("acme"),
        "check with a document": lambda: services.check("acme", document="D"),
        "check_many": lambda: services.check_many(["acme", "new"]),
        "check_many with documents": lambda: services.check_many([("acme", "D")]),
        "reset": lambda: services.reset("acme"),
        "pin": lambda: services.pin("acme", priority=1, until=later),
        "forget": lambda: services.forget("acme"),
        "peek": lambda: services.peek("acme"),
    }.items():
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
