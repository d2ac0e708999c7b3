"""What `prioritize` adds to an app's configuration, in whichever order that comes to be."""

import logging
from contextlib import ExitStack
from itertools import product
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from celery import Celery
from django.test import override_settings
from kombu import Connection, Queue

from doc_priority.contrib.celery import prioritize, registry
from doc_priority.contrib.celery.broker_checks import NINE_LEVELS, check_broker
from doc_priority.exceptions import InvalidInput
from tests.contrib.celery.conftest import (
    MakeApp,
    MakePortal,
    Told,
    closing,
    process_document,
    queued,
)
from tests.contrib.workers import celery_worker, eventually
from tests.servers import RABBITMQ_URL

REDIS = "redis://127.0.0.1:6379/15"
DOCUMENTS = {"process": {"queue": "documents"}}


def prioritize_process(app: Celery) -> None:
    prioritize(app, "process", customer="customer")


@pytest.mark.parametrize("when", ["before", "after", "after it was read", "read again"])
def test_djangos_settings_are_completed_and_stay(make_app: MakeApp, when: str) -> None:
    """In whichever order they are read, other tasks are left alone."""

    def read(settings: Any, namespace: str | None = "CELERY") -> tuple[Celery, Any, Any]:
        app = make_app(prioritized=False)
        process = app.task(name="process", shared=False)(process_document)
        other = app.task(name="other", shared=False)(process_document)
        if when in {"before", "read again"}:
            prioritize_process(app)
        if when == "read again":
            app.conf.finalize()
        app.config_from_object(settings, namespace=namespace)
        if when == "after it was read":
            app.conf.finalize()
        if when.startswith("after"):
            prioritize_process(app)
        return app, process, other

    steps = list(range(10))
    annotations = {
        "process": {"rate_limit": "5/s"},
        "other": {"rate_limit": "7/s"},
        "*": {"ignore_result": True},
    }
    given = SimpleNamespace(
        CELERY_BROKER_URL=REDIS,
        CELERY_BROKER_TRANSPORT_OPTIONS={"visibility_timeout": 60},
        CELERY_TASK_ANNOTATIONS=annotations,
    )
    app, process, other = read(given)
    options = app.conf.broker_transport_options
    assert (options["visibility_timeout"], options["priority_steps"]) == (60, steps)
    assert app.conf.worker_prefetch_multiplier == 1
    assert (process.acks_late, process.reject_on_worker_lost) == (True, True)
    assert (process.rate_limit, other.rate_limit) == ("5/s", "7/s")
    assert (process.ignore_result, other.ignore_result) == (True, True)
    assert not other.acks_late
    assert not other.reject_on_worker_lost
    # Settings that say nothing
    app, process, other = read(SimpleNamespace(CELERY_BROKER_URL=REDIS))
    assert app.conf.worker_prefetch_multiplier == 1
    assert process.acks_late
    assert not other.acks_late
    # Those that stay
    for multiplier, late in product((0, 1, 8), (True, False)):
        given = SimpleNamespace(
            CELERY_BROKER_URL=REDIS,
            CELERY_WORKER_PREFETCH_MULTIPLIER=multiplier,
            CELERY_TASK_ACKS_LATE=late,
            CELERY_TASK_QUEUE_MAX_PRIORITY=20,
        )
        app, process, other = read(given)
        assert app.conf.worker_prefetch_multiplier == multiplier
        assert app.conf.task_acks_late is late
        assert (process.acks_late, other.acks_late) == (late, late)
        assert app.conf.task_queue_max_priority == 20
    with override_settings(CELERY_WORKER_PREFETCH_MULTIPLIER=4, CELERY_TASK_ACKS_LATE=True):
        app, _, other = read("django.conf:settings")
        assert app.conf.worker_prefetch_multiplier == 4
        assert other.acks_late is True
    old = SimpleNamespace(CELERYD_PREFETCH_MULTIPLIER=8, CELERY_ACKS_LATE=True)
    app, process, other = read(old, namespace=None)
    assert app.conf.worker_prefetch_multiplier == 8
    assert (process.acks_late, other.acks_late) == (True, True)


def test_nothing_is_read_too_early_and_what_the_portal_set_stays(make_app: MakeApp) -> None:
    app = make_app(prioritized=False)
    prioritize_process(app)
    assert not app.configured
    assert not app.finalized
    app = make_app(prioritized=False)
    app.conf.update(
        broker_transport_options={"priority_steps": [0, 5]},
        task_queue_max_priority=20,
        worker_prefetch_multiplier=3,
        task_acks_late=False,
        task_reject_on_worker_lost=False,
    )
    process = app.task(name="process", shared=False)(process_document)
    prioritize_process(app)
    assert app.conf.broker_transport_options["priority_steps"] == [0, 5]
    assert app.conf.task_queue_max_priority == 20
    assert app.conf.worker_prefetch_multiplier == 3
    assert (process.acks_late, process.reject_on_worker_lost) == (False, False)
    app = make_app(prioritized=False)  # what the task says stays, too
    options = {"acks_late": False, "reject_on_worker_lost": False}
    process = app.task(name="process", shared=False, **options)(process_document)
    prioritize_process(app)
    assert (process.acks_late, process.reject_on_worker_lost) == (False, False)


