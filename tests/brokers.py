"""The brokers that tests of queues need, and whether they answer."""

import os
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Which of the processes that share the tests this is; each has a Redis database of its own."""


def redis_of(worker: int) -> str:
    url = urlsplit(os.environ.get("DOC_PRIORITY_REDIS_URL", "redis://127.0.0.1:6379/15"))
    return url._replace(path=f"/{int(url.path.strip('/')) - worker}").geturl()


REDIS_URL = redis_of(WORKER)
RABBITMQ_URL = os.environ.get("DOC_PRIORITY_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/%2F")


@dataclass(frozen=True)
class Broker:
    name: str
    marker: str
    url: str
    port: int
    hello: bytes
    """A greeting in its protocol."""

    def answers(self) -> bool:
        """Whether it says anything at all to its greeting."""
        address = urlsplit(self.url)
        host = (address.hostname, address.port or self.port)
        try:
            with socket.create_connection(host, timeout=2) as connection:
                connection.sendall(self.hello)
                return bool(connection.recv(1))
        except OSError:
            return False

    @property
    def obstacle(self) -> str:
        return f"{self.name} does not answer at {self.url}"


BROKERS = (
    Broker("Redis", "redis", REDIS_URL, 6379, b"PING\r\n"),
    Broker("RabbitMQ", "rabbitmq", RABBITMQ_URL, 5672, b"AMQP\0\0\0\0"),
)
