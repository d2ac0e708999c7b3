"""What `prioritize` adds to an app's configuration, in whichever order that comes to be."""

import logging
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from celery import Celery
from django.test import override_settings
from kombu import Connection, Queue

from doc_priority.contrib.celery import prioritize, prioritized
from doc_priority.contrib.celery.checks import check_broker, live
from doc_priority.exceptions import InvalidInput
from tests.contrib.celery.conftest import MakeApp, MakePortal, Told, closing, process_document
from tests.contrib.celery.portal import Terms
from tests.contrib.workers import celery_worker, eventually
from tests.servers import RABBITMQ_URL

REDIS = "redis://127.0.0.1:6379/15"
STEPS = list(range(10))

FromSettings = Callable[..., tuple[Celery, Any, Any]]


def prioritize_process(app: Celery) -> None:
    prioritize(app, "process", customer="customer")


@pytest.fixture
def app(make_app: MakeApp) -> Celery:
    return make_app(prioritized=False)


@pytest.fixture(params=["before", "after", "after it was read", "read again"])
def from_settings(request: pytest.FixtureRequest, app: Celery) -> FromSettings:
    """Reads settings in Django's way before or after `prioritize`, with two tasks."""
    process = app.task(name="process", shared=False)(process_document)
    other = app.task(name="other", shared=False)(process_document)

    def read(settings: Any, namespace: str | None = "CELERY") -> tuple[Celery, Any, Any]:
        if request.param in {"before", "read again"}:
            prioritize_process(app)
        if request.param == "read again":
            app.conf.finalize()
        app.config_from_object(settings, namespace=namespace)
        if request.param == "after it was read":
            app.conf.finalize()
        if request.param.startswith("after"):
            prioritize_process(app)
        return app, process, other

    return read


def test_settings_are_completed(from_settings: FromSettings) -> None:
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
    app, process, other = from_settings(given)
    assert app.conf.broker_transport_options == {"visibility_timeout": 60, "priority_steps": STEPS}
    assert app.conf.worker_prefetch_multiplier == 1
    assert (process.acks_late, process.reject_on_worker_lost) == (True, True)
    assert (process.rate_limit, other.rate_limit) == ("5/s", "7/s")
    assert (process.ignore_result, other.ignore_result) == (True, True)
    assert not other.acks_late
    assert not other.reject_on_worker_lost


def test_settings_that_say_nothing_are_completed(from_settings: FromSettings) -> None:
    app, process, other = from_settings(SimpleNamespace(CELERY_BROKER_URL=REDIS))
    assert app.conf.worker_prefetch_multiplier == 1
    assert process.acks_late
    assert not other.acks_late


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("multiplier", [0, 1, 8])
def test_djangos_settings_stay(from_settings: FromSettings, multiplier: int, late: bool) -> None:
    given = SimpleNamespace(
        CELERY_BROKER_URL=REDIS,
        CELERY_WORKER_PREFETCH_MULTIPLIER=multiplier,
        CELERY_TASK_ACKS_LATE=late,
        CELERY_TASK_QUEUE_MAX_PRIORITY=20,
    )
    app, process, other = from_settings(given)
    assert app.conf.worker_prefetch_multiplier == multiplier
    assert app.conf.task_acks_late is late
    assert (process.acks_late, other.acks_late) == (late, late)
    assert app.conf.task_queue_max_priority == 20


@override_settings(CELERY_WORKER_PREFETCH_MULTIPLIER=4, CELERY_TASK_ACKS_LATE=True)
def test_djangos_own_settings_object_stays(from_settings: FromSettings) -> None:
    app, _, other = from_settings("django.conf:settings")
    assert app.conf.worker_prefetch_multiplier == 4
    assert other.acks_late is True


def test_settings_of_the_old_names_stay(from_settings: FromSettings) -> None:
    old = SimpleNamespace(CELERYD_PREFETCH_MULTIPLIER=8, CELERY_ACKS_LATE=True)
    app, process, other = from_settings(old, namespace=None)
    assert app.conf.worker_prefetch_multiplier == 8
    assert (process.acks_late, other.acks_late) == (True, True)


def test_nothing_is_read_too_early(app: Celery) -> None:
    prioritize_process(app)
    assert not app.configured
    assert not app.finalized


