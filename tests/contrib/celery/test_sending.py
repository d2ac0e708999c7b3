"""Every way of calling a prioritised task: what is counted, under which id, at which priority."""

import logging
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import celery
import pytest
from amqp.exceptions import AccessRefused, NotAllowed, PreconditionFailed
from celery import _state, group
from django.db import connection, transaction
from kombu import Connection, Queue
from kombu.exceptions import OperationalError

from doc_priority import exceptions, services
from doc_priority.contrib.celery import prioritize
from doc_priority.models import Counter, DocumentDecision
from tests.contrib.celery.conftest import MakeApp, MakePortal, Portal, queued
from tests.contrib.workers import celery_worker, charged, run
from tests.servers import RABBITMQ_URL, REDIS_URL

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]

Sent = list[dict[str, Any]]


def test_a_document_is_counted_once(process: Any, sent: Sent) -> None:
    """Whichever way it is sent."""
    app, name = process.app, process.name
    ways: list[Callable[[str, str], Any]] = [
        process.delay,
        lambda customer, document: process.delay(customer=customer, document=document),
        lambda customer, document: process.apply_async((customer,), {"document": document}),
        lambda customer, document: process.apply_async((customer, document), priority=None),
        lambda customer, document: process.s(customer, document).apply_async(),
        lambda customer, document: app.signature(
            name, kwargs={"customer": customer, "document": document}
        ).delay(),
        lambda *subject: app.send_task(name, subject),
        lambda *subject: app.send_task(name, subject, {}, None, None, None, None, None),
        lambda *subject: app.send_task(name, subject, publisher=None),
    ]
    for number, way in enumerate(ways):
        customer = f"customer-{number}"
        sent.clear()
        results = [way(customer, document) for document in ("D-0", "D-1", "D-1", "D-2")]
        assert charged(customer) == 3
        assert results[1].id == results[2].id != results[3].id
        assert [one["id"] for one in sent] == [result.id for result in results]
        assert [one["priority"] for one in sent] == [1] * 4
        assert [one["doc_priority"]["repeated"] for one in sent] == [False, False, True, False]
        assert sent[1]["doc_priority"] == {
            "customer": customer,
            "document": "D-1",
            "id": results[1].id,
            "priority": 1,
            "repeated": False,
        }
    # Without a document each call counts.
    sent.clear()
    for _ in range(3):
        app.tasks["portal.uncounted"].delay("acme")
    assert charged() == 3
    assert len({one["id"] for one in sent}) == 3
    assert (sent[0]["doc_priority"]["document"], sent[0]["doc_priority"]["id"]) == ("", None)


@pytest.mark.usefixtures("replica_away")
def test_a_replica_is_not_asked(process: Any, sent: Sent) -> None:
    process.delay("acme", "D-1")
    process.app.send_task(process.name, ("acme", "D-1"))
    group(process.s("acme", "D-2"))()
    assert services.peek("acme").pending_documents == -1
    assert len(sent) == 3


def test_the_priority_is_that_of_the_check(process: Any, sent: Sent) -> None:
    """But a repeat is sent no better than the customer's next document."""
    for number in [*range(30), 0, 29]:
        process.delay("acme", f"D-{number}")
    decided = DocumentDecision.objects.order_by("-pending_documents")
    priorities = [one["priority"] for one in sent]
    assert priorities[:30] == list(decided.values_list("priority", flat=True))
    assert [priorities[index] for index in (0, 29, 30, 31)] == [1, 9, 9, 9]
    assert sent[30]["doc_priority"]["priority"] == 9
    assert sent[30]["doc_priority"]["repeated"]
    services.reset("acme")
    for number in (0, 29):
        process.delay("acme", f"D-{number}")
    assert [sent[index]["priority"] for index in (32, 33)] == [1, 9]
    assert services.peek("acme").pending_documents == 0
    # Repeated means decided before, also when the message before it did not leave.
    services.check("acme", document="E-1")
    process.delay("acme", "E-1")
    assert sent[34]["doc_priority"]["repeated"]


