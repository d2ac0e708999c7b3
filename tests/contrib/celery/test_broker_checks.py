"""What the checks say that ask the broker and the workers that listen there."""

import time
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from celery import Celery
from django.test import override_settings
from kombu import Connection

from doc_priority.contrib.celery import prioritize, prioritized
from doc_priority.contrib.celery.checks import check_broker, live
from tests.servers import RABBITMQ_URL, REDIS_URL
from tests.contrib.celery.checked import TEN, MakeApp, only
from tests.contrib.celery.closing import closing
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.freezing import FreezingProxy, free_port, never_answering
from tests.contrib.celery.workers import lines_once, worker


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 300})
def test_w026_an_unreachable_broker(make_app: MakeApp, scheme: str) -> None:
    make_app(f"{scheme}://127.0.0.1:{free_port()}/0")
    message = only(check_broker(), "W026")
    assert "refused" in message.msg
    assert "0.3 s, for an answer" in str(message.hint)


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 300})
def test_w026_a_broker_that_hangs(make_app: MakeApp, scheme: str) -> None:
    with never_answering() as port:
        make_app(f"{scheme}://127.0.0.1:{port}/0")
        assert "imed out" in only(check_broker(), "W026").msg.replace("Timeout", "timed out")


@pytest.mark.rabbitmq
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1000})
def test_w026_a_broker_that_answers_slowly(make_app: MakeApp) -> None:
    """Each answer comes in time, and all of them together do not."""
    parts = urlsplit(RABBITMQ_URL)
    with FreezingProxy((str(parts.hostname), parts.port or 5672), holds_back=0.3) as proxy:
        make_app(f"amqp://guest:guest@127.0.0.1:{proxy.port}//")
        begun = time.monotonic()
        only(check_broker(), "W026")
        assert time.monotonic() - begun < 2


@pytest.mark.rabbitmq
@pytest.mark.parametrize(
    ("user", "host", "shown"),
    [("guest:wrong", "", "ACCESS_REFUSED"), ("guest:guest", "nowhere", "NOT_ALLOWED")],
)
def test_w026_a_broker_that_lets_nobody_in(
    make_app: MakeApp, user: str, host: str, shown: str
) -> None:
    make_app(f"amqp://{user}@{RABBITMQ_URL.partition('@')[2].rstrip('/')}/{host}")
    assert shown in only(check_broker(), "W026").msg.replace("not allowed", "NOT_ALLOWED")


@pytest.mark.rabbitmq
def test_e028_a_queue_that_exists_otherwise(make_app: MakeApp) -> None:
    queue = f"doc_priority_test_{uuid4().hex}"
    make_app(RABBITMQ_URL, task_default_queue=queue)
    with Connection(RABBITMQ_URL) as connection, connection.channel() as channel:
        assert check_broker() == []  # and makes no queue
        try:
            channel.queue_declare(queue, durable=True, auto_delete=False)
            message = only(check_broker(), "E028")
        finally:
            channel.queue_delete(queue)
        assert f"{queue!r} exists with other arguments than {{'x-max-priority': 10}}" in message.msg
        channel.queue_declare(
            queue, durable=True, auto_delete=False, arguments={"x-max-priority": 10}
        )
        try:
            assert check_broker() == []
        finally:
            channel.queue_delete(queue)


@pytest.mark.rabbitmq
@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ("3.10.8", "3.10 has no priorities"),
        ("4.0.5", "4.0 merges the nine levels into two"),
        ("4.2.0", "4.2 merges"),
        ("4.3.0", ""),
    ],
)
def test_e029_quorum_queues_of_an_old_server(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, version: str, shown: str
) -> None:
    """The server here is of one version, so the others are told in its place."""
    monkeypatch.setattr(
        "amqp.Connection.server_properties",
        property(lambda self: {"version": version}, _ignored),
        raising=False,
    )
    make_app(RABBITMQ_URL, task_default_queue_type="quorum", task_default_queue=uuid4().hex)
    if shown:
        assert shown in only(check_broker(), "E029").msg
    else:
        assert check_broker() == []


def _ignored(connection: Any, properties: Any) -> None:
    """What the server says of itself."""


