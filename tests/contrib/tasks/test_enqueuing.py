"""A document is charged if and only if it is enqueued, and once."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection, transaction
from django.db.models.signals import pre_save
from django.utils import timezone
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.compat import BaseTaskBackend, task_enqueued
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.contrib.tasks import PrioritizingBackend, PriorityDatabaseBackend
from doc_priority.exceptions import InvalidDocument, InvalidKey
from doc_priority.models import Counter, DocumentDecision
from doc_priority.testing import set_pending_documents, set_priority
from tests.concurrency.crowd import in_threads
from tests.contrib.tasks import portal
from tests.contrib.workers import charged, db_worker, manage, run

pytestmark = pytest.mark.django_db


@pytest.fixture
def announced() -> Iterator[list[str]]:
    """The ids of the results that the framework's signal told of."""
    ids: list[str] = []

    def listen(task_result: Any, **kwargs: Any) -> None:
        ids.append(task_result.id)

    task_enqueued.connect(listen)
    yield ids
    task_enqueued.disconnect(listen)


def test_the_priority_becomes_the_engines_number() -> None:
    """And the depth within 9."""
    for priority, number in [(1, 40), (5, 0), (8, -30), (9, -40)]:
        set_priority("acme", priority)
        assert portal.count.enqueue("acme").task.priority == number
    for count, number in [(-42, -41), (-84, -42), (-5376, -48), (-10752, -49), (-99999, -49)]:
        set_pending_documents("acme", count + 1)
        assert portal.count.enqueue("acme").task.priority == number


def test_a_document_is_enqueued_once(announced: list[str]) -> None:
    first = portal.process.enqueue("acme", "INV-1")
    for again in (portal.process, portal.process.using(priority=0)):
        assert again.enqueue(document_id="INV-1", customer_key="acme").id == first.id
    waited_for = async_to_sync(portal.process.aenqueue)("acme", document_id="INV-1")
    assert waited_for.id == first.id
    assert portal.process.enqueue("acme", "INV-2").id != first.id
    assert charged() == DBTaskResult.objects.count() == 2
    assert len(announced) == 2
    # For a time that is kept with its priority
    later = timezone.now() + timedelta(hours=1)
    portal.process.using(run_after=later).enqueue("birch", "INV-1")
    rows = DBTaskResult.objects.filter(run_after=later)
    assert rows.get().priority == 40
    rows.update(status="FAILED")
    assert DBTaskResult.objects.ready().count() == 2
    portal.process.enqueue("birch", "INV-1")
    assert DBTaskResult.objects.ready().count() == 3


def test_without_a_document_each_call_counts(announced: list[str]) -> None:
    ids = {portal.count.enqueue(customer_key="acme").id for _ in range(3)}
    assert charged() == len(ids) == 3
    assert set(announced) == ids
    # A context is not the customer.
    result = portal.process_with_context.enqueue("birch", "INV-1")
    assert charged("birch") == 1
    assert DocumentDecision.objects.get().document == "INV-1"
    assert result.args == ["birch", "INV-1"]
    # Tasks that are not listed are left alone, and priorities that the caller gives.
    plain = portal.tidy_up.enqueue("acme", "INV-1")
    misfit = portal.tidy_up.enqueue("acme")
    explicit = portal.process.using(priority=-7).enqueue("acme", "INV-1")
    waited_for = async_to_sync(portal.tidy_up.aenqueue)("acme", "INV-1")
    found = [one.task.priority for one in (plain, misfit, explicit, waited_for)]
    assert found == [0, 0, -7, 0]
    assert charged() == 3
    assert len(announced) == 8


def test_a_document_that_was_decided_before() -> None:
    """It keeps its priority, and is enqueued no better than the customer's next document."""
    set_priority("birch", 7)
    kept = services.check("birch", document="INV-1")
    services.reset("birch")
    assert portal.process.enqueue("birch", "INV-1").task.priority == 50 - 10 * kept.priority
    assert services.peek("birch").pending_documents == 0
    DBTaskResult.objects.all().delete()
    DocumentDecision.objects.all().delete()
    first = portal.process.enqueue("acme", "INV-1")
    set_priority("acme", 9)
    DBTaskResult.objects.update(status="FAILED")
    again = portal.process.enqueue("acme", "INV-1")
    assert (again.id, first.task.priority, again.task.priority) == (first.id, 40, -40)
    DBTaskResult.objects.all().delete()
    again = portal.process.enqueue("acme", "INV-1")
    assert again.task.priority == -40
    assert DocumentDecision.objects.get().priority == 1
    # A decision that was pruned is not charged again while its task is there.
    pending = services.peek("acme").pending_documents
    DocumentDecision.objects.all().delete()
    assert portal.process.enqueue("acme", "INV-1").id == again.id
    assert services.peek("acme").pending_documents == pending


