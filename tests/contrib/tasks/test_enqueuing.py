"""A document is charged if and only if it is enqueued, and once."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import IntegrityError, transaction
from django.db.models.signals import pre_save
from django.utils import timezone
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.contrib.tasks import PriorityDatabaseBackend
from doc_priority.contrib.tasks.framework import task_enqueued
from doc_priority.exceptions import InvalidDocument, InvalidKey
from doc_priority.models import Counter, DocumentDecision
from doc_priority.testing import set_pending_documents, set_priority
from tests.contrib.tasks import portal
from tests.contrib.tasks.worker import run, worker

pytestmark = pytest.mark.django_db


def charged(customer: str = "acme") -> int:
    """How many documents were counted, the first of which gives 0."""
    counter = Counter.objects.filter(customer=customer).first()
    return 0 if counter is None else 1 - counter.pending_documents


@pytest.fixture
def announced() -> Iterator[list[str]]:
    """The ids of the results that the framework's signal told of."""
    ids: list[str] = []

    def listen(task_result: Any, **kwargs: Any) -> None:
        ids.append(task_result.id)

    task_enqueued.connect(listen)
    yield ids
    task_enqueued.disconnect(listen)


@pytest.mark.parametrize(("priority", "number"), [(1, 40), (5, 0), (8, -30), (9, -40)])
def test_the_priority_becomes_the_engines_number(priority: int, number: int) -> None:
    set_priority("acme", priority)
    assert portal.count.enqueue("acme").task.priority == number


def listing(task: Any, **terms: Any) -> PriorityDatabaseBackend:
    """The backend of a portal whose settings list this task so."""
    options = {"prioritize": {task.module_path: terms}}
    return PriorityDatabaseBackend("default", {"QUEUES": ["documents"], "OPTIONS": options})


@pytest.mark.parametrize(
    "owner", ["customer_key.owner", lambda call: call["customer_key"]["owner"]]
)
def test_a_customer_within_an_argument(owner: Any) -> None:
    set_priority("acme", 7)
    backend = listing(portal.count, customer=owner, document="customer_key.file")
    upload = {"owner": "acme", "file": "INV-1"}
    first = backend.enqueue(portal.count, [upload], {})
    again = backend.enqueue(portal.count, [], {"customer_key": upload})
    assert (first.id, first.task.priority) == (again.id, -20)
    assert DocumentDecision.objects.get().document == "INV-1"


def test_calls_without_a_customer_can_be_those_of_one() -> None:
    backend = listing(portal.count, customer="customer_key", missing="mail:room")
    for key in (None, "a/b", "acme"):
        backend.enqueue(portal.count, [key], {})
    assert (charged("mail:room"), charged("acme")) == (2, 1)


def test_calls_without_a_customer_can_be_enqueued_as_if_nobody_had_asked(
    announced: list[str],
) -> None:
    backend = listing(portal.count, customer="customer_key", missing="unprioritised")
    results = [backend.enqueue(portal.count, [key], {}) for key in (None, "a/b", "acme")]
    assert [result.task.priority for result in results] == [0, 0, 40]
    assert announced == [result.id for result in results]
    assert Counter.objects.get().customer_id == "acme"


def test_a_repeat_is_enqueued_no_better_than_the_customers_next_document() -> None:
    first = portal.process.enqueue("acme", "INV-1")
    set_priority("acme", 9)
    DBTaskResult.objects.update(status="FAILED")
    again = portal.process.enqueue("acme", "INV-1")
    assert (again.id, first.task.priority, again.task.priority) == (first.id, 40, -40)
    DBTaskResult.objects.all().delete()
    assert portal.process.enqueue("acme", "INV-1").task.priority == -40
    assert DocumentDecision.objects.get().priority == 1


def test_depths_within_9() -> None:
    numbers = []
    for count in (-21, -42, -84, -5376, -10752, -99999):
        set_pending_documents("acme", count + 1)
        numbers.append(portal.count.enqueue("acme").task.priority)
    assert numbers == [-40, -41, -42, -48, -49, -49]


@pytest.mark.parametrize("again", [portal.process, portal.process.using(priority=0)])
def test_a_document_is_enqueued_once(again: Any, announced: list[str]) -> None:
    first = portal.process.enqueue("acme", "INV-1")
    assert again.enqueue(document_id="INV-1", customer_key="acme").id == first.id
    assert portal.process.enqueue("acme", "INV-2").id != first.id
    assert charged() == DBTaskResult.objects.count() == 2
    assert len(announced) == 2


def test_without_a_document_each_call_counts(announced: list[str]) -> None:
    ids = {portal.count.enqueue(customer_key="acme").id for _ in range(3)}
    assert charged() == len(ids) == 3
    assert set(announced) == ids


def test_the_context_is_not_the_customer() -> None:
    result = portal.process_with_context.enqueue("acme", "INV-1")
    assert charged() == 1
    assert DocumentDecision.objects.get().document == "INV-1"
    assert result.args == ["acme", "INV-1"]


