"""A document is counted if and only if it is deferred, and it waits only once."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django import DjangoApp, connector_params
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.testing import InMemoryConnector

from doc_priority import services
from doc_priority.contrib import waiting
from doc_priority.contrib.procrastinate import prioritize
from doc_priority.exceptions import InvalidKey
from doc_priority.models import Counter, DocumentDecision
from doc_priority.testing import set_pending_documents, set_priority
from tests.concurrency.crowd import in_threads
from tests.contrib.procrastinate import portal
from tests.contrib.procrastinate.test_workers import BATCH
from tests.contrib.workers import charged, manage
from tests.factories import CustomerFactory, PolicyFactory

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

INVOICE = {"customer_key": "acme", "document_id": "INV-1"}
ANOTHER = {"customer_key": "acme", "document_id": "INV-2"}


def priority_of(job_id: int) -> int:
    return ProcrastinateJob.objects.get(pk=job_id).priority


@pytest.mark.usefixtures("replica_lags_or_away")
def test_the_depth_within_9_is_read_where_policies_are_written() -> None:
    thresholds = {f"threshold_{number}": -number for number in range(1, 9)}
    CustomerFactory.create(key="acme", policy=PolicyFactory.create(**thresholds))
    set_pending_documents("acme", -30)
    first = portal.process.defer(**INVOICE)
    second = async_to_sync(portal.process.defer_async)(**ANOTHER)
    assert portal.process.batch_defer(ANOTHER, INVOICE) == [second, first]
    found = ProcrastinateJob.objects.using("default").filter(pk__in=[first, second])
    assert [job.priority for job in found] == [-10, -10]
    assert waiting.engines["procrastinate"]() is not None


def test_a_document_that_waits_is_deferred_once(settings: Any) -> None:
    first = portal.process.defer(**INVOICE)
    by_name = portal.app.configure_task(portal.process.name)
    for deferrer in (portal.process, portal.process.configure(priority=0), by_name):
        assert deferrer.defer(**INVOICE) == first
        assert deferrer.batch_defer(ANOTHER, INVOICE, ANOTHER)[1] == first
        assert async_to_sync(deferrer.defer_async)(**INVOICE) == first
        assert async_to_sync(deferrer.batch_defer_async)(INVOICE, INVOICE) == [first, first]
    assert charged() == ProcrastinateJob.objects.count() == 2
    settings.USE_TZ = False  # in a portal without time zones
    tomorrow = portal.process.configure(schedule_in={"days": 1})
    waits = {"customer_key": "birch", "document_id": "INV-1"}
    assert tomorrow.defer(**waits) == tomorrow.defer(**waits)


def test_the_priority_becomes_the_engines_number() -> None:
    for pending, number in [(0, -1), (-9, -5), (-21, -9), (-5376, -17)]:
        set_pending_documents("many", pending)
        assert priority_of(portal.count.defer(customer_key="many")) == number
    # A batch gets the priorities of its places.
    set_priority("b", 7)
    subjects = [("acme", "1"), ("b", "1"), ("acme", "2"), ("b", "1"), ("c", "1")]
    ids = portal.process.batch_defer(
        *[{"customer_key": customer, "document_id": document} for customer, document in subjects]
    )
    assert ids[1] == ids[3]
    assert [priority_of(one) for one in ids] == [-1, -7, -1, -7, -1]
    assert portal.count.batch_defer(*[{"customer_key": "c"}] * 3)
    assert charged("c") == 4


@pytest.mark.parametrize("waiting", [1, 20])
def test_how_many_wait_costs_a_batch_no_queries(waiting: int) -> None:
    documents = [{"customer_key": "acme", "document_id": str(number)} for number in range(40)]
    ids = portal.process.batch_defer(*documents[:waiting])
    in_async_code = async_to_sync(portal.process.batch_defer_async)
    for batch_defer in (portal.process.batch_defer, in_async_code):
        with transaction.atomic(), CaptureQueriesContext(connection) as queries:
            assert batch_defer(*documents)[:waiting] == ids
            transaction.set_rollback(True)
        assert len([query for query in queries if "procrastinate" in query["sql"]]) == 3
    assert charged() == waiting


def test_others_are_left_alone() -> None:
    assert portal.forward.defer(wrong="argument")
    forward = portal.forward.defer(**INVOICE)
    explicit = portal.process.configure(priority=3).defer(**INVOICE)
    waited_for = async_to_sync(portal.forward_async.defer_async)(**INVOICE)
    assert [priority_of(job) for job in (forward, explicit, waited_for)] == [0, 3, 0]
    assert charged() == 0
    jobs = [task.configure(task_kwargs=INVOICE).job for task in (portal.forward, portal.process)]
    deferred = portal.app.job_manager.batch_defer_jobs(jobs)
    assert [job.priority for job in deferred] == [0, -1]
    assert charged() == 1
    # A lock of the caller's is the caller's affair.
    locked = portal.process.configure(queueing_lock="one at a time")
    locked.defer(customer_key="birch", document_id="INV-1")
    with pytest.raises(AlreadyEnqueued, match="one at a time"):
        locked.defer(customer_key="birch", document_id="INV-2")
    birchs = ProcrastinateJob.objects.filter(args__customer_key="birch")
    assert charged("birch") == birchs.count() == 1
    assert DocumentDecision.objects.get(customer="birch").document == "INV-1"


def test_a_document_that_was_decided_elsewhere_keeps_its_priority() -> None:
    set_priority("acme", 7)
    services.check("acme", document="INV-1")
    services.reset("acme")
    assert priority_of(portal.process.defer(**INVOICE)) == -7
    DocumentDecision.objects.all().delete()
    portal.process.defer(**INVOICE)
    assert services.peek("acme").pending_documents == 0
    # A repeat is deferred no better than the customer's next document.
    repeated = {"customer_key": "birch", "document_id": "INV-1"}
    portal.process.defer(**repeated)
    set_pending_documents("birch", -42)
    ProcrastinateJob.objects.all().delete()
    deferred = portal.process.batch_defer(repeated, {**repeated, "document_id": "INV-2"})
    assert [priority_of(one) for one in deferred] == [-10, -10]
    assert charged("birch") == 44


def test_customers_within_an_argument_and_calls_without_one() -> None:
    def app_with(**terms: Any) -> Any:
        app = App(connector=portal.app.connector)

        @app.task(name="consume")
        def consume(upload: dict[str, str] | None = None) -> None:
            """A document."""

        prioritize(app, "consume", **terms)
        return app.configure_task("consume")

    set_priority("acme", 7)
    for owner in ("upload.owner", lambda call: call["upload"]["owner"]):
        task = app_with(customer=owner, document="upload.file")
        first = task.defer(upload={"owner": "acme", "file": "INV-1"})
        again = task.defer(upload={"owner": "acme", "file": "INV-1", "pages": "2"})
        assert first == again
        assert priority_of(first) == -7
    task = app_with(customer="upload.owner", missing="mail:room")
    task.batch_defer({}, {"upload": None}, {"upload": {"owner": "a/b"}}, {"upload": {"owner": "a"}})
    assert (charged("mail:room"), charged("a")) == (3, 1)
    task = app_with(customer="upload.owner", missing="unprioritised")
    deferred = task.batch_defer({"upload": {"owner": "birch"}}, {}, {"upload": {"owner": "a/b"}})
    again = async_to_sync(task.defer_async)()
    assert [priority_of(one) for one in (*deferred, again)] == [-1, 0, 0, 0]
    assert Counter.objects.count() == 4


def test_what_can_only_fail_is_neither_deferred_nor_charged() -> None:
    context = portal.process_with_context
    for task, kwargs, error, said in [
        (portal.process, {"document_id": "INV-1"}, InvalidKey, "customer_key=None"),
        (portal.process, {"customer_key": "acme"}, TypeError, "process: .*argument"),
        (portal.process, {**INVOICE, "copies": 2}, TypeError, "process: .*argument"),
        (portal.process, {**INVOICE, "fails": object()}, TypeError, None),
        (context, {"customer_key": "acme"}, TypeError, "process_with_context: .*argument"),
        (context, {**INVOICE, "context": None}, TypeError, "process_with_context: .*argument"),
    ]:
        for defer in (task.defer, async_to_sync(task.defer_async)):
            with pytest.raises(error, match=said):
                defer(**kwargs)
        with pytest.raises(error):
            task.batch_defer(ANOTHER, kwargs)
        assert (charged(), ProcrastinateJob.objects.count()) == (0, 0)
        assert not DocumentDecision.objects.exists()
    with transaction.atomic():  # of the caller's, which takes both back
        portal.process.defer(**INVOICE)
        transaction.set_rollback(True)
    assert (charged(), ProcrastinateJob.objects.count()) == (0, 0)


def test_a_document_may_come_by_the_functions_default() -> None:
    assert priority_of(portal.process_with_context.defer(**INVOICE)) == -1
    app = App(connector=InMemoryConnector())
    prioritize(app, "elsewhere", customer="customer_key")  # whose code is not known here
    assert app.configure_task("elsewhere").defer(customer_key="other", whatever=1)
    assert charged("other") == 1

    @app.task(name="plain")
    def plain(customer_key: str, document_id: str = "canvas") -> None:
        """A document."""

    @app.task(name="with_context", pass_context=True)
    def with_context(context: Any, customer_key: str, document_id: str = "canvas") -> None:
        """A document."""

    for task in (plain, with_context):
        prioritize(app, task.name, customer="customer_key", document="document_id")
        first = task.defer(customer_key=task.name)
        assert task.defer(customer_key=task.name) == first
        assert app.configure_task(task.name).batch_defer({"customer_key": task.name}) == [first]
        assert task.defer(customer_key=task.name, document_id="canvas") == first
        assert task.defer(customer_key=task.name, document_id="another") != first
        assert charged(task.name) == 2


@pytest.mark.django_db(transaction=True)
def test_a_retry_keeps_its_priority_and_is_not_charged() -> None:
    """And a worker defers over Django's connection."""
    set_priority("acme", 7)
    job = portal.process.defer(**INVOICE, fails=True)
    pending = services.peek("acme").pending_documents
    portal.forward.defer(customer_key="birch", document_id="INV-1")
    portal.forward_async.defer(customer_key="birch", document_id="INV-2")
    manage(*BATCH)
    row = ProcrastinateJob.objects.get(pk=job)
    assert row.attempts > 1
    assert (row.priority, row.status) == (-7, "failed")
    assert services.peek("acme").pending_documents == pending
    again = portal.process.defer(**INVOICE)
    assert again != job
    assert priority_of(again) == -7
    assert services.peek("acme").pending_documents == pending
    others = ProcrastinateJob.objects.exclude(pk__in=[job, again])
    forwarded = others.filter(task_name=portal.process.name)
    assert [job.priority for job in forwarded] == [-1, -1]
    assert [job.status for job in others] == ["succeeded"] * 4
    assert charged("birch") == 2


