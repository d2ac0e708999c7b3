"""What the checks say that ask the broker and the workers that listen there."""

from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings
from kombu import Connection

from doc_priority.contrib.celery import prioritized
from doc_priority.contrib.celery.checks import check_broker
from tests.contrib.celery.conftest import MakeApp, MakePortal, Told, closing
from tests.contrib.workers import celery_worker, eventually
from tests.servers import RABBITMQ_URL, REDIS_URL

TEN = list(range(10))


@pytest.mark.rabbitmq
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_e028_a_queue_that_exists_otherwise(make_app: MakeApp, told: Told) -> None:
    queue = f"doc_priority_test_{uuid4().hex}"
    make_app(RABBITMQ_URL, task_default_queue=queue)
    with Connection(RABBITMQ_URL) as connection, connection.channel() as channel:
        assert told(check_broker) == {}  # and makes no queue
        levels = {"x-max-priority": 10}
        for arguments, number in ((None, "E028"), (levels, None)):
            channel.queue_declare(queue, durable=True, auto_delete=False, arguments=arguments)
            try:
                found = told(check_broker)
            finally:
                channel.queue_delete(queue)
            assert list(found) == ([number] if number else [])
            said = f"{queue!r} exists with other arguments than {levels}"
            assert not number or said in found["E028"]


@pytest.mark.rabbitmq
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_e029_quorum_queues_of_an_old_server(
    make_app: MakeApp, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server here is of one version, so the others are told in its place."""
    make_app(RABBITMQ_URL, task_default_queue_type="quorum", task_default_queue=uuid4().hex)
    for version, said in [
        ("3.10.8", "3.10 has no priorities"),
        ("4.0.5", "4.0 merges the nine levels into two"),
        ("4.2.0", "4.2 merges"),
        ("4.3.0", ""),
    ]:
        properties = property(
            lambda self, version=version: {"version": version}, lambda self, given: None
        )
        monkeypatch.setattr("amqp.Connection.server_properties", properties, raising=False)
        found = told(check_broker)
        assert list(found) == (["E029"] if said else [])
        assert said in found.get("E029", "")


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 5000})
def test_e027_and_w027_live_workers(make_portal: MakePortal, make_app: MakeApp, told: Told) -> None:
    """Each has a queue and lists of its own, and they begin side by side."""
    in_django, ten = {"namespace": "CELERY"}, {"visibility_timeout": 60, "priority_steps": TEN}
    cases: list[tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = [
        # The ten steps, which prioritize() puts in or the portal wrote down
        (in_django, {}, {}),
        (
            {**in_django, "worker_prefetch_multiplier": 3, "worker_disable_prefetch": True},
            ten,
            {},
        ),
        ({"worker_prefetch_multiplier": 0}, {}, {"W027": "fetches all tasks there are"}),
        # Others, and Celery's four, which nobody wrote down
        (
            {"worker_prefetch_multiplier": 3},
            {"priority_steps": [0, 1, 9]},
            {"E027": "has [0, 1, 9] at the same broker", "W027": "fetches 3 tasks for its 1 p"},
        ),
        (
            {**in_django, "prioritized": False},
            {},
            {"E027": "has [0, 3, 6, 9] at the same broker", "W027": "fetches 4 tasks for its 1 p"},
        ),
    ]
    with ExitStack() as stack:
        portals = []
        for conf, steps, _ in cases:
            app, terms = make_portal(
                "redis", worker_enable_remote_control=True, broker_transport_options=steps, **conf
            )
            app.tasks["portal.process"].apply_async(("acme", "D"), priority=0)
            prioritized.forget(app)
            stack.enter_context(celery_worker(terms))
            portals.append(terms)
        for terms, (conf, steps, expected) in zip(portals, cases, strict=True):
            options = {"global_keyprefix": f"{terms.queue}:"}
            ours = {"task_default_queue": terms.queue, "broker_transport_options": options}
            eventually(lambda terms=terms: terms.begun(1))
            with closing(make_app(REDIS_URL, **ours)):
                found = told(check_broker)
            assert list(found) == list(expected), (conf, steps)
            for number, said in expected.items():
                assert "the worker celery@" in found[number]
                assert said in found[number]


@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
def test_w019_no_live_worker_reads_the_documents_queue(make_portal: MakePortal, told: Told) -> None:
    app, terms = make_portal(
        "redis", worker_enable_remote_control=True, task_routes={"portal.process": "documents"}
    )
    assert told(check_broker) == {}  # workers may be started later
    with celery_worker(terms):
        app.tasks["portal.uncounted"].apply_async(("acme",), priority=1)
        eventually(lambda: terms.begun(1))
        found = told(check_broker)
    assert list(found) == ["W019"]
    assert "no worker that answers reads the queue 'documents'" in found["W019"]
    assert "-Q documents" in found["W019"]
