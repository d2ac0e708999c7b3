"""A portal with a place of its own: its keys on Redis, its queue and exchange on RabbitMQ."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from celery import Celery
from celery.signals import before_task_publish
from kombu import Connection

from tests.servers import RABBITMQ_URL, REDIS_URL
from tests.contrib.celery.checked import MakeApp, making
from tests.contrib.celery.closing import closing
from tests.contrib.celery.portal import Terms
from tests.contrib.celery.portal import make as make_app_of

Portal = tuple[Celery, Terms]
MakePortal = Callable[..., Portal]

BROKERS = [
    pytest.param("redis", marks=pytest.mark.redis),
    pytest.param("rabbitmq", marks=pytest.mark.rabbitmq),
]


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> str:
    """Each test runs on both."""
    return str(request.param)


@pytest.fixture
def make_portal(tmp_path: Path) -> Iterator[MakePortal]:
    """Apps that leave nothing behind: `make_portal("redis", task_ignore_result=True)`."""
    with ExitStack() as stack:

        def make(
            name: str, *, url: str = "", prioritized: bool = True, namespace: str = "", **conf: Any
        ) -> Portal:
            terms = stack.enter_context(
                _terms(
                    name,
                    tmp_path,
                    url=url,
                    prioritized=prioritized,
                    namespace=namespace,
                    conf=conf,
                )
            )
            return stack.enter_context(closing(make_app_of(terms))), terms

        yield make


@contextmanager
def _terms(
    name: str,
    folder: Path,
    *,
    url: str,
    prioritized: bool,
    namespace: str,
    conf: dict[str, Any],
) -> Iterator[Terms]:
    queue = f"doc_priority_test_{uuid4().hex}"
    if name == "redis":
        given = {"global_keyprefix": f"{queue}:", **conf.pop("broker_transport_options", {})}
        conf = {
            "broker_transport_options": given,
            "result_backend_transport_options": {"global_keyprefix": f"{queue}:results:"},
            **conf,
        }
    if name == "rabbitmq":  # workers of other tests answer at the same one
        conf = {"control_exchange": "doc_priority_test", **conf}
    address = {"redis": REDIS_URL, "rabbitmq": RABBITMQ_URL}.get(name, name)
    try:
        yield Terms(url or address, queue, str(folder), prioritized, conf, namespace)
    finally:
        if name == "redis":
            _remove_keys(f"{queue}:*")
        if name == "rabbitmq":
            _remove_queue(queue)


def _remove_keys(pattern: str) -> None:
    with redis.Redis.from_url(REDIS_URL) as client:
        if keys := list(client.scan_iter(pattern)):
            client.delete(*keys)


def _remove_queue(queue: str) -> None:
    with Connection(RABBITMQ_URL) as connection, connection.channel() as channel:
        channel.queue_delete(queue)
        channel.exchange_delete(queue)


@pytest.fixture
def published() -> Callable[[Terms], int]:
    """How many messages wait in the portal's queue."""

    def count(terms: Terms) -> int:
        if terms.broker.startswith("amqp"):
            with Connection(terms.broker) as connection, connection.channel() as channel:
                return int(channel.queue_declare(terms.queue, passive=True).message_count)
        with redis.Redis.from_url(REDIS_URL) as client:
            keys = list(client.scan_iter(f"{terms.queue}:{terms.queue}*"))
            return sum(int(client.llen(key)) for key in keys)

    return count


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    with making() as make:
        yield make


@pytest.fixture
def portal(make_portal: MakePortal) -> Portal:
    return make_portal("redis")


@pytest.fixture
def sent(portal: Portal) -> Iterator[list[dict[str, Any]]]:
    """The messages as they leave: headers and properties."""
    messages: list[dict[str, Any]] = []

    def keep(headers: dict[str, Any], properties: dict[str, Any], **kwargs: Any) -> None:
        messages.append({**headers, **properties})

    before_task_publish.connect(keep, weak=False)
    yield messages
    before_task_publish.disconnect(keep)


@pytest.fixture
def process(portal: Portal) -> Any:
    return portal[0].tasks["portal.process"]
