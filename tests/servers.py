"""The databases and brokers that tests need, and whether they can be reached."""

import os
import socket
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler, DatabaseError

from tests.settings import database

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Which of the processes that share the tests this is; each has a Redis database of its own."""


def redis_of(worker: int) -> str:
    url = urlsplit(os.environ.get("DOC_PRIORITY_REDIS_URL", "redis://127.0.0.1:6379/15"))
    return url._replace(path=f"/{int(url.path.strip('/')) - worker}").geturl()


REDIS_URL = redis_of(WORKER)
RABBITMQ_URL = os.environ.get("DOC_PRIORITY_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/%2F")


@dataclass
class Server:
    """A database server; `obstacle` says why it cannot be used and is empty if it can."""

    name: str
    url: str

    @cached_property
    def obstacle(self) -> str:
        settings = database(self.url)
        # Without a name Django connects to the server itself, as it does to make the test database.
        settings["NAME"] = None
        settings["OPTIONS"]["connect_timeout"] = 5
        try:
            connection = ConnectionHandler({"default": settings})["default"]
            with connection.wrap_database_errors:
                connection.get_new_connection(connection.get_connection_params()).close()
        except ImproperlyConfigured:
            return "its driver is not installed"
        except DatabaseError as error:
            return " ".join(str(error).split())
        return ""


@dataclass
class Broker:
    """A broker; tests with its marker are skipped where it does not answer to its greeting."""

    name: str
    marker: str
    url: str
    port: int
    hello: bytes

    @cached_property
    def obstacle(self) -> str:
        address = urlsplit(self.url)
        host = (address.hostname, address.port or self.port)
        try:
            with socket.create_connection(host, timeout=2) as connection:
                connection.sendall(self.hello)
                answers = connection.recv(1)
        except OSError:
            answers = b""
        return "" if answers else f"{self.name} does not answer at {self.url}"


POSTGRESQL = Server(
    "PostgreSQL",
    os.environ.get("DOC_PRIORITY_POSTGRESQL_URL") or "postgres://postgres@127.0.0.1:5432/postgres",
)
MARIADB = Server(
    "MariaDB", os.environ.get("DOC_PRIORITY_MARIADB_URL") or "mysql://root@127.0.0.1:3306/test"
)
SERVERS = (POSTGRESQL, MARIADB)
BROKERS = (
    Broker("Redis", "redis", REDIS_URL, 6379, b"PING\r\n"),
    Broker("RabbitMQ", "rabbitmq", RABBITMQ_URL, 5672, b"AMQP\0\0\0\0"),
)
