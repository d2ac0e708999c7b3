"""Whoever sends a document to a broker that is down or hangs is told so in time."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from select import select
from threading import Event, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery import Celery, chord, group
from kombu.exceptions import OperationalError

from doc_priority.contrib.celery.broker_checks import check_broker
from doc_priority.contrib.celery.deadline import PatientSocket, until, wait
from doc_priority.contrib.celery.outlets import Lease
from doc_priority.contrib.celery.redis_results import RedisInTime
from doc_priority.models import Counter
from tests.contrib.celery.conftest import MakeApp, MakePortal, Told, closing, queued
from tests.contrib.workers import celery_worker, charged, eventually
from tests.servers import RABBITMQ_URL, REDIS_URL

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("limited")]

LIMIT = 0.8
SLACK = 1.0
"""A busy machine's."""
URLS = {"redis": REDIS_URL, "rabbitmq": RABBITMQ_URL}
CLOSED_PORT = 1

SilentPort = Callable[[], int]


def at_port(broker: str, port: int) -> str:
    parts = urlsplit(URLS[broker])
    user, at, _ = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{user}{at}127.0.0.1:{port}{parts.path}"


def process_of(app: Celery) -> Any:
    return app.tasks["portal.process"]


@pytest.fixture
def limited(settings: Any) -> None:
    settings.DOC_PRIORITY = {"PUBLISH_TIMEOUT_MS": 800}


@contextmanager
def fails_within(seconds: float = LIMIT) -> Iterator[None]:
    begun = monotonic()
    with pytest.raises(OperationalError):
        yield
    assert monotonic() - begun < seconds + SLACK


