"""Whoever sends a document to a broker that is down or hangs is told so in time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery import Celery, chord, group
from django.test import override_settings
from kombu.exceptions import OperationalError

from doc_priority.contrib.celery.outlets import Lease
from doc_priority.models import Counter
from tests.servers import RABBITMQ_URL, REDIS_URL
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.freezing import FreezingProxy, free_port, never_answering
from tests.contrib.celery.portal import Terms
from tests.contrib.celery.workers import lines_once, worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]

SLACK = 0.3
"""A busy machine's."""
URLS = {"redis": REDIS_URL, "rabbitmq": RABBITMQ_URL}
PORTS = {"redis": 6379, "rabbitmq": 5672}


def at_port(broker: str, port: int) -> str:
    parts = urlsplit(URLS[broker])
    user, at, _ = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{user}{at}127.0.0.1:{port}{parts.path}"


def server_of(broker: str) -> tuple[str, int]:
    parts = urlsplit(URLS[broker])
    return str(parts.hostname), parts.port or PORTS[broker]


@contextmanager
def fails_within(seconds: float) -> Iterator[None]:
    begun = time.monotonic()
    with pytest.raises(OperationalError):
        yield
    assert time.monotonic() - begun < seconds + SLACK


def process_of(app: Celery) -> Any:
    return app.tasks["portal.process"]


def counted() -> int:
    return int(-Counter.objects.get(customer__key="acme").pending_documents)


def test_a_refused_port(make_portal: MakePortal, broker: str) -> None:
    app, _ = make_portal(broker, url=at_port(broker, free_port()))
    for _ in range(3):
        with fails_within(3):
            process_of(app).delay("acme", "D-1")
    assert counted() == 0


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_the_time_limit_is_a_setting(make_portal: MakePortal, broker: str) -> None:
    with never_answering() as port:
        app, _ = make_portal(broker, url=at_port(broker, port))
        with fails_within(0.5):
            process_of(app).delay("acme", "D-1")


def test_a_port_that_never_answers(make_portal: MakePortal, broker: str) -> None:
    with never_answering() as port:
        app, _ = make_portal(broker, url=at_port(broker, port))
        with fails_within(3):
            process_of(app).delay("acme", "D-1")


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
@pytest.mark.parametrize("tls", [True, False])
def test_every_way_to_get_there(make_portal: MakePortal, broker: str, tls: bool) -> None:
    """Shaking hands over TLS takes waits of its own."""
    with never_answering() as port:
        url = at_port(broker, port).replace("://", "s://" if tls else "://", 1)
        app, _ = make_portal(broker, url=url, broker_use_ssl={"cert_reqs": 0} if tls else None)
        if broker == "redis" and tls:
            app.conf.broker_use_ssl = {"ssl_cert_reqs": 0}
        with fails_within(0.5):
            process_of(app).delay("acme", "D-1")


SETTLED: list[dict[str, Any]] = [{"priority": 7}, {"retries": 1}]


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
@pytest.mark.parametrize("options", SETTLED)
def test_calls_that_are_not_counted(
    make_portal: MakePortal, broker: str, options: dict[str, Any]
) -> None:
    with never_answering() as port:
        results = f"redis://127.0.0.1:{port}/0"
        app, _ = make_portal(broker, url=at_port(broker, port), result_backend=results)
        with fails_within(0.5):
            process_of(app).apply_async(("acme", "D-1"), **options)
    assert not Counter.objects.exists()


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_a_broker_that_answers_slowly(make_portal: MakePortal, broker: str) -> None:
    """Each answer comes in time, and all of them together do not."""
    with FreezingProxy(server_of(broker), holds_back=0.3) as proxy:
        app, _ = make_portal(broker)
        app.conf.broker_url = at_port(broker, proxy.port)
        for _ in range(2):
            with fails_within(1):
                process_of(app).delay("acme", "D-1")


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_several_addresses_share_the_time(make_portal: MakePortal, broker: str) -> None:
    with never_answering() as one, never_answering() as two:
        url = ";".join(at_port(broker, port) for port in (one, two))
        app, _ = make_portal(broker, url=url)
        for _ in range(2):
            with fails_within(1):
                process_of(app).delay("acme", "D-1")


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_the_next_address_is_tried(make_portal: MakePortal, broker: str) -> None:
    app, terms = make_portal(broker)
    url = ";".join((at_port(broker, free_port()), terms.broker))
    app.conf.broker_url = url
    assert process_of(app).delay("acme", "D-1").id


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_sentinels_share_the_time(make_portal: MakePortal) -> None:
    with never_answering() as one, never_answering() as two:
        url = f"sentinel://127.0.0.1:{one};sentinel://127.0.0.1:{two}"
        options = {"master_name": "main"}
        app, _ = make_portal("sentinel", url=url, broker_transport_options=options)
        with fails_within(1):
            process_of(app).delay("acme", "D-1")


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_a_broker_that_stops_answering_and_comes_back(
    make_portal: MakePortal, broker: str, published: Callable[[Terms], int]
) -> None:
    with FreezingProxy(server_of(broker)) as proxy:
        app, terms = make_portal(broker)
        app.conf.broker_url = at_port(broker, proxy.port)
        first = process_of(app).delay("acme", "D-1")
        proxy.freeze()
        for _ in range(2):
            with fails_within(1):
                process_of(app).delay("acme", "D-2")
        with fails_within(1):
            group(process_of(app).s("acme", f"G-{number}") for number in range(3))()
        proxy.thaw()
        second = process_of(app).delay("acme", "D-2")
    assert second.id != first.id
    assert counted() == 2
    assert published(terms) >= 2


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_a_connection_that_was_lost_is_replaced(make_portal: MakePortal, broker: str) -> None:
    """Without the caller noticing."""
    app, _ = make_portal(broker)
    with FreezingProxy(server_of(broker)) as proxy:
        app.conf.broker_url = ";".join((at_port(broker, proxy.port), URLS[broker]))
        process_of(app).delay("acme", "D-1")
    process_of(app).delay("acme", "D-2")
    assert counted() == 1


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_who_wants_no_second_attempt_gets_none(make_portal: MakePortal, broker: str) -> None:
    app, _ = make_portal(broker, task_publish_retry=False)
    with FreezingProxy(server_of(broker)) as proxy:
        app.conf.broker_url = at_port(broker, proxy.port)
        process_of(app).delay("acme", "D-1")
    with fails_within(1):
        process_of(app).delay("acme", "D-2")


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 300})
def test_all_connections_in_use(make_portal: MakePortal, broker: str) -> None:
    app, _ = make_portal(broker, broker_pool_limit=1)
    outlet = app.send_task._outlets.current()
    with Lease(outlet), fails_within(0.3):
        process_of(app).delay("acme", "D-1")
    assert process_of(app).delay("acme", "D-1").id