@pytest.mark.concurrency
@pytest.mark.django_db(transaction=True)
def test_many_at_once() -> None:
    documents = [{"customer_key": "acme", "document_id": f"INV-{number}"} for number in range(10)]

    def one_by_one() -> list[int]:
        return [portal.process.defer(**document) for document in documents]

    def together() -> list[int]:
        return portal.process.batch_defer(*documents)

    answers = in_threads([one_by_one, together] * 4)
    assert len(set(map(tuple, answers))) == 1
    assert charged() == ProcrastinateJob.objects.count() == 10


@pytest.mark.django_db(transaction=True)
def test_over_a_connection_of_its_own() -> None:
    app = App(connector=PsycopgConnector(kwargs=connector_params()))

    @app.task(name="process")
    def process(customer_key: str, document_id: str) -> None:
        """A document."""

    prioritize(app, "process", customer="customer_key", document="document_id")
    locked = app.configure_task("process", queueing_lock="one at a time")  # of the caller's

    async def defer() -> list[int]:
        async with app.open_async():
            first = await process.defer_async(**INVOICE)
            again = await process.batch_defer_async(INVOICE, ANOTHER)
            return [first, *again, await process.defer_async(**INVOICE)]

    async def defer_locked() -> None:
        async with app.open_async():
            await locked.defer_async(customer_key="birch", document_id="INV-2")

    ids = async_to_sync(defer)()
    with app.open():
        assert process.defer(**INVOICE) == ids[0]
    assert ids[0] == ids[1] == ids[3] != ids[2]
    assert charged() == 2
    with app.open():
        locked.defer(customer_key="birch", document_id="INV-1")
        with pytest.raises(AlreadyEnqueued):
            locked.defer(customer_key="birch", document_id="INV-2")
    assert charged("birch") == 1
    for _ in range(2):
        with pytest.raises(AlreadyEnqueued):
            async_to_sync(defer_locked)()
        assert charged("birch") == 2