def test_from_async_code() -> None:
    result = async_to_sync(portal.process.aenqueue)("acme", document_id="INV-1")
    assert portal.process.enqueue("acme", "INV-1").id == result.id
    assert charged() == 1


def test_others_are_left_alone(announced: list[str]) -> None:
    plain = portal.tidy_up.enqueue("acme", "INV-1")
    explicit = portal.process.using(priority=-7).enqueue("acme", "INV-1")
    waited_for = async_to_sync(portal.tidy_up.aenqueue)("acme", "INV-1")
    assert [plain.task.priority, explicit.task.priority, waited_for.task.priority] == [0, -7, 0]
    assert charged() == 0
    assert len(announced) == 3


def test_a_document_that_was_decided_elsewhere_keeps_its_priority() -> None:
    set_priority("acme", 7)
    kept = services.check("acme", document="INV-1")
    services.reset("acme")
    assert portal.process.enqueue("acme", "INV-1").task.priority == 50 - 10 * kept.priority
    assert services.peek("acme").pending_documents == 0


def test_a_decision_that_was_pruned_is_not_charged_again() -> None:
    first = portal.process.enqueue("acme", "INV-1")
    DocumentDecision.objects.all().delete()
    assert portal.process.enqueue("acme", "INV-1").id == first.id
    assert charged() == 1


@pytest.mark.django_db(transaction=True)
def test_a_failed_one_goes_back_at_its_priority(announced: list[str]) -> None:
    set_priority("acme", 7)
    failed = portal.process.enqueue("acme", "INV-1", outcome="out of ink")
    run(*worker("default", "--batch"))
    failed.refresh()
    assert failed.status == "FAILED"
    services.reset("acme")
    again = portal.process.enqueue("acme", "INV-1")
    assert (again.id, again.status, again.task.priority) == (failed.id, "READY", -20)
    assert (again.finished_at, again.errors) == (None, [])
    assert announced == [failed.id, failed.id]
    assert services.peek("acme").pending_documents == 0
    run(*worker("default", "--batch"))
    again.refresh()
    assert (again.status, again.return_value, again.attempts) == ("SUCCESSFUL", "INV-1", 2)
    assert portal.process.enqueue("acme", "INV-1").status == "SUCCESSFUL"
    assert charged() == 1


def test_run_after_is_kept_with_the_priority() -> None:
    later = timezone.now() + timedelta(hours=1)
    portal.process.using(run_after=later).enqueue("acme", "INV-1")
    row = DBTaskResult.objects.get()
    assert (row.run_after, row.priority) == (later, 40)
    DBTaskResult.objects.update(status="FAILED")
    portal.process.enqueue("acme", "INV-1")
    assert DBTaskResult.objects.ready().count() == 1


def test_what_cannot_be_enqueued_is_not_charged() -> None:
    with pytest.raises(TypeError):
        portal.process.enqueue("acme", "INV-1", outcome=object())
    assert charged() == 0


@pytest.mark.parametrize("error", [OSError("full"), IntegrityError("full")])
def test_a_row_that_cannot_be_written_takes_the_charge_with_it(error: Exception) -> None:
    def fail(**kwargs: Any) -> None:
        raise error

    pre_save.connect(fail, sender=DBTaskResult)
    try:
        with pytest.raises(type(error), match="full"):
            portal.process.enqueue("acme", "INV-1")
    finally:
        pre_save.disconnect(fail, sender=DBTaskResult)
    assert (charged(), DocumentDecision.objects.count()) == (0, 0)
    assert portal.process.enqueue("acme", "INV-1").status == "READY"


def test_the_callers_transaction_takes_both_back() -> None:
    with transaction.atomic():
        portal.process.enqueue("acme", "INV-1")
        transaction.set_rollback(True)
    assert (charged(), DBTaskResult.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("", "INV-1"), InvalidKey), ((None, "INV-1"), InvalidKey), (("acme", 1.5), InvalidDocument)],
)
def test_what_names_nobody_is_refused(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        portal.process.enqueue(*arguments)
    assert DBTaskResult.objects.count() == 0


@pytest.mark.parametrize(
    ("task", "args", "kwargs"),
    [
        (portal.process, ["acme"], {}),
        (portal.process, ["acme", "INV-1"], {"copies": 2}),
        (portal.count, ["acme", "INV-1"], {}),
        (portal.process_with_context, ["acme"], {}),
        (portal.process_with_context, ["acme", "INV-1"], {"context": None}),
    ],
)
def test_what_can_only_fail_is_not_charged(task: Any, args: Any, kwargs: Any) -> None:
    with pytest.raises(TypeError, match=rf"{task.module_path}: .*argument"):
        task.enqueue(*args, **kwargs)
    assert (charged(), DBTaskResult.objects.count()) == (0, 0)


def test_calls_of_others_are_not_looked_at() -> None:
    assert portal.tidy_up.enqueue("acme").status == "READY"


def test_the_backend_is_one_that_workers_accept() -> None:
    assert issubclass(PriorityDatabaseBackend, DatabaseBackend)
