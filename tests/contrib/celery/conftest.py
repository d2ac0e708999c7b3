"""A portal with a place of its own: its keys on Redis, its queue and exchange on RabbitMQ."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from celery import Celery
from celery.signals import before_task_publish
from django.core.checks import ERROR, WARNING
from django.db import connection
from kombu import Connection, pools

from doc_priority.contrib.celery import prioritize, registry
from doc_priority.contrib.celery.checks import check_configuration
from tests.contrib.celery.portal import Terms, make
from tests.servers import RABBITMQ_URL, REDIS_URL

# Publishers ask the database for no more than all others do, so one kind of it is enough.
collect_ignore_glob = [] if connection.vendor == "sqlite" else ["test_*.py"]

Portal = tuple[Celery, Terms]
MakePortal = Callable[..., Portal]
MakeApp = Callable[..., Celery]
Told = Callable[..., dict[str, str]]


@contextmanager
def closing(app: Celery) -> Iterator[Celery]:
    """Leaves no task prioritised and no connection open."""
    yield app
    registry.forget(app)
    app.close()
    pools.reset()


@pytest.fixture(
    params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("redis", "rabbitmq")]
)
def broker(request: pytest.FixtureRequest) -> str:
    """Each test runs on both."""
    return str(request.param)


@pytest.fixture
def make_portal(tmp_path: Path) -> Iterator[MakePortal]:
    """Apps that leave nothing behind: `make_portal("redis", task_ignore_result=True)`."""
    queues = []

    def make_it(
        name: str, *, url: str = "", prioritized: bool = True, namespace: str = "", **conf: Any
    ) -> Portal:
        queue = f"doc_priority_test_{uuid4().hex}"
        queues.append((name, queue))
        folder = tmp_path / queue
        folder.mkdir()
        conf = {"control_exchange": "doc_priority_test", **conf}  # other tests have workers there
        if name == "redis":
            given = conf.get("broker_transport_options", {})
            results = {"global_keyprefix": f"{queue}:results:"}
            conf = {
                "result_backend_transport_options": results,
                **conf,
                "broker_transport_options": {"global_keyprefix": f"{queue}:", **given},
            }
        address = url or {"redis": REDIS_URL, "rabbitmq": RABBITMQ_URL}[name]
        terms = Terms(address, queue, str(folder), prioritized, conf, namespace)
        return stack.enter_context(closing(make(terms))), terms

    with ExitStack() as stack:
        yield make_it
    for name, queue in queues:
        if name == "redis":
            with redis.Redis.from_url(REDIS_URL) as client:
                for key in client.scan_iter(f"{queue}:*"):
                    client.delete(key)
        if name == "rabbitmq":
            with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
                for one in (queue, f"{queue}_new"):
                    channel.queue_delete(one)
                    channel.exchange_delete(one)


@pytest.fixture
def refused() -> Iterator[None]:
    """Where RabbitMQ refuses a connection, py-amqp leaves the socket open until it is collected."""
    yield
    gc.collect()


@pytest.fixture
def portal(make_portal: MakePortal) -> Portal:
    return make_portal("redis")


@pytest.fixture
def process(portal: Portal) -> Any:
    return portal[0].tasks["portal.process"]


@pytest.fixture
def sent() -> Iterator[list[dict[str, Any]]]:
    """The messages as they leave: headers and properties."""
    messages: list[dict[str, Any]] = []

    def keep(headers: dict[str, Any], properties: dict[str, Any], **kwargs: Any) -> None:
        messages.append({**headers, **properties})

    before_task_publish.connect(keep, weak=False)
    yield messages
    before_task_publish.disconnect(keep)


def queued(terms: Terms) -> int:
    """How many wait in the portal's queue."""
    if terms.broker.startswith("amqp"):
        with Connection(terms.broker) as broker, broker.channel() as channel:
            return int(channel.queue_declare(terms.queue, passive=True).message_count)
    with redis.Redis.from_url(REDIS_URL) as client:
        keys = list(client.scan_iter(f"{terms.queue}:{terms.queue}*"))
        return sum(int(client.llen(key)) for key in keys)


def process_document(customer: str, document: str) -> None:
    """A prioritised task."""


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    """Makes apps with one prioritised task; without an address their settings say which broker."""
    apps = []

    def make_it(url: str = "", *, prioritized: bool = True, **conf: Any) -> Celery:
        app = Celery(f"app{len(apps)}", broker=url or None, set_as_current=False)
        apps.append(stack.enter_context(closing(app)))
        app.conf.update({"control_exchange": "doc_priority_test", **conf})
        if prioritized:
            prioritize(app, "portal.process", customer="customer", document="document")
            app.task(name="portal.process", shared=False)(process_document)
        return app

    with ExitStack() as stack:
        yield make_it


@pytest.fixture
def told() -> Told:
    """What a check says, by the numbers of its ids: `told() == {}` when all is well."""

    def tell(check: Callable[[], Any] = check_configuration) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in check():
            number = one.id.removeprefix("doc_priority.")
            assert one.level == (ERROR if number.startswith("E") else WARNING)
            assert one.hint
            assert number not in found
            found[number] = f"{one.msg} {one.hint}"
        return found

    return tell


@pytest.fixture
def told_of(make_app: MakeApp, told: Told) -> Told:
    """The same of an app that was made of these settings, and is forgotten again."""

    def tell(url: str = "", **conf: Any) -> dict[str, str]:
        with closing(make_app(url, **conf)):
            return told()

    return tell