@pytest.mark.django_db(transaction=True)
def test_a_failed_one_goes_back_at_its_priority(announced: list[str]) -> None:
    set_priority("acme", 7)
    failed = portal.process.enqueue("acme", "INV-1", outcome="out of ink")
    manage(*db_worker("default", "--batch"))
    failed.refresh()
    assert failed.status == "FAILED"
    services.reset("acme")
    again = portal.process.enqueue("acme", "INV-1")
    assert (again.id, again.status, again.task.priority) == (failed.id, "READY", -20)
    assert (again.finished_at, again.errors) == (None, [])
    assert announced == [failed.id, failed.id]
    assert services.peek("acme").pending_documents == 0
    manage(*db_worker("default", "--batch"))
    again.refresh()
    assert (again.status, again.return_value, again.attempts) == ("SUCCESSFUL", "INV-1", 2)
    assert portal.process.enqueue("acme", "INV-1").status == "SUCCESSFUL"
    assert charged() == 1


def test_where_the_customer_is_and_calls_without_one(announced: list[str]) -> None:
    """Those can be one customer's, or be enqueued as if nobody had asked."""

    def listing(**terms: Any) -> PriorityDatabaseBackend:
        options = {"prioritize": {portal.count.module_path: terms}}
        return PriorityDatabaseBackend("default", {"QUEUES": ["documents"], "OPTIONS": options})

    as_ever = listing(customer="customer_key", missing="unprioritised")
    results = [as_ever.enqueue(portal.count, [key], {}) for key in (None, "a/b", "acme")]
    assert [result.task.priority for result in results] == [0, 0, 40]
    assert announced == [result.id for result in results]
    assert Counter.objects.get().customer_id == "acme"
    for_all = listing(customer="customer_key", missing="mail:room")
    for key in (None, "a/b", "birch"):
        for_all.enqueue(portal.count, [key], {})
    assert (charged("mail:room"), charged("birch")) == (2, 1)
    # Within an argument
    upload = {"owner": "acme", "file": "INV-1"}
    for owner in ("customer_key.owner", lambda call: call["customer_key"]["owner"]):
        set_priority("acme", 7)
        backend = listing(customer=owner, document="customer_key.file")
        first = backend.enqueue(portal.count, [upload], {})
        again = backend.enqueue(portal.count, [], {"customer_key": upload})
        assert (first.id, first.task.priority) == (again.id, -20)
        assert DocumentDecision.objects.get().document == "INV-1"


def test_what_can_only_fail_is_neither_enqueued_nor_charged() -> None:
    unknown = object()
    for task, args, kwargs, error, said in [
        (portal.process, ["", "INV-1"], {}, InvalidKey, "customer_key=''"),
        (portal.process, [None, "INV-1"], {}, InvalidKey, "customer_key=None"),
        (portal.process, ["acme", 1.5], {}, InvalidDocument, "document_id=1.5"),
        (portal.process, ["acme", "INV-1"], {"outcome": unknown}, TypeError, None),
        (portal.process, ["acme"], {}, TypeError, "process: .*argument"),
        (portal.process, ["acme", "INV-1"], {"copies": 2}, TypeError, "process: .*argument"),
        (portal.count, ["acme", "INV-1"], {}, TypeError, "count: .*argument"),
        (portal.process_with_context, ["acme"], {}, TypeError, "context: .*argument"),
        (portal.process_with_context, ["a", "1"], {"context": 1}, TypeError, "context: .*argument"),
    ]:
        with pytest.raises(error, match=said):
            task.enqueue(*args, **kwargs)
        assert (charged(), DBTaskResult.objects.count()) == (0, 0)
    # A misshapen list is refused at the first task.
    for options in ({}, {"prioritize": {}}, {"prioritize": {"a.b": {}}}):
        given = {"QUEUES": ["default", "documents"], "OPTIONS": options}
        with pytest.raises(ImproperlyConfigured, match=r"'OPTIONS': \{'prioritize'"):
            PriorityDatabaseBackend("default", given).enqueue(portal.process, ["a", "INV-1"], {})


def test_a_row_that_cannot_be_written_takes_the_charge_with_it() -> None:
    """As does a rollback of the caller's."""

    def fail(error: Exception, **kwargs: Any) -> None:
        raise error

    for error in (OSError("full"), IntegrityError("full")):
        failing = partial(fail, error)
        pre_save.connect(failing, sender=DBTaskResult)
        try:
            with pytest.raises(type(error), match="full"):
                portal.process.enqueue("acme", "INV-1")
        finally:
            pre_save.disconnect(failing, sender=DBTaskResult)
        assert (charged(), DocumentDecision.objects.count()) == (0, 0)
    with transaction.atomic():
        portal.process.enqueue("acme", "INV-1")
        transaction.set_rollback(True)
    assert (charged(), DBTaskResult.objects.count()) == (0, 0)
    assert portal.process.enqueue("acme", "INV-1").status == "READY"


