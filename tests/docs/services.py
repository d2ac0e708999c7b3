"""The servers a page says it needs, and what it is told about them."""

import fcntl
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import pika
from django.db.utils import ConnectionHandler
from pika.exceptions import ChannelClosedByBroker
from redis import Redis

from tests.brokers import RABBITMQ_URL, REDIS_URL
from tests.docs.reading import Page
from tests.servers import SERVERS, Server
from tests.settings import TEST_NAME, database

DATABASES = {server.name.lower(): server for server in SERVERS}
QUEUES = ("celery", "default", "documents")
"""Queues that a page may leave in RabbitMQ."""


@contextmanager
def redis() -> Iterator[dict[str, str]]:
    """A Redis database that is empty before and after."""
    with Redis.from_url(REDIS_URL) as client:
        client.flushdb()
        try:
            yield {"REDIS_URL": REDIS_URL}
        finally:
            client.flushdb()


@contextmanager
def rabbitmq() -> Iterator[dict[str, str]]:
    """RabbitMQ without the queues of other pages, and one page at a time: queues have one name."""
    with Path(tempfile.gettempdir(), f"{TEST_NAME}.rabbitmq").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        delete_queues()
        try:
            yield {"RABBITMQ_URL": RABBITMQ_URL}
        finally:
            delete_queues()


def delete_queues() -> None:
    with pika.BlockingConnection(pika.URLParameters(RABBITMQ_URL)) as connection:
        for name in QUEUES:
            try:
                connection.channel().queue_delete(name)
            except ChannelClosedByBroker as error:
                raise AssertionError(f"The queue {name} cannot be deleted") from error


BROKERS = {"rabbitmq": rabbitmq, "redis": redis}


def named(text: str) -> list[str]:
    """The servers a page names, before it is read."""
    return " ".join(re.findall(r"<!--\s*needs:(.*?)-->", text)).split()


def needed(page: Page) -> list[str]:
    names = page.marks.get("needs", "").split()
    for name in names:
        if name not in BROKERS and name not in DATABASES:
            raise page.error(1, f"needs: {name!r} is none of {[*BROKERS, *DATABASES]}")
    return names


@contextmanager
def database_for(page: Page, server: Server) -> Iterator[dict[str, Any]]:
    """Django's settings of a database of the page's own, which is gone afterwards."""
    settings = {**database(server.url), "NAME": f"{TEST_NAME}_{crc32(str(page.path).encode()):08x}"}
    connection = ConnectionHandler({"default": {**settings, "NAME": None}})["default"]
    quoted = connection.ops.quote_name(settings["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {quoted}")
        cursor.execute(f"CREATE DATABASE {quoted}")
        try:
            yield settings
        finally:
            force = " WITH (FORCE)" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP DATABASE IF EXISTS {quoted}{force}")
            connection.close()


def variables(server: Server, settings: dict[str, Any]) -> dict[str, str]:
    """Of this database, for commands; those that begin with PG are psql's own."""
    url = urlsplit(server.url)._replace(path=f"/{settings['NAME']}").geturl()
    of_psql = {
        "PGHOST": settings["HOST"],
        "PGPORT": str(settings["PORT"] or 5432),
        "PGUSER": settings["USER"],
        "PGPASSWORD": settings["PASSWORD"],
        "PGDATABASE": settings["NAME"],
    }
    return {"DATABASE_URL": url} | (of_psql if url.startswith("postgres") else {})


def settings_text(settings: dict[str, Any]) -> str:
    kept = {name: value for name, value in settings.items() if name not in ("CONN_MAX_AGE", "TEST")}
    return f"DATABASES = {{'default': {kept!r}}}\n"