def test_what_is_left_alone(portal: Portal, sent: Sent) -> None:
    """A priority that the caller gives, a retry, and other tasks; a default is not heeded."""
    process = portal[0].tasks["portal.process"]
    process.apply_async(("acme", "D-1"), priority=7)
    process.s("acme", "D-2").set(priority=0).apply_async()
    process.apply_async(("acme", "D-1"), retries=1)
    portal[0].tasks["portal.next"].delay("x")
    assert [one.get("priority") for one in sent] == [7, 0, None, None]
    assert not [one for one in sent if "doc_priority" in one]
    assert not Counter.objects.exists()
    portal[0].conf.task_default_priority = 6
    process.delay("acme", "D-1")
    process.apply_async(("acme", "D-2"), priority=3)
    assert [one["priority"] for one in sent[4:]] == [1, 3]
    # Eager tasks are neither queued nor counted.
    portal[0].conf.task_always_eager = True
    assert process.delay("birch", "D-1").get() == "D-1"
    assert not Counter.objects.filter(customer__key="birch").exists()


def test_the_callers_own_id_and_headers_are_kept(process: Any, sent: Sent) -> None:
    mine = str(uuid4())
    result = process.apply_async(("acme", "D-1"), task_id=mine, headers={"mine": 1})
    assert result.id == sent[0]["id"] == mine
    assert sent[0]["mine"] == 1
    assert sent[0]["doc_priority"]["document"] == "D-1"
    # As are those of a group.
    sent.clear()
    called = group(process.s("acme", "D-2"), process.s("acme", "D-2"), process.s("birch", "D-2"))()
    assert [one["id"] for one in sent] == [result.id for result in called.results]
    assert [one["doc_priority"]["repeated"] for one in sent] == [False, True, False]
    assert (charged(), charged("birch")) == (2, 1)
    told = [one["doc_priority"]["id"] for one in sent]
    assert told[0] == told[1] == process.delay("acme", "D-2").id != told[2]


def test_a_link_sent_by_a_worker(portal: Portal, sent: Sent) -> None:
    """As the worker sends it: with no priority in so many words, and the result in front."""
    named = portal[0].tasks["portal.named"]
    named.s("acme", "D-1").apply_async(("result",), parent_id="p", root_id="r", priority=None)
    assert sent[0]["doc_priority"]["document"] == "D-1"
    assert charged() == 1


def test_calls_without_a_customer(portal: Portal, sent: Sent) -> None:
    """Are refused, are those of one customer, or are sent as if nobody had asked."""
    app = portal[0]
    # But a task is prioritised in one way.
    prioritize(app, "portal.process", customer="customer", document="document")
    with pytest.raises(exceptions.TaskPrioritizedOtherwise, match="customer='key', document=''"):
        prioritize(app, "portal.process", customer="key")
    for kwargs in ({}, {"customer": None}, {"customer": ""}):
        with pytest.raises(exceptions.InvalidKey, match="process is called with customer="):
            app.send_task("portal.process", kwargs=kwargs)
    assert sent == []
    prioritize(app, "for all", customer="call.owner", document="call.file", missing="mail:room")
    for call in ({"owner": 7, "file": "a.pdf"}, {"owner": None, "file": "b.pdf"}, None):
        app.send_task("for all", kwargs={"call": call})
    told = [one["doc_priority"] for one in sent]
    assert [(one["customer"], one["document"]) for one in told] == [
        ("7", "a.pdf"),
        ("mail:room", "b.pdf"),
        ("mail:room", ""),
    ]
    assert (charged("7"), charged("mail:room")) == (1, 2)
    prioritize(app, "as ever", customer=lambda call: call.get("owner"), missing="unprioritised")
    for owner in (None, "user/1", "acme"):
        app.send_task("as ever", kwargs={"owner": owner})
    assert ["doc_priority" in one for one in sent[3:]] == [False, False, True]
    assert ["priority" in one for one in sent[3:]] == [False, False, True]
    assert set(Counter.objects.values_list("customer", flat=True)) == {"7", "mail:room", "acme"}