@pytest.mark.parametrize("limit", [0, None])
def test_a_portal_that_keeps_no_connections(
    make_portal: MakePortal, broker: str, limit: int | None
) -> None:
    app, terms = make_portal(broker, broker_pool_limit=limit)
    with Lease(app.send_task._outlets.current()) as producer:
        producer.publish({}, routing_key=terms.queue, declare=[app.amqp.default_queue])
        kept = producer.connection
        assert kept.connected
    assert not kept.connected
    assert process_of(app).delay("acme", "D-1").id


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_results_kept_in_a_redis_that_hangs(make_portal: MakePortal, broker: str) -> None:
    with never_answering() as port:
        app, _ = make_portal(broker, result_backend=f"redis://127.0.0.1:{port}/0")
        begun = time.monotonic()
        process_of(app).delay("acme", "D-1")
        assert time.monotonic() - begun < 1


def canvases_of(app: Celery) -> dict[str, Callable[[], Any]]:
    process, following = process_of(app), app.tasks["portal.next"]

    def documents() -> Any:
        return group(process.s("acme", f"D-{number}") for number in range(2))

    return {
        "group": lambda: documents()(),
        "chord": lambda: chord(documents())(following.s()),
        "nested": lambda: chord([documents(), process.s("acme", "D-3")])(following.s()),
    }


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
@pytest.mark.parametrize("canvas", ["group", "chord", "nested"])
@pytest.mark.parametrize("hangs", [True, False])
def test_a_redis_that_is_broker_and_keeps_results(
    make_portal: MakePortal, canvas: str, hangs: bool
) -> None:
    with never_answering() as port:
        url = f"redis://127.0.0.1:{port if hangs else free_port()}/0"
        app, _ = make_portal("redis", url=url, result_backend=url)
        with fails_within(1):
            canvases_of(app)[canvas]()


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
@pytest.mark.parametrize("scheme", ["redis", "rediss", "sentinel"])
@pytest.mark.parametrize("canvas", ["group", "chord"])
def test_a_canvas_whose_results_go_where_nobody_answers(
    make_portal: MakePortal, canvas: str, scheme: str
) -> None:
    with never_answering() as port:
        app, _ = make_portal(
            "redis",
            result_backend=f"{scheme}://127.0.0.1:{port}/0",
            result_backend_transport_options={"master_name": "main"},
            redis_backend_use_ssl={"ssl_cert_reqs": 0} if scheme == "rediss" else None,
        )
        with fails_within(2):  # one for a message, one for listening for its result
            canvases_of(app)[canvas]()


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_a_connection_to_the_results_that_was_lost(make_portal: MakePortal) -> None:
    """Is replaced without the caller noticing."""
    app, _ = make_portal("redis", result_backend=REDIS_URL)
    canvases_of(app)["chord"]()
    app.backend.client.connection_pool.disconnect()
    canvases_of(app)["chord"]()


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_a_worker_may_idle_for_longer(make_portal: MakePortal, broker: str) -> None:
    app, terms = make_portal(broker)
    with worker(terms):
        process_of(app).delay("acme", "D-1")
        (before,) = lines_once(terms, 1)
        Event().wait(2)  # nothing happens for longer than the time limit
        process_of(app).delay("acme", "D-2")
        after = lines_once(terms, 2)[1]
    assert before["process"] == after["process"]