@pytest.fixture
def silent_port() -> Iterator[SilentPort]:
    """Opens the port of a broker that takes connections and says nothing."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]


@contextmanager
def proxy_of(broker: str, *, holds_back: float = 0) -> Iterator[tuple[str, Event]]:
    """An address that passes everything on while the event is set; it may hold answers back."""
    address = urlsplit(URLS[broker])
    server = (str(address.hostname), address.port or {"redis": 6379, "rabbitmq": 5672}[broker])
    flowing, over = Event(), Event()
    flowing.set()

    def accept_all() -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                client, _ = listener.accept()
                given = (client, server, flowing, over, holds_back)
                threads.append(Thread(target=pass_on, args=given))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        threads = [Thread(target=accept_all)]
        threads[0].start()
        try:
            yield at_port(broker, listener.getsockname()[1]), flowing
        finally:
            over.set()
            flowing.set()
            for thread in threads:
                thread.join()


def pass_on(client: socket.socket, address: Any, flowing: Event, over: Event, delay: float) -> None:
    with client, socket.create_connection(address) as server:
        while not over.is_set():
            ready, _, _ = select([client, server], [], [], 0.05)
            flowing.wait()
            for source in ready:
                with suppress(OSError):  # the client may have given up meanwhile
                    if not (message := source.recv(65_536)):
                        return
                    if source is server:
                        over.wait(delay)
                    (server if source is client else client).sendall(message)


def test_a_refused_port(make_portal: MakePortal, broker: str) -> None:
    app, _ = make_portal(broker, url=at_port(broker, CLOSED_PORT))
    for _ in range(3):
        with fails_within():
            process_of(app).delay("acme", "D-1")
    assert charged() == 1
    app, terms = make_portal(broker)
    app.conf.broker_url = f"{at_port(broker, CLOSED_PORT)};{terms.broker}"
    assert process_of(app).delay("acme", "D-1").id  # the next address is tried


def test_the_time_limit_is_a_setting_that_holds_at_once(
    make_portal: MakePortal, broker: str, silent_port: SilentPort, settings: Any
) -> None:
    """Without it the limit is 3 s."""
    app, _ = make_portal(broker, url=at_port(broker, silent_port()))
    for given, seconds in (({"PUBLISH_TIMEOUT_MS": 300}, 0.3), ({}, 3)):
        settings.DOC_PRIORITY = given
        begun = monotonic()
        with fails_within(seconds):
            process_of(app).delay("acme", "D-1")
    assert monotonic() - begun > 2 * 0.3


@pytest.mark.redis
def test_a_silent_broker(make_portal: MakePortal, broker: str, silent_port: SilentPort) -> None:
    port = silent_port()
    url = at_port(broker, port)
    # Calls that are not counted
    app, _ = make_portal(broker, url=url, result_backend=f"redis://127.0.0.1:{port}/0")
    for options in ({"priority": 7}, {"retries": 1}):
        with fails_within():
            process_of(app).apply_async(("acme", "D-1"), **options)
    assert not Counter.objects.exists()
    # Shaking hands takes waits of its own.
    name = "ssl_cert_reqs" if broker == "redis" else "cert_reqs"
    tls, _ = make_portal(broker, url=url.replace("://", "s://", 1), broker_use_ssl={name: 0})
    # Several addresses share the time, as do Sentinels, which are asked by clients of their own.
    urls = ";".join(at_port(broker, silent_port()) for _ in range(3))
    several, _ = make_portal(broker, url=urls)
    sentinels = ";".join(f"sentinel://127.0.0.1:{silent_port()}" for _ in range(3))
    options = {"master_name": "main"}
    guarded, _ = make_portal("other", url=sentinels, broker_transport_options=options)
    for portal in (tls, several, several, guarded):
        with fails_within():
            process_of(portal).delay("acme", "D-1")
    # Each answer of a slow broker comes in time, and all of them together do not.
    with proxy_of(broker, holds_back=0.3) as (url, _):
        app, _ = make_portal(broker)
        app.conf.broker_url = url
        with fails_within():
            process_of(app).delay("acme", "D-1")
    # Where only the Redis with the results hangs, the document goes out.
    app, _ = make_portal(broker, result_backend=f"redis://127.0.0.1:{port}/0")
    begun = monotonic()
    process_of(app).delay("acme", "D-1")
    assert monotonic() - begun < LIMIT + SLACK


def test_a_broker_that_stops_answering_and_comes_back(make_portal: MakePortal, broker: str) -> None:
    with proxy_of(broker) as (url, flowing):
        app, terms = make_portal(broker)
        app.conf.broker_url = url
        first = process_of(app).delay("acme", "D-1")
        flowing.clear()
        for _ in range(2):
            with fails_within():
                process_of(app).delay("acme", "D-2")
        with fails_within():
            group(process_of(app).s("acme", f"G-{number}") for number in range(3))()
        flowing.set()
        second = process_of(app).delay("acme", "D-2")
    assert second.id != first.id
    assert charged() == 3
    assert queued(terms) >= 2


def test_a_connection_that_was_lost_is_replaced(make_portal: MakePortal, broker: str) -> None:
    """Without the caller noticing, unless the portal wants no second attempt."""
    app, _ = make_portal(broker)
    once, _ = make_portal(broker, task_publish_retry=False)
    with proxy_of(broker) as (url, _):
        app.conf.broker_url = f"{url};{URLS[broker]}"
        once.conf.broker_url = url
        for portal in (app, once):
            process_of(portal).delay("acme", "D-1")
    process_of(app).delay("acme", "D-2")
    assert charged() == 2
    with fails_within():
        process_of(once).delay("acme", "D-2")
    # How many a portal keeps
    app, _ = make_portal(broker, broker_pool_limit=1)
    with Lease(app.send_task._outlets.current()), fails_within():
        process_of(app).delay("acme", "D-1")
    assert process_of(app).delay("acme", "D-1").id
    for pool_limit in (0, None):
        app, terms = make_portal(broker, broker_pool_limit=pool_limit)
        with Lease(app.send_task._outlets.current()) as producer:
            producer.publish({}, routing_key=terms.queue, declare=[app.amqp.default_queue])
            kept = producer.connection
            assert kept.connected
        assert not kept.connected
        assert process_of(app).delay("acme", "D-1").id


def send_canvas(app: Celery, kind: str) -> None:
    process, following = process_of(app), app.tasks["portal.next"]
    documents = group(process.s("acme", f"D-{number}") for number in range(2))
    if kind == "group":
        documents()
    elif kind == "chord":
        chord(documents)(following.s())
    else:
        chord([documents, process.s("acme", "D-3")])(following.s())


@pytest.mark.redis
def test_results_that_go_where_nobody_is(make_portal: MakePortal, silent_port: SilentPort) -> None:
    for canvas, port in product(("group", "chord", "nested"), (silent_port(), CLOSED_PORT)):
        url = f"redis://127.0.0.1:{port}/0"  # of the broker, too
        app, _ = make_portal("redis", url=url, result_backend=url)
        with fails_within():
            send_canvas(app, canvas)
    others = [("redis", "chord"), ("redis", "group"), ("rediss", "chord"), ("sentinel", "chord")]
    for scheme, canvas in others:
        app, _ = make_portal(
            "redis",
            result_backend=f"{scheme}://127.0.0.1:{silent_port()}/0",
            result_backend_transport_options={"master_name": "main"},
            redis_backend_use_ssl={"ssl_cert_reqs": 0} if scheme == "rediss" else None,
        )
        with fails_within(2 * LIMIT):  # one for a message, one for listening for its result
            send_canvas(app, canvas)


def test_a_worker_may_idle_for_longer(make_portal: MakePortal, broker: str) -> None:
    """Its connections are the usual ones, which wait for the next document for ever."""
    app, terms = make_portal(broker)
    with celery_worker(terms):
        process_of(app).delay("acme", "D-1")
        eventually(lambda: terms.begun(1))
        Event().wait(1)  # nothing happens for longer than the time limit
        process_of(app).delay("acme", "D-2")
        before, after = eventually(lambda: terms.begun(2))
    assert before["process"] == after["process"]


@pytest.mark.rabbitmq
def test_w026_a_silent_broker(make_app: MakeApp, told: Told, silent_port: SilentPort) -> None:
    for scheme in ("redis", "amqp"):
        with closing(make_app(f"{scheme}://127.0.0.1:{CLOSED_PORT}/0")) as app:
            found = told(check_broker)
            assert list(found) == ["W026"]
            assert "refused" in found["W026"]
            assert "0.8 s, for an answer" in found["W026"]
            app.conf.broker_url = f"{scheme}://127.0.0.1:{silent_port()}/0"
            assert "imed out" in told(check_broker)["W026"].replace("Timeout", "timed out")
    # A RabbitMQ that lets nobody in, or answers slowly
    address = RABBITMQ_URL.partition("@")[2].rstrip("/").removesuffix("/%2F")
    app = make_app(f"amqp://guest:wrong@{address}/")
    assert "ACCESS_REFUSED" in told(check_broker)["W026"]
    app.conf.broker_url = f"amqp://guest:guest@{address}/nowhere"
    assert "not allowed" in told(check_broker)["W026"].replace("NOT_ALLOWED", "not allowed")
    with proxy_of("rabbitmq", holds_back=0.3) as (url, _):
        app.conf.broker_url = url
        begun = monotonic()
        assert list(told(check_broker)) == ["W026"]
        assert monotonic() - begun < LIMIT + SLACK


def test_a_wait_ends_at_the_nearest_moment() -> None:
    now = monotonic()
    with until(now + 1), until(now + 3600):
        assert (wait(None) or 0) <= 1
    assert wait(None) is None
    with until(now - 1):
        assert wait(0) == 0  # what does not wait needs no time
        with pytest.raises(TimeoutError, match="is over"):
            wait(1)
    here, there = socket.socketpair()
    with here, there:
        silent = PatientSocket(here)
        silent.settimeout(60)
        for receive in (lambda: silent.recv(1), lambda: silent.recv_into(bytearray(1))):
            begun = monotonic()
            with until(begun + 0.05), pytest.raises(TimeoutError):
                receive()
            assert monotonic() - begun < 1
            assert silent.gettimeout() == 60


@pytest.mark.redis
def test_a_store_of_results_besides(make_portal: MakePortal) -> None:
    """It gives errors that are no connection's, and tries as Celery does without a limit."""
    store = RedisInTime(app=make_portal("redis")[0], url=REDIS_URL)

    class Buggy(list[str]):
        def __getitem__(self, place: Any) -> Any:
            raise RuntimeError("buggy")

    with pytest.raises(RuntimeError, match="buggy"):
        store.apply_chord(Buggy(), None)

    tried = []

    def fail_twice(key: str) -> str:
        tried.append(key)
        if len(tried) < 3:
            raise store.connection_errors[0]
        return key

    # A connection that was lost is replaced without the caller noticing.
    app, _ = make_portal("redis", result_backend=REDIS_URL)
    send_canvas(app, "chord")
    app.backend.client.connection_pool.disconnect()
    send_canvas(app, "chord")

    policy = {"max_retries": 5, "interval_start": 0, "interval_step": 0, "interval_max": 0}
    assert store.ensure(fail_twice, ("key",), **policy) == "key"
    assert tried == ["key"] * 3