def test_arguments_by_place_of_a_task_unknown_here(
    make_app: MakeApp,
    portal: Portal,
    sent: Sent,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The app is Celery's current one."""
    terms = portal[1]
    publisher = make_app(terms.broker, **terms.conf, task_default_queue=terms.queue)
    prioritize(publisher, "elsewhere", customer="customer", document="document")
    with pytest.raises(exceptions.InvalidKey, match="by that name where the caller does not know"):
        publisher.send_task("elsewhere", ("acme", "D-1"))
    publisher.send_task("elsewhere", kwargs={"customer": "acme", "document": "D-1"})
    assert not publisher.finalized
    assert [one["doc_priority"]["document"] for one in sent] == ["D-1"]
    assert charged() == 1
    # The code of a task places them, which nobody has imported before the first call.
    module = f"lazily_{uuid4().hex}"
    Path(tmp_path, f"{module}.py").write_text(
        "from celery import current_app\n"
        "@current_app.task(shared=False)\n"
        "def consume(source, customer): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_state._tls, "current_app", portal[0])
    prioritize(celery.current_app, f"{module}.consume", customer="customer", missing="mail:room")
    portal[0].send_task(f"{module}.consume", ("a.pdf", "acme"))
    assert sent[1]["doc_priority"]["customer"] == "acme"
    del sys.modules[module]


def test_countdown_is_warned_of_once(process: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "doc_priority"):
        for number in range(2):
            process.apply_async(("acme", f"D-{number}"), countdown=60)
    (record,) = [one for one in caplog.records if one.name.startswith("doc_priority")]
    assert "portal.process was called with countdown or eta" in record.getMessage()
    assert charged() == 2


def test_a_rollback_takes_the_count_back_but_not_the_message(process: Any, sent: Sent) -> None:
    with transaction.atomic():
        process.delay("acme", "D-1")
        transaction.set_rollback(True)
    assert (charged(), len(sent)) == (0, 1)
    with transaction.atomic():
        process.delay_on_commit("acme", "D-1")
        assert len(sent) == 1
    assert (charged(), len(sent)) == (1, 2)


def test_a_producer_of_the_callers_own_is_used(make_portal: MakePortal, sent: Sent) -> None:
    """It knows no time limit, and results in Redis are listened for at once, as Celery does it."""
    app, _ = make_portal("redis", result_backend=REDIS_URL)
    process = app.tasks["portal.process"]
    with app.connection_for_write() as own, own.Producer() as producer:
        result = process.apply_async(("acme", "D-1"), producer=producer)
        process.apply_async(("acme", "D-2"), connection=own, ignore_result=True)
        assert own.connected
    assert len(app.backend.result_consumer.subscribed_to) == 1
    process.apply_async(("acme", "D-3"), ignore_result=True)
    assert [one["priority"] for one in sent] == [1, 1, 1]
    assert sent[0]["id"] == result.id


def test_a_forked_process_sends_beside_its_parent(make_portal: MakePortal, broker: str) -> None:
    app, terms = make_portal(broker)
    process = app.tasks["portal.process"]
    process.delay("acme", "D-1")
    connection.close()
    child = get_context("fork").Process(target=process.delay, args=("acme", "D-2"))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    process.delay("acme", "D-3")
    assert charged() == 3
    assert queued(terms) == 3


@pytest.mark.parametrize("way", ["script", "command"])
def test_publishers_need_not_set_django_up(portal: Portal, way: str) -> None:
    app, terms = portal
    module = "tests.contrib.celery.portal"
    arguments = '{"customer": "acme", "document": "D-1"}'
    script = (
        f"from {module} import app\nprint(app.send_task('portal.process', kwargs={arguments}).id)\n"
    )
    command = ("celery", "-A", module, "call", "portal.process", "--kwargs", arguments)
    given = ("-c", script) if way == "script" else ("-m", *command)
    said = run(*given, **terms.environment())
    assert DocumentDecision.objects.get().document == "D-1"
    assert app.tasks["portal.process"].delay("acme", "D-1").id == said.strip()


def test_transports_without_priorities_are_refused(make_portal: MakePortal) -> None:
    for url, said in [
        ("sqs://", "'sqs'.*Use Redis"),
        ("sqla+sqlite:///x", "'sqla'.*Use Redis"),
        ("memory://", "'memory'.*Use Redis"),
        ("filesystem://", "'filesystem'.*Use Redis"),
        ("mongodb://x", "'mongodb'.*Use Redis"),
        (f"{REDIS_URL};memory://", "'memory'"),
        (f"{REDIS_URL};amqp://127.0.0.1", "'amqp'"),
    ]:
        app, _ = make_portal("other", url=url)
        with pytest.raises(exceptions.TransportWithoutPriorities, match=said) as raised:
            app.tasks["portal.process"].delay("acme", "D-1")
        assert isinstance(raised.value, exceptions.DocPriorityError)
        assert raised.value.code == "transport_without_priorities"
    assert charged() == 0
    _, terms = make_portal("other", url="memory://")  # and a worker refuses it
    with celery_worker(terms) as worker:
        output, _ = worker.communicate(timeout=30)
    assert worker.returncode != 0
    assert "TransportWithoutPriorities: Celery's transport 'memory'" in output
    # By the path of its class
    app, _ = make_portal("redis", broker_transport="kombu.transport.redis:Transport")
    assert app.tasks["portal.process"].delay("acme", "D-1").id
    app, _ = make_portal("redis", broker_transport="kombu.transport.memory:Transport")
    with pytest.raises(exceptions.TransportWithoutPriorities, match="memory"):
        app.tasks["portal.process"].delay("acme", "D-1")


@pytest.mark.rabbitmq
@pytest.mark.usefixtures("refused")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_rabbitmq_that_lets_nobody_in(make_portal: MakePortal) -> None:
    """Or to a queue that exists without levels."""
    address = RABBITMQ_URL.partition("@")[2].rstrip("/").removesuffix("/%2F")
    kinds = [("guest:wrong", "", AccessRefused), ("guest:guest", "nowhere", NotAllowed)]
    for user, host, kind in kinds:
        app, _ = make_portal("other", url=f"amqp://{user}@{address}/{host}")
        with pytest.raises(OperationalError) as failed:
            app.tasks["portal.process"].delay("acme", "D-1")
        assert isinstance(failed.value.__cause__, kind)
    app, terms = make_portal("rabbitmq")
    with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
        channel.queue_declare(terms.queue, durable=True, auto_delete=False)
    with pytest.raises(OperationalError, match="a queue with a new name") as failed:
        app.tasks["portal.process"].delay("acme", "D-1")
    assert repr(terms.queue) in str(failed.value)
    assert isinstance(failed.value.__cause__, PreconditionFailed)


@pytest.mark.rabbitmq
def test_a_queue_that_was_deleted_meanwhile(make_portal: MakePortal) -> None:
    """RabbitMQ confirms what it drops, and the connection thinks that the queue is there."""
    app, terms = make_portal("rabbitmq")
    for number in range(3):
        app.tasks["portal.process"].delay("acme", f"D-{number}")
        assert queued(terms) == 1
        with Connection(RABBITMQ_URL) as broker, broker.channel() as channel:
            channel.queue_delete(terms.queue)
    # A message that goes nowhere is told.
    process = app.tasks["portal.process"]
    nowhere = {"exchange": "amq.direct", "routing_key": uuid4().hex}
    declare = [Queue("celery", no_declare=True)]
    with pytest.raises(OperationalError, match="went into no queue"):
        process.apply_async(("acme", "D-1"), declare=declare, **nowhere)
    process.apply_async(("acme", "D-1"), mandatory=False, **nowhere)