def test_a_test_of_a_portal_sees_its_jobs_in_memory() -> None:
    with portal.app.replace_connector(InMemoryConnector()) as app:
        first = portal.process.defer(**INVOICE)
        assert portal.process.defer(**INVOICE) == first
        assert portal.process.batch_defer(ANOTHER, INVOICE)[1] == first
        assert async_to_sync(portal.process.batch_defer_async)(ANOTHER, INVOICE)[1] == first
        assert [job["priority"] for job in app.connector.jobs.values()] == [-1, -1]
    assert not ProcrastinateJob.objects.exists()
    before = charged()
    another = DjangoApp(connector=portal.app.connector)  # which is not concerned
    another.configure_task(portal.process.name).defer(customer_key="acme", document_id="INV-3")
    assert charged() == before


def test_since_when_the_oldest_waits_that_a_worker_could_take_now() -> None:
    """As the metrics show it."""
    oldest = waiting.engines["procrastinate"]
    now, hour = timezone.now(), timedelta(hours=1)
    assert oldest() is None
    first = portal.process.defer(**INVOICE)
    other = portal.forward.defer(**INVOICE)
    later = portal.count.configure(schedule_at=now + hour).defer(customer_key="acme")
    due = portal.count.configure(schedule_at=now - 3 * hour).defer(customer_key="acme")
    with connection.cursor() as cursor:
        for job, hours in [(first, 2), (other, 48), (later, 50), (due, 60)]:
            cursor.execute(
                "UPDATE procrastinate_events SET at = %s WHERE job_id = %s AND type = 'deferred'",
                [now - hours * hour, job],
            )
        change = "UPDATE procrastinate_jobs SET status = %s WHERE id = %s"
        assert oldest() == now - 3 * hour
        cursor.execute(change, ["doing", due])
        assert oldest() == now - 2 * hour
        cursor.execute(change, ["succeeded", first])
        assert oldest() is None
