"""Whoever sends a document to a broker that is down or hangs is told so after three waits."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from select import select
from threading import Event, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from celery import Celery, group
from kombu.exceptions import OperationalError

from doc_priority.contrib.celery.broker_checks import check_broker
from doc_priority.models import Counter
from tests.contrib.celery.conftest import MakeApp, MakePortal, Told, closing, queued
from tests.contrib.workers import celery_worker, charged, eventually
from tests.servers import RABBITMQ_URL, REDIS_URL

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("limited")]

WAIT = 0.4
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
    settings.DOC_PRIORITY = {"PUBLISH_TIMEOUT_MS": int(WAIT * 1000)}


@contextmanager
def fails_within(waits: float = 3) -> Iterator[None]:
    begun = monotonic()
    with pytest.raises(OperationalError):
        yield
    assert monotonic() - begun < waits * WAIT + SLACK


@pytest.fixture
def silent_port() -> Iterator[SilentPort]:
    """Opens the port of a broker that takes connections and says nothing."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]


@contextmanager
def proxy_of(broker: str) -> Iterator[tuple[str, Event]]:
    """An address that passes everything on while the event is set."""
    address = urlsplit(URLS[broker])
    server = (str(address.hostname), address.port or {"redis": 6379, "rabbitmq": 5672}[broker])
    flowing, over = Event(), Event()
    flowing.set()

    def accept_all() -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                client, _ = listener.accept()
                threads.append(Thread(target=pass_on, args=(client, server, flowing, over)))
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


def pass_on(client: socket.socket, address: Any, flowing: Event, over: Event) -> None:
    with client, socket.create_connection(address) as server:
        while not over.is_set():
            ready, _, _ = select([client, server], [], [], 0.05)
            flowing.wait()
            for source in ready:
                with suppress(OSError):  # the client may have given up meanwhile
                    if not (message := source.recv(65_536)):
                        return
                    (server if source is client else client).sendall(message)


def test_a_refused_port(make_portal: MakePortal, broker: str) -> None:
    app, _ = make_portal(broker, url=at_port(broker, CLOSED_PORT))
    for _ in range(3):
        with fails_within(1):
            process_of(app).delay("acme", "D-1")
    assert charged() == 1
    app, terms = make_portal(broker)
    app.conf.broker_url = f"{at_port(broker, CLOSED_PORT)};{terms.broker}"
    assert process_of(app).delay("acme", "D-1").id  # the next address is tried


@pytest.mark.parametrize("retry", [True, False])
def test_a_broker_that_never_answers(
    make_portal: MakePortal, broker: str, silent_port: SilentPort, retry: bool
) -> None:
    url = at_port(broker, silent_port())
    app, _ = make_portal(broker, url=url, task_publish_retry=retry)
    for options in ({"priority": 7}, {"retries": 1}):  # they are not counted
        with fails_within():
            process_of(app).apply_async(("acme", "D-1"), **options)
    assert not Counter.objects.exists()
    for _ in range(2):
        with fails_within():
            process_of(app).delay("acme", "D-1")
    with fails_within():
        group(process_of(app).s("acme", f"G-{number}") for number in range(3))()
    assert charged() == 2
    # Of several addresses each is tried.
    urls = f"{url};{at_port(broker, silent_port())};{URLS[broker]}"
    app, _ = make_portal(broker, url=urls, task_publish_retry=retry)
    process_of(app).delay("acme", "D-1")
    assert charged() == 2


@pytest.mark.redis
def test_silent_sentinels(make_portal: MakePortal, silent_port: SilentPort) -> None:
    """Each is asked once."""
    urls = ";".join(f"sentinel://127.0.0.1:{silent_port()}" for _ in range(3))
    app, _ = make_portal("other", url=urls, broker_transport_options={"master_name": "main"})
    with fails_within():
        process_of(app).delay("acme", "D-1")


