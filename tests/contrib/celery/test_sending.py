"""Every way of calling a prioritised task: what is counted, under which id, at which priority."""

import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import celery
import pytest
from celery import Celery, _state, group
from django.db import transaction

from doc_priority import services
from doc_priority.contrib.celery import prioritize, prioritized
from doc_priority.exceptions import (
    InvalidKey,
    TaskPrioritizedOtherwise,
)
from doc_priority.models import Counter, DocumentDecision
from tests.contrib.celery.closing import closing
from tests.contrib.celery.conftest import MakePortal
from tests.contrib.celery.counting import counted
from tests.contrib.celery.portal import Terms

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]


WAYS: dict[str, Callable[[Any, str], Any]] = {
    "delay": lambda task, document: task.delay("acme", document),
    "delay by name": lambda task, document: task.delay(customer="acme", document=document),
    "apply_async": lambda task, document: task.apply_async(("acme",), {"document": document}),
    "send_task": lambda task, document: task.app.send_task(task.name, ("acme", document)),
    "signature": lambda task, document: task.s("acme", document).apply_async(),
    "signature by name": lambda task, document: task.app.signature(
        task.name, kwargs={"customer": "acme", "document": document}
    ).delay(),
    "no priority in so many words": lambda task, document: task.apply_async(
        ("acme", document), priority=None
    ),
    "send_task by place": lambda task, document: task.app.send_task(
        task.name, ("acme", document), {}, None, None, None, None, None
    ),
    "old name of producer": lambda task, document: task.app.send_task(
        task.name, ("acme", document), publisher=None
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_document_is_counted_once(process: Any, sent: list[dict[str, Any]], way: str) -> None:
    process.delay("acme", "before")
    results = [WAYS[way](process, document) for document in ("D-1", "D-1", "D-2")]
    assert counted() == 3
    assert results[0].id == results[1].id != results[2].id
    assert [one["id"] for one in sent[1:]] == [result.id for result in results]
    assert [one["priority"] for one in sent] == [1] * 4
    assert [one["doc_priority"]["repeated"] for one in sent] == [False, False, True, False]
    assert sent[1]["doc_priority"] == {
        "customer": "acme",
        "document": "D-1",
        "id": results[0].id,
        "priority": 1,
        "repeated": False,
    }


@pytest.mark.usefixtures("replica_away")
def test_a_replica_is_not_asked(process: Any, sent: list[dict[str, Any]]) -> None:
    for number, call in enumerate(WAYS.values()):
        call(process, f"D-{number}")
    assert services.peek("acme").pending_documents == 1 - len(WAYS)
    assert len(sent) == len(WAYS)


def test_the_priority_is_that_of_the_check(process: Any, sent: list[dict[str, Any]]) -> None:
    for number in range(30):
        process.delay("acme", f"D-{number}")
    decided = DocumentDecision.objects.order_by("-pending_documents").values_list(
        "priority", flat=True
    )
    assert [one["priority"] for one in sent] == list(decided)
    assert sent[0]["priority"] == 1
    assert sent[-1]["priority"] == 9


def test_a_repeat_is_sent_no_better_than_the_customers_next_document(
    process: Any, sent: list[dict[str, Any]]
) -> None:
    for number in [*range(30), 0, 29]:
        process.delay("acme", f"D-{number}")
    assert [sent[index]["priority"] for index in (0, 29, 30, 31)] == [1, 9, 9, 9]
    assert sent[30]["doc_priority"]["priority"] == 9
    assert sent[30]["doc_priority"]["repeated"]
    services.reset("acme")
    for number in (0, 29):
        process.delay("acme", f"D-{number}")
    assert [sent[index]["priority"] for index in (32, 33)] == [1, 9]
    assert services.peek("acme").pending_documents == 0


def test_without_a_document_each_call_counts(portal: Any, sent: list[dict[str, Any]]) -> None:
    for _ in range(3):
        portal[0].tasks["portal.uncounted"].delay("acme")
    assert counted() == 3
    assert len({one["id"] for one in sent}) == 3
    assert (sent[0]["doc_priority"]["document"], sent[0]["doc_priority"]["id"]) == ("", None)


def test_an_explicit_priority_is_left_alone(process: Any, sent: list[dict[str, Any]]) -> None:
    process.apply_async(("acme", "D-1"), priority=7)
    process.s("acme", "D-2").set(priority=0).apply_async()
    assert [one["priority"] for one in sent] == [7, 0]
    assert "doc_priority" not in sent[0]
    assert counted() == 0


def test_other_tasks_pass(portal: Any, sent: list[dict[str, Any]]) -> None:
    portal[0].tasks["portal.next"].delay("x")
    assert "priority" not in sent[0]
    assert Counter.objects.count() == 0


def test_the_callers_own_id_and_headers_are_kept(process: Any, sent: list[dict[str, Any]]) -> None:
    mine = str(uuid4())
    result = process.apply_async(("acme", "D-1"), task_id=mine, headers={"mine": 1})
    assert result.id == sent[0]["id"] == mine
    assert sent[0]["mine"] == 1
    assert sent[0]["doc_priority"]["document"] == "D-1"


@pytest.mark.parametrize("kwargs", [{}, {"customer": None}, {"customer": ""}])
def test_no_customer(portal: Any, sent: list[dict[str, Any]], kwargs: dict[str, Any]) -> None:
    with pytest.raises(InvalidKey, match=r"portal\.process is called with customer="):
        portal[0].send_task("portal.process", kwargs=kwargs)
    assert sent == []


def test_arguments_by_place_of_a_task_unknown_here(
    portal: tuple[Celery, Terms], sent: list[dict[str, Any]]
) -> None:
    made = Celery("publisher", broker=portal[1].broker, set_as_current=False)
    with closing(made) as publisher:
        publisher.conf.update(portal[1].conf, task_default_queue=portal[1].queue)
        prioritize(publisher, "portal.process", customer="customer", document="document")
        with pytest.raises(InvalidKey, match="by that name where the caller does not know"):
            publisher.send_task("portal.process", ("acme", "D-1"))
        publisher.send_task("portal.process", kwargs={"customer": "acme", "document": "D-1"})
        assert not publisher.finalized
    assert [one["doc_priority"]["document"] for one in sent] == ["D-1"]
    assert counted() == 1


def test_a_group_keeps_its_ids(process: Any, sent: list[dict[str, Any]]) -> None:
    called = group(process.s("acme", "D-1"), process.s("acme", "D-1"), process.s("birch", "D-1"))()
    assert [one["id"] for one in sent] == [result.id for result in called.results]
    assert [one["doc_priority"]["repeated"] for one in sent] == [False, True, False]
    assert (counted(), counted("birch")) == (1, 1)
    told = [one["doc_priority"]["id"] for one in sent]
    assert told[0] == told[1] == process.delay("acme", "D-1").id != told[2]


def test_repeated_means_decided_before(process: Any, sent: list[dict[str, Any]]) -> None:
    """The first message that arrives says so, too, when the one before it did not leave."""
    services.check("acme", document="D-1")
    process.delay("acme", "D-1")
    assert [one["doc_priority"]["repeated"] for one in sent] == [True]


def test_a_default_priority_is_not_heeded(
    make_portal: MakePortal, sent: list[dict[str, Any]]
) -> None:
    app, _ = make_portal("redis", task_default_priority=6)
    app.tasks["portal.process"].delay("acme", "D-1")
    app.tasks["portal.process"].apply_async(("acme", "D-2"), priority=3)
    assert [one["priority"] for one in sent] == [1, 3]


def test_countdown_is_warned_of_once(process: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "doc_priority"):
        for number in range(2):
            process.apply_async(("acme", f"D-{number}"), countdown=60)
    (record,) = [one for one in caplog.records if one.name.startswith("doc_priority")]
    assert "portal.process was called with countdown or eta" in record.getMessage()
    assert counted() == 2


def test_eager_tasks_are_neither_queued_nor_counted(make_portal: MakePortal) -> None:
    app, _ = make_portal("redis", task_always_eager=True)
    assert app.tasks["portal.process"].delay("acme", "D-1").get() == "D-1"
    assert Counter.objects.count() == 0


def test_a_rollback_takes_the_count_back_but_not_the_message(
    process: Any, sent: list[dict[str, Any]]
) -> None:
    with transaction.atomic():
        process.delay("acme", "D-1")
        transaction.set_rollback(True)
    assert (counted(), len(sent)) == (0, 1)
    with transaction.atomic():
        process.delay_on_commit("acme", "D-1")
        assert len(sent) == 1
    assert (counted(), len(sent)) == (1, 2)


def test_twice_in_the_same_words(portal: tuple[Celery, Terms]) -> None:
    prioritize(portal[0], "portal.process", customer="customer", document="document")


def test_twice_in_other_words(portal: tuple[Celery, Terms]) -> None:
    with pytest.raises(TaskPrioritizedOtherwise, match="customer='key', document=''"):
        prioritize(portal[0], "portal.process", customer="key")


def test_calls_without_a_customer_can_be_those_of_one(
    portal: tuple[Celery, Terms], sent: list[dict[str, Any]]
) -> None:
    app = portal[0]
    prioritize(app, "consume", customer="call.owner", document="call.file", missing="mail:room")
    for call in ({"owner": 7, "file": "a.pdf"}, {"owner": None, "file": "b.pdf"}, None):
        app.send_task("consume", kwargs={"call": call})
    told = [one["doc_priority"] for one in sent]
    assert [(one["customer"], one["document"]) for one in told] == [
        ("7", "a.pdf"),
        ("mail:room", "b.pdf"),
        ("mail:room", ""),
    ]
    assert (counted("7"), counted("mail:room")) == (1, 2)


def test_calls_without_a_customer_can_be_sent_as_if_nobody_had_asked(
    portal: tuple[Celery, Terms], sent: list[dict[str, Any]]
) -> None:
    app = portal[0]
    prioritize(app, "consume", customer=lambda call: call.get("owner"), missing="unprioritised")
    for owner in (None, "user/1", "acme"):
        app.send_task("consume", kwargs={"owner": owner})
    assert ["doc_priority" in one for one in sent] == [False, False, True]
    assert ["priority" in one for one in sent] == [False, False, True]
    assert Counter.objects.get().customer_id == "acme"


@pytest.fixture
def current(portal: tuple[Celery, Terms]) -> Iterator[Celery]:
    """The portal's app, as Celery's current one."""
    before = _state.current_app._get_current_object()
    portal[0].set_current()
    yield portal[0]
    before.set_current()


def test_arguments_by_place_are_placed_by_the_code_of_the_task(
    current: Celery, sent: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "tests.contrib.celery.lazily"
    monkeypatch.delitem(sys.modules, module, raising=False)
    prioritize(current, f"{module}.consume", customer="customer", missing="mail:room")
    current.send_task(f"{module}.consume", ("a.pdf", "acme"))
    assert sent[0]["doc_priority"]["customer"] == "acme"


def test_the_current_app(current: Celery) -> None:
    prioritize(celery.current_app, "portal.through_proxy", customer="customer")
    assert "portal.through_proxy" in prioritized.tasks_of(current)