def test_what_the_portal_set_stays(app: Celery, make_app: MakeApp) -> None:
    app.conf.update(
        broker_transport_options={"priority_steps": [0, 5]},
        task_queue_max_priority=20,
        worker_prefetch_multiplier=3,
        task_acks_late=False,
        task_reject_on_worker_lost=False,
    )
    process = app.task(name="process", shared=False)(process_document)
    prioritize_process(app)
    assert app.conf.broker_transport_options == {"priority_steps": [0, 5]}
    assert app.conf.task_queue_max_priority == 20
    assert app.conf.worker_prefetch_multiplier == 3
    assert (process.acks_late, process.reject_on_worker_lost) == (False, False)
    app = make_app(prioritized=False)  # what the task says stays, too
    options = {"acks_late": False, "reject_on_worker_lost": False}
    process = app.task(name="process", shared=False, **options)(process_document)
    prioritize_process(app)
    assert (process.acks_late, process.reject_on_worker_lost) == (False, False)


def test_something_else_than_a_name_is_refused(app: Celery) -> None:
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
    assert prioritized.tasks_of(app) == {}


DOCUMENTS = {"process": {"queue": "documents"}}


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


def test_queues_that_are_known_otherwise(make_app: MakeApp) -> None:
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


def test_asking_for_one_queue_makes_no_other(make_app: MakeApp) -> None:
    for missing in (True, False):
        conf = {"task_routes": DOCUMENTS, "task_create_missing_queues": missing}
        app = make_app(prioritized=False, **conf)
        prioritize_process(app)
        assert list(app.amqp.queues) == ["celery"]


def test_a_router_that_wants_arguments(app: Celery, caplog: pytest.LogCaptureFixture) -> None:
    app.conf.task_routes = [lambda name, args, kwargs, options, **_: kwargs["region"]]
    with caplog.at_level(logging.WARNING, "doc_priority"):
        prioritize_process(app)
        assert maxima(app, "documents") == [None]
    assert "does not tell the queue of process without a call's arguments" in caplog.text


@pytest.fixture
def old_queue() -> Iterator[str]:
    """One that exists without levels."""
    name = f"doc_priority_test_{uuid4().hex}"
    with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
        channel.queue_declare(name, durable=True, auto_delete=False)
        yield name
        channel.queue_delete(name)
        channel.exchange_delete(name)


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
def test_an_old_queue_of_other_tasks_keeps_working(make_portal: MakePortal, old_queue: str) -> None:
    app, terms = make_portal("rabbitmq", task_routes={"portal.next": {"queue": old_queue}})
    app.tasks["portal.next"].delay("mail")
    app.tasks["portal.process"].delay("acme", "D-1")
    with celery_worker(terms, "-Q", f"{terms.queue},{old_queue}", "--pool=solo"):
        begun = eventually(lambda: terms.begun(2))
    assert {line["document"] for line in begun} == {"mail", "D-1"}


@pytest.mark.rabbitmq
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_e028_an_old_queue_where_all_queues_get_levels(
    make_app: MakeApp, told: Told, old_queue: str
) -> None:
    routes = {"portal.process": {"queue": uuid4().hex}}
    given = {"task_default_queue": uuid4().hex, "task_routes": routes}
    for more, expected in (({}, []), ({"task_queue_max_priority": 10}, ["E028"])):
        with closing(make_app(RABBITMQ_URL, **given, **more)) as app:
            mail = app.task(name="portal.mail", shared=False)(process_document)
            mail.queue = old_queue
            found = told(check_broker)
        assert list(found) == expected
    assert f"the queue {old_queue!r} exists" in found["E028"]


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
def test_a_document_in_a_queue_without_levels_is_told_once(
    make_portal: MakePortal, old_queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    app, _ = make_portal("rabbitmq")
    with caplog.at_level(logging.WARNING, "doc_priority"):
        for number in range(2):
            app.tasks["portal.process"].apply_async(("acme", f"D-{number}"), queue=old_queue)
    (record,) = [one for one in caplog.records if one.name.startswith("doc_priority")]
    assert repr(old_queue) in record.getMessage()


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
@override_settings(DOC_PRIORITY={"PUBLISH_TIMEOUT_MS": 500})
def test_a_document_reaches_a_quorum_queue(
    make_portal: MakePortal, told: Told, published: Callable[[Terms], int]
) -> None:
    app, terms = make_portal("rabbitmq", task_default_queue_type="quorum")
    for number in range(2):
        app.tasks["portal.process"].delay("acme", f"D-{number}")
    assert published(terms) == 2
    (queue,) = app.amqp.queues.values()
    assert queue.queue_arguments == {"x-queue-type": "quorum"}
    with Connection(RABBITMQ_URL) as broker:
        broker.connect()
        version = ".".join(broker.connection.server_properties["version"].split(".")[:2])
    if tuple(map(int, version.split("."))) < live.NINE_LEVELS:
        assert f"a quorum queue of RabbitMQ {version} " in told(check_broker)["E029"]
    else:
        assert told(check_broker) == {}