@pytest.mark.parametrize("retry", [True, False])
def test_a_broker_that_freezes_and_comes_back(
    make_portal: MakePortal, broker: str, retry: bool
) -> None:
    with proxy_of(broker) as (url, flowing):
        app, terms = make_portal(broker, task_publish_retry=retry)
        app.conf.broker_url = url
        first = process_of(app).delay("acme", "D-1")
        flowing.clear()
        for _ in range(3):
            with fails_within():
                process_of(app).delay("acme", "D-2")
        flowing.set()
        second = process_of(app).delay("acme", "D-2")
        # Also where it must answer something else first: whether a new queue is there
        flowing.clear()
        with fails_within():
            process_of(app).apply_async(("acme", "D-3"), queue=f"{terms.queue}_new")
        with fails_within():
            group(process_of(app).s("acme", f"G-{number}") for number in range(3))()
        flowing.set()
        process_of(app).delay("acme", "D-3")
    assert second.id != first.id
    assert charged() == 4
    assert queued(terms) >= 3


@pytest.mark.redis
@pytest.mark.parametrize("with_results", [True, False])
def test_a_stopped_redis(make_portal: MakePortal, tmp_path: Path, with_results: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    server = ["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    url = f"redis://127.0.0.1:{port}/0"
    process = subprocess.Popen(server, stdout=subprocess.DEVNULL)
    try:
        with redis.Redis.from_url(url) as client:
            eventually(lambda: answers(client))
            app, _ = make_portal("redis", url=url, result_backend=url if with_results else None)
            process_of(app).delay("acme", "D-1")
            os.kill(process.pid, signal.SIGSTOP)
            for _ in range(2):
                with fails_within():
                    process_of(app).delay("acme", "D-2")
            os.kill(process.pid, signal.SIGCONT)
            process_of(app).delay("acme", "D-2")
            assert charged() == 2
            lists = client.scan_iter("doc_priority_test_*", _type="LIST")
            assert sum(client.llen(one) for one in lists) >= 2
    finally:
        process.kill()
        process.wait()


def answers(client: Any) -> bool:
    with suppress(redis.ConnectionError):
        return bool(client.ping())
    return False


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


@pytest.mark.parametrize("limit", [1, 0, None])
def test_a_pool_of_any_size(make_portal: MakePortal, broker: str, limit: int | None) -> None:
    app, terms = make_portal(broker, broker_pool_limit=limit)
    for number in range(3):
        process_of(app).delay("acme", f"D-{number}")
    assert queued(terms) == 3


def test_a_worker_may_idle_for_longer(make_portal: MakePortal, broker: str) -> None:
    """The limit is of its connections, too, and it waits for the next document for ever."""
    app, terms = make_portal(broker)
    with celery_worker(terms):
        process_of(app).delay("acme", "D-1")
        eventually(lambda: terms.begun(1))
        Event().wait(4 * WAIT)
        process_of(app).delay("acme", "D-2")
        before, after = eventually(lambda: terms.begun(2))
    assert before["process"] == after["process"]


@pytest.mark.rabbitmq
@pytest.mark.usefixtures("refused")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_w026_a_silent_broker(make_app: MakeApp, told: Told, silent_port: SilentPort) -> None:
    for scheme in ("redis", "amqp"):
        with closing(make_app(f"{scheme}://127.0.0.1:{CLOSED_PORT}/0")):
            found = told(check_broker)
            assert list(found) == ["W026"]
            assert "refused" in found["W026"]
            assert "0.4 s, for an answer" in found["W026"]
        with closing(make_app(f"{scheme}://127.0.0.1:{silent_port()}/0")):
            assert "imed out" in told(check_broker)["W026"].replace("Timeout", "timed out")
    # A RabbitMQ that lets nobody in
    address = RABBITMQ_URL.partition("@")[2].rstrip("/").removesuffix("/%2F")
    app = make_app(f"amqp://guest:wrong@{address}/")
    assert "ACCESS_REFUSED" in told(check_broker)["W026"]
    app.conf.broker_url = f"amqp://guest:guest@{address}/nowhere"
    assert "not allowed" in told(check_broker)["W026"].replace("NOT_ALLOWED", "not allowed")
