"""Which queues have levels on RabbitMQ: those of prioritised tasks, and no others."""

import logging
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from celery import Celery
from kombu import Connection, Queue

from doc_priority.contrib.celery import prioritize
from doc_priority.contrib.celery.checks import check_broker, check_configuration, live
from tests.servers import RABBITMQ_URL
from tests.contrib.celery.checked import RABBITMQ, MakeApp, nothing, only, process
from tests.contrib.celery.closing import closing
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.portal import Terms
from tests.contrib.celery.workers import lines_once, worker

TEN = {"x-max-priority": 10}


@pytest.fixture
def app() -> Iterator[Celery]:
    with closing(Celery("queues", broker=RABBITMQ, set_as_current=False)) as made:
        yield made


def prioritize_process(app: Celery) -> None:
    prioritize(app, "process", customer="customer", document="document")


def arguments(app: Celery, queue: str) -> Any:
    return app.amqp.queues[queue].queue_arguments


ROUTES = [
    {"process": {"queue": "documents"}},
    {"proc*": "documents"},
    {"process": {"queue": Queue("documents")}},
    [lambda name, *args, **kwargs: "documents" if name == "process" else None],
]


@pytest.mark.parametrize("routes", ROUTES)
def test_only_the_documents_queue_gets_a_maximum(app: Celery, routes: Any) -> None:
    app.conf.task_routes = routes
    prioritize_process(app)
    assert arguments(app, "documents") == TEN
    assert [arguments(app, name) for name in ("celery", "mail")] == [None, None]


def test_the_default_queue_where_documents_go_there(app: Celery) -> None:
    prioritize_process(app)
    assert arguments(app, "celery") == TEN
    assert arguments(app, "mail") is None


def test_a_queue_that_the_task_names(app: Celery) -> None:
    app.task(name="process", shared=False)(process)
    app.tasks["process"].queue = "documents"
    prioritize_process(app)
    assert arguments(app, "documents") == TEN
    assert arguments(app, "celery") is None


def test_asking_for_one_queue_makes_no_other(app: Celery) -> None:
    app.conf.task_routes = ROUTES[0]
    prioritize_process(app)
    assert list(app.amqp.queues) == ["celery"]


@pytest.mark.parametrize("declared", [{"documents": {}}, [Queue("documents", alias="docs")]])
def test_queues_that_the_portal_declares(app: Celery, declared: Any) -> None:
    app.conf.update(task_queues=declared, task_routes=ROUTES[0])
    prioritize_process(app)
    assert arguments(app, "documents") == TEN


def test_a_queue_by_its_other_name(app: Celery) -> None:
    app.conf.update(task_queues=[Queue("documents-2", alias="documents")], task_routes=ROUTES[0])
    prioritize_process(app)
    assert arguments(app, "documents-2") == TEN


@pytest.mark.parametrize(
    "declared", [Queue("documents", max_priority=5), Queue("documents", queue_arguments=TEN)]
)
def test_a_maximum_of_the_portals_own_stays(app: Celery, declared: Queue) -> None:
    before = declared.queue_arguments
    app.conf.update(task_queues=[declared], task_routes=ROUTES[0])
    prioritize_process(app)
    assert arguments(app, "documents") == before


def test_one_for_all_queues_is_the_portals_choice(app: Celery) -> None:
    app.conf.task_queue_max_priority = 20
    prioritize_process(app)
    assert [arguments(app, name) for name in ("celery", "mail")] == [{"x-max-priority": 20}] * 2


@pytest.mark.parametrize(
    "quorum",
    [
        {"task_default_queue_type": "quorum", "task_default_queue": "documents"},
        {"task_create_missing_queue_type": "quorum"},
        {"task_queues": [Queue("documents", queue_arguments={"x-queue-type": "quorum"})]},
        {"task_queues": {"documents": {"queue_arguments": {"x-queue-type": "quorum"}}}},
    ],
)
def test_quorum_queues_get_no_maximum(app: Celery, quorum: dict[str, Any]) -> None:
    app.conf.update(task_routes=ROUTES[0], **quorum)
    prioritize_process(app)
    assert arguments(app, "documents") == {"x-queue-type": "quorum"}


def test_queues_that_were_asked_for_before(app: Celery) -> None:
    app.conf.task_routes = ROUTES[0]
    assert arguments(app, "documents") is None
    prioritize_process(app)
    assert arguments(app, "documents") == TEN
    prioritize(app, "other", customer="customer")
    assert arguments(app, "celery") == TEN


def test_a_router_that_wants_arguments(app: Celery, caplog: pytest.LogCaptureFixture) -> None:
    app.conf.task_routes = [lambda name, args, kwargs, options, **_: kwargs["region"]]
    with caplog.at_level(logging.WARNING, "doc_priority"):
        prioritize_process(app)
        assert arguments(app, "documents") is None
    assert "does not tell the queue of process without a call's arguments" in caplog.text


def test_a_queue_that_is_not_declared(app: Celery) -> None:
    app.conf.update(task_routes=ROUTES[0], task_create_missing_queues=False)
    prioritize_process(app)
    assert list(app.amqp.queues) == ["celery"]


@pytest.fixture
def old_queue() -> Iterator[str]:
    """One that exists without a maximum."""
    name = f"doc_priority_test_{uuid4().hex}"
    with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
        channel.queue_declare(name, durable=True, auto_delete=False)
        yield name
        channel.queue_delete(name)
        channel.exchange_delete(name)


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
def test_an_old_queue_of_other_tasks_keeps_working(make_portal: MakePortal, old_queue: str) -> None:
    routes = {"portal.next": {"queue": old_queue}}
    app, terms = make_portal("rabbitmq", task_routes=routes)
    app.tasks["portal.next"].delay("mail")
    app.tasks["portal.process"].delay("acme", "D-1")
    with worker(terms, "-Q", f"{terms.queue},{old_queue}", "--pool=solo"):
        begun = lines_once(terms, 2)
    assert {line["document"] for line in begun} == {"mail", "D-1"}


@pytest.mark.rabbitmq
def test_e028_where_all_queues_get_one(make_app: MakeApp, old_queue: str) -> None:
    routes = {"portal.process": {"queue": uuid4().hex}}
    given = {"task_default_queue": uuid4().hex, "task_routes": routes}
    for more in ({}, {"task_queue_max_priority": 10}):
        assert check_broker() == []
        app = make_app(RABBITMQ_URL, **given, **more)
        app.task(name="portal.mail", shared=False)(nothing)
        app.tasks["portal.mail"].queue = old_queue
    message = only(check_broker(), "E028")
    assert f"the queue {old_queue!r} exists" in message.msg


def test_e023_names_the_queue(make_app: MakeApp) -> None:
    make_app(RABBITMQ, task_queues=[Queue("celery", max_priority=5)])
    assert "'celery' has the maximum priority 5" in only(check_configuration(), "E023").msg


@pytest.mark.rabbitmq
@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite
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
@pytest.mark.sqlite
def test_a_document_reaches_a_quorum_queue(
    make_portal: MakePortal, published: Callable[[Terms], int]
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
    found = check_broker()
    if tuple(map(int, version.split("."))) < live.NINE_LEVELS:
        assert f"a quorum queue of RabbitMQ {version} " in only(found, "E029").msg
    else:
        assert found == []