def test_another_backend_gets_the_priority() -> None:
    class Collecting(BaseTaskBackend):
        """A portal's own: it knows priorities, and keeps its tasks in a list."""

        supports_priority = True

        def enqueue(self, task: Any, args: Any, kwargs: Any) -> Any:
            if "full" in args:
                raise OSError("the list is full")
            self.options["list"].append(task)
            return task

    class PrioritizingCollecting(PrioritizingBackend, Collecting):
        """Gives them to it."""

    terms = {"customer": "customer_key", "document": "document_id"}
    options = {"prioritize": {portal.process.module_path: terms}, "list": []}
    given = {"QUEUES": ["default", "documents"], "OPTIONS": options}
    backend = PrioritizingCollecting("default", given)
    with pytest.raises(OSError, match="full"):
        backend.enqueue(portal.process, ["acme", "full"], {})
    assert not Counter.objects.exists()
    set_priority("acme", 7)
    backend.enqueue(portal.process, ["acme", "INV-1"], {})
    backend.enqueue(portal.process, ["acme", "INV-1"], {})
    backend.enqueue(portal.tidy_up, ["acme", "INV-1"], {})
    async_to_sync(backend.aenqueue)(portal.tidy_up, ["acme", "INV-1"], {})
    async_to_sync(backend.aenqueue)(portal.process, [], {"customer_key": "b", "document_id": 1})
    assert [task.priority for task in options["list"]] == [-20, -20, 0, 0, 40]
    assert Counter.objects.get(customer="b").pending_documents == 0


def test_a_task_may_be_declared_before_the_apps_are_ready() -> None:
    program = (
        "from tests.contrib.tasks import portal\n"
        "import django; django.setup()\n"
        "print(type(portal.process.get_backend()).__name__)\n"
    )
    assert run("-c", program) == "PriorityDatabaseBackend\n"
    assert issubclass(PriorityDatabaseBackend, DatabaseBackend)  # so that workers accept it


DOCUMENTS = [f"INV-{number}" for number in range(6)]


def enqueue_all(customer: str = "acme") -> list[str]:
    return [portal.process.enqueue(customer, document).id for document in DOCUMENTS]


def assert_enqueued_once(way: Callable[[], list[str]], customer: str = "acme", **kw: Any) -> None:
    answers = in_threads([way] * 8, **kw)
    assert len(set(map(tuple, answers))) == 1
    assert DBTaskResult.objects.filter(status="READY").count() == len(DOCUMENTS)
    assert charged(customer) == len(DOCUMENTS)


@pytest.mark.concurrency
@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_many_at_once_whatever_the_isolation(level: str) -> None:
    def isolate() -> None:
        whose = "SESSION" if connection.vendor == "mysql" else "SESSION CHARACTERISTICS AS"
        with connection.cursor() as cursor:
            cursor.execute(f"SET {whose} TRANSACTION ISOLATION LEVEL {level}")

    assert_enqueued_once(enqueue_all, prepare=isolate)


@pytest.mark.concurrency
@pytest.mark.django_db(transaction=True)
def test_documents_from_many_at_once() -> None:
    """No other test has these customers: where MariaDB removed one, its place is locked."""

    def enqueue_in_transactions() -> list[str]:
        ids = []
        for document in DOCUMENTS:
            with transaction.atomic():
                ids.append(portal.process.enqueue("in-transactions", document).id)
        return ids

    for customer, way in [
        ("in-none", partial(enqueue_all, "in-none")),
        ("in-transactions", enqueue_in_transactions),
    ]:
        assert_enqueued_once(way, customer)
        # Failed ones go back once, and those that were decided before are enqueued once.
        DBTaskResult.objects.update(status="FAILED")
        assert_enqueued_once(way, customer)
        DBTaskResult.objects.all().delete()
        assert_enqueued_once(way, customer)
        DBTaskResult.objects.all().delete()

    def work(thread: int) -> None:
        for document in DOCUMENTS:
            portal.process.enqueue(f"customer-{thread % 2}", document)
            portal.count.enqueue(f"customer-{thread}")

    in_threads([partial(work, thread) for thread in range(8)])
    rows = len(DOCUMENTS) * (2 + 8)
    assert DBTaskResult.objects.count() == rows
    assert sum(charged(f"customer-{number}") for number in range(8)) == rows