@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 1500})
@pytest.mark.parametrize("namespace", ["", "CELERY"])
def test_no_wait_is_longer_than_the_time_limit(make_app: MakeApp, namespace: str) -> None:
    """The portal's own values stay where they are stricter."""

    def conf_of(**given: Any) -> Any:
        app = make_app(prioritized=False)
        prioritize_process(app)
        if namespace:
            names = {f"{namespace}_{name.upper()}": value for name, value in given.items()}
            app.config_from_object(SimpleNamespace(**names), namespace=namespace)
        else:
            app.conf.update(given)
        return app.conf

    waits = ("socket_timeout", "socket_connect_timeout")
    for own, limit in ((None, 1.5), (60, 1.5), (0.5, 0.5)):
        conf = conf_of(
            broker_transport_options=dict.fromkeys(waits, own),
            broker_connection_timeout=own,
            redis_socket_timeout=own,
            redis_socket_connect_timeout=own,
        )
        assert [conf.broker_transport_options[name] for name in waits] == [limit, limit]
        assert conf.broker_connection_timeout == limit
        assert (conf.redis_socket_timeout, conf.redis_socket_connect_timeout) == (limit, limit)
    options = {"retry_on_timeout": True, "confirm_publish": False}
    conf = conf_of(broker_transport_options=options, task_publish_retry_policy={"max_retries": 9})
    assert conf.broker_transport_options["retry_on_timeout"] is False
    assert conf.broker_transport_options["confirm_publish"] is True
    assert conf.task_publish_retry
    assert conf.task_publish_retry_policy["max_retries"] == 1
    conf = conf_of(broker_url="redis://a;redis://b;redis://c;redis://d", task_publish_retry=False)
    assert not conf.task_publish_retry
    assert conf.task_publish_retry_policy["max_retries"] == 3  # each address is tried
    conf = conf_of(task_publish_retry_policy={"max_retries": 0})
    assert conf.task_publish_retry_policy["max_retries"] == 0
    with override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": "soon"}):  # as E017 says
        assert conf_of().broker_connection_timeout == 3


def test_something_else_than_a_name_is_refused(make_app: MakeApp) -> None:
    app = make_app(prioritized=False)
    process = app.task(name="process", shared=False)(process_document)
    for name in ("task", "customer", "document"):
        names = {"task": "process", "customer": "customer", "document": "", name: process}
        with pytest.raises(TypeError, match=f"{name}=<@task: process") as refused:
            prioritize(app, **names)
        assert ("process.name" in str(refused.value)) == (name == "task")
    with pytest.raises(TypeError, match=r"process\.name"):
        prioritize(app, print, customer="customer")
    for name in ("task", "customer"):
        with pytest.raises(InvalidInput, match=f"{name}=''"):
            prioritize(app, **{"task": "process", "customer": "customer", name: ""})
    assert registry.tasks_of(app) == {}


def maxima(app: Celery, *queues: str) -> list[Any]:
    return [
        (app.amqp.queues[queue].queue_arguments or {}).get("x-max-priority") for queue in queues
    ]


def test_only_the_queues_of_documents_have_levels_on_rabbitmq(make_app: MakeApp) -> None:
    routed = {"task_routes": DOCUMENTS}
    quorum = {"x-queue-type": "quorum"}
    all_quorum = {"task_default_queue_type": "quorum", "task_default_queue": "documents"}
    with_seven = Queue("documents", queue_arguments={"x-max-priority": 7})
    for conf, documents, default in [
        # However the route is written
        (routed, 10, None),
        ({"task_routes": {"proc*": "documents"}}, 10, None),
        ({"task_routes": {"process": {"queue": Queue("documents")}}}, 10, None),
        ({"task_routes": [lambda name, *_, **__: DOCUMENTS.get(name)]}, 10, None),
        ({}, None, 10),
        # Declared by the portal
        ({**routed, "task_queues": {"documents": {}, "celery": {}}}, 10, None),
        ({**routed, "task_queues": [Queue("documents", alias="docs")]}, 10, None),
        # A maximum of the portal's own
        ({**routed, "task_queues": [Queue("documents", max_priority=5)]}, 5, None),
        ({**routed, "task_queues": [with_seven]}, 7, None),
        ({"task_queue_max_priority": 20}, 20, 20),
        # Quorum queues refuse one.
        ({**routed, **all_quorum}, None, None),
        ({**routed, "task_create_missing_queue_type": "quorum"}, None, None),
        ({**routed, "task_queues": [Queue("documents", queue_arguments=quorum)]}, None, None),
        ({**routed, "task_queues": {"documents": {"queue_arguments": quorum}}}, None, None),
    ]:
        app = make_app("amqp://", prioritized=False, **conf)
        prioritize_process(app)
        queue = app.amqp.queues["documents"]
        found = queue.queue_arguments or {}
        assert found.get("x-max-priority", queue.max_priority) == documents, conf
        if documents is None and conf:
            assert found == quorum, conf
        assert maxima(app, "celery", "mail") == [default, default if default == 20 else None], conf