def test_nine_levels_begin_with_4_3() -> None:
    assert live.NINE_LEVELS == (4, 3)


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
def test_e027_live_workers(make_portal: MakePortal) -> None:
    steps = {"broker_transport_options": {"priority_steps": [0, 1, 9]}}
    theirs, terms = make_portal("redis", worker_enable_remote_control=True, **steps)
    ours = Celery("ours", broker=REDIS_URL, set_as_current=False)
    ours.conf.task_default_queue = terms.queue
    ours.conf.broker_transport_options = {
        "global_keyprefix": theirs.conf.broker_transport_options["global_keyprefix"]
    }
    with worker(terms), closing(ours):
        theirs.tasks["portal.process"].apply_async(("acme", "D"), priority=1)
        lines_once(terms, 1)
        prioritized.forget(theirs)
        prioritize(ours, "portal.process", customer="customer")
        found = check_broker()
    message = only(found, "E027")
    assert "and the worker celery@" in message.msg
    assert "has [0, 1, 9] at the same broker" in message.msg


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
@pytest.mark.parametrize("namespace", ["", "CELERY"])
@pytest.mark.parametrize("steps", [{}, {"priority_steps": TEN}])
def test_live_workers_that_have_the_ten_steps(
    make_portal: MakePortal, namespace: str, steps: dict[str, Any]
) -> None:
    """Whether the portal wrote them down or not, and by whichever name."""
    app, terms = make_portal(
        "redis",
        namespace=namespace,
        worker_enable_remote_control=True,
        broker_transport_options={"visibility_timeout": 3600, **steps},
    )
    with worker(terms):
        app.tasks["portal.process"].apply_async(("acme", "D"), priority=1)
        lines_once(terms, 1)
        assert check_broker() == []


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
@pytest.mark.parametrize("namespace", ["", "CELERY"])
def test_e027_a_live_worker_without_prioritize(make_portal: MakePortal, namespace: str) -> None:
    """It has Celery's four lists, which nobody wrote down."""
    theirs, terms = make_portal(
        "redis", prioritized=False, namespace=namespace, worker_enable_remote_control=True
    )
    ours = Celery("ours", broker=REDIS_URL, set_as_current=False)
    ours.conf.task_default_queue = terms.queue
    ours.conf.broker_transport_options = theirs.conf.broker_transport_options
    prioritize(ours, "portal.process", customer="customer")
    with worker(terms), closing(ours):
        theirs.tasks["portal.process"].apply_async(("acme", "D"), priority=0)
        lines_once(terms, 1)
        lists, prefetch = check_broker()
    assert (lists.id, prefetch.id) == ("doc_priority.E027", "doc_priority.W027")
    assert "and the worker celery@" in lists.msg
    assert "has [0, 3, 6, 9] at the same broker" in lists.msg


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
def test_w019_no_live_worker_reads_the_documents_queue(make_portal: MakePortal) -> None:
    app, terms = make_portal(
        "redis", worker_enable_remote_control=True, task_routes={"portal.process": "documents"}
    )
    assert check_broker() == []  # workers may be started later
    with worker(terms):
        app.tasks["portal.uncounted"].apply_async(("acme",), priority=1)
        lines_once(terms, 1)
        message = only(check_broker(), "W019")
    assert "no worker that answers reads the queue 'documents'" in message.msg
    assert "-Q documents" in str(message.hint)


LIVE_WORKERS = [
    pytest.param({"worker_prefetch_multiplier": 3}, "fetches 3 tasks for its 1 processes", id="3"),
    pytest.param({"worker_prefetch_multiplier": 0}, "fetches all tasks there are", id="all"),
    pytest.param({}, "", id="1"),
    pytest.param(
        {"worker_prefetch_multiplier": 3, "worker_disable_prefetch": True}, "", id="disabled"
    ),
    pytest.param(
        {
            "namespace": "CELERY",
            "worker_prefetch_multiplier": 3,
            "worker_disable_prefetch": True,
        },
        "",
        id="disabled in Django's settings",
    ),
]


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
@pytest.mark.parametrize(("conf", "shown"), LIVE_WORKERS)
def test_w027_a_live_worker_that_fetches_more(
    make_portal: MakePortal, conf: dict[str, Any], shown: str
) -> None:
    app, terms = make_portal("redis", worker_enable_remote_control=True, **conf)
    with worker(terms):
        app.tasks["portal.process"].apply_async(("acme", "D"), priority=1)
        lines_once(terms, 1)
        found = check_broker()
    if shown:
        assert shown in only(found, "W027").msg
    else:
        assert found == []