def test_queues_known_otherwise(make_app: MakeApp, caplog: pytest.LogCaptureFixture) -> None:
    app = make_app(prioritized=False)  # the task names it
    app.task(name="process", shared=False)(process_document).queue = "documents"
    prioritize_process(app)
    assert maxima(app, "documents", "celery") == [10, None]
    queues = [Queue("documents-2", alias="documents")]
    app = make_app(prioritized=False, task_queues=queues, task_routes=DOCUMENTS)
    prioritize_process(app)
    assert maxima(app, "documents-2") == [10]
    app = make_app(prioritized=False, task_routes=DOCUMENTS)
    assert maxima(app, "documents") == [None]  # asked for before
    prioritize_process(app)
    assert maxima(app, "documents") == [10]
    prioritize(app, "other", customer="customer")
    assert maxima(app, "celery") == [10]
    # A router that wants arguments
    app = make_app(prioritized=False)
    app.conf.task_routes = [lambda name, args, kwargs, options, **_: kwargs["region"]]
    with caplog.at_level(logging.WARNING, "doc_priority"):
        prioritize_process(app)
        assert maxima(app, "documents") == [None]
    assert "does not tell the queue of process without a call's arguments" in caplog.text
    for missing in (True, False):  # asking for one queue makes no other
        conf = {"task_routes": DOCUMENTS, "task_create_missing_queues": missing}
        app = make_app(prioritized=False, **conf)
        prioritize_process(app)
        assert list(app.amqp.queues) == ["celery"]


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
def test_an_old_queue_without_levels(
    make_portal: MakePortal, make_app: MakeApp, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    """It keeps working for other tasks; for documents, and where all get levels, it is told."""
    old_queue = f"doc_priority_test_{uuid4().hex}"
    with Connection(RABBITMQ_URL) as broker, broker.channel() as channel, ExitStack() as stack:
        channel.queue_declare(old_queue, durable=True, auto_delete=False)
        stack.callback(channel.exchange_delete, old_queue)
        stack.callback(channel.queue_delete, old_queue)

        routes = {"portal.process": {"queue": uuid4().hex}}
        given = {"task_default_queue": uuid4().hex, "task_routes": routes}
        for more, expected in (({}, []), ({"task_queue_max_priority": 10}, ["E028"])):
            with closing(make_app(RABBITMQ_URL, **given, **more)) as app:
                mail = app.task(name="portal.mail", shared=False)(process_document)
                mail.queue = old_queue
                found = told(check_broker)
            assert list(found) == expected
        assert f"the queue {old_queue!r} exists" in found["E028"]

        app, terms = make_portal("rabbitmq", task_routes={"portal.next": {"queue": old_queue}})
        app.tasks["portal.next"].delay("mail")
        app.tasks["portal.process"].delay("acme", "D-1")
        with celery_worker(terms, "-Q", f"{terms.queue},{old_queue}", "--pool=solo"):
            begun = eventually(lambda: terms.begun(2))
        assert {line["document"] for line in begun} == {"mail", "D-1"}

        app, _ = make_portal("rabbitmq")
        with caplog.at_level(logging.WARNING, "doc_priority"):
            for number in range(2):
                app.tasks["portal.process"].apply_async(("acme", f"D-{number}"), queue=old_queue)
        (record,) = [one for one in caplog.records if one.name.startswith("doc_priority")]
        assert repr(old_queue) in record.getMessage()


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_a_document_reaches_a_quorum_queue(make_portal: MakePortal, told: Told) -> None:
    app, terms = make_portal("rabbitmq", task_default_queue_type="quorum")
    for number in range(2):
        app.tasks["portal.process"].delay("acme", f"D-{number}")
    assert queued(terms) == 2
    (queue,) = app.amqp.queues.values()
    assert queue.queue_arguments == {"x-queue-type": "quorum"}
    with Connection(RABBITMQ_URL) as broker:
        broker.connect()
        version = ".".join(broker.connection.server_properties["version"].split(".")[:2])
    if tuple(map(int, version.split("."))) < NINE_LEVELS:
        assert f"a quorum queue of RabbitMQ {version} " in told(check_broker)["E029"]
    else:
        assert told(check_broker) == {}
