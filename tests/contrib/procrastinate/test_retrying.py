"""A job gives way to another one that waits for the same document: no job is left behind."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django import connector_params
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.utils import utcnow

from doc_priority.contrib.procrastinate import prioritize
from doc_priority.models import Counter
from tests.contrib.procrastinate import portal
from tests.contrib.procrastinate.worker import BATCH
from tests.contrib.tasks.worker import managing, run, wait_until
from tests.factories import CustomerFactory
from tests.logged import records

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

INVOICE = {"customer_key": "acme", "document_id": "INV-1"}


def statuses() -> dict[str, list[str]]:
    """Of the jobs of each document, in the order in which they were deferred."""
    found = defaultdict(list)
    for job in ProcrastinateJob.objects.filter(queue_name="documents").order_by("pk"):
        found[job.args["document_id"]].append(job.status)
    return found


def charged() -> dict[str, int]:
    """How many documents of each customer were counted, the first of which gives 0."""
    counters = Counter.objects.values_list("customer__key", "pending_documents")
    return {customer: 1 - pending for customer, pending in counters}


def change(job_id: int, status: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", [status, job_id])


def forget_heartbeats() -> None:
    """As if every worker had been away for an hour."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'"
        )


def calls(directory: Path, sync_task: Any, async_task: Any) -> list[tuple[Any, dict[str, str]]]:
    """A document for each kind of task, with a lock (of Acme's) and without (of Birch's)."""
    found = []
    for kind, task in (("sync", sync_task), ("async", async_task)):
        for customer, lock in (("acme", kind), ("birch", None)):
            mark = directory / f"{customer}-{kind}"
            mark.touch()
            given = {"customer_key": customer, "document_id": mark.name, "mark": str(mark)}
            found.append((task.configure(lock=lock), given))
    return found


@pytest.mark.django_db(transaction=True)
def test_after_a_failure_the_job_that_waits_does_the_work(tmp_path: Path) -> None:
    for task, given in calls(tmp_path, portal.fail_once, portal.fail_once_async):
        task.defer(**given)
    for kind in ("sync", "async"):
        portal.process.configure(lock=kind).defer(customer_key="acme", document_id=f"next-{kind}")
    run(*BATCH)
    assert statuses() == {
        "acme-sync": ["failed", "succeeded"],
        "birch-sync": ["failed", "succeeded"],
        "acme-async": ["failed", "succeeded"],
        "birch-async": ["failed", "succeeded"],
        "next-sync": ["succeeded"],
        "next-async": ["succeeded"],
    }
    assert charged() == {"acme": 4, "birch": 2}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "recovery", [portal.retry_stalled_jobs, portal.retry_stalled_jobs_sync], ids=["async", "sync"]
)
def test_after_a_kill_the_job_that_waits_does_the_work(recovery: Any, tmp_path: Path) -> None:
    sent = calls(tmp_path, portal.hang_once, portal.hang_once_async)
    for task, given in sent:
        task.defer(**given)
    mark = tmp_path / "willow"
    mark.touch()
    portal.hang_once.defer(customer_key="willow", document_id="willow", mark=str(mark))
    with managing("procrastinate", "worker", "--concurrency=5") as process:
        wait_until(lambda: not list(tmp_path.iterdir()))
        process.kill()
        process.wait()
    for task, given in sent:
        task.defer(**given)
    portal.process.configure(lock="sync").defer(customer_key="acme", document_id="next")
    forget_heartbeats()
    recovery.defer(timestamp=0)
    run(*BATCH)
    assert statuses() == {
        "acme-sync": ["failed", "succeeded"],
        "birch-sync": ["failed", "succeeded"],
        "acme-async": ["failed", "succeeded"],
        "birch-async": ["failed", "succeeded"],
        "willow": ["succeeded"],
        "next": ["succeeded"],
    }
    assert charged() == {"acme": 3, "birch": 2, "willow": 1}


def taken_and_sent_again(task: Any = portal.process) -> int:
    """The job that a worker took; the other one waits."""
    taken: int = task.defer(**INVOICE)
    change(taken, "doing")
    task.defer(**INVOICE)
    return taken


def retry(job_id: int) -> None:
    portal.app.job_manager.retry_job_by_id(job_id, utcnow())


def retry_async(job_id: int) -> None:
    async_to_sync(portal.app.job_manager.retry_job_by_id_async)(job_id, utcnow())


both = pytest.mark.parametrize("retry", [retry, retry_async])


@both
def test_a_transaction_of_the_portals_goes_on(
    retry: Callable[[int], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "doc_priority")
    taken = taken_and_sent_again()
    with transaction.atomic():
        retry(taken)
        CustomerFactory.create(key="birch")
    assert statuses() == {"INV-1": ["failed", "todo"]}
    assert [(record.action, record.job_id) for record in records(caplog)] == [("gave_way", taken)]


@both
def test_a_job_that_nothing_waits_beside_is_retried(retry: Callable[[int], None]) -> None:
    job = portal.process.defer(**INVOICE)
    change(job, "doing")
    retry(job)
    assert statuses() == {"INV-1": ["todo"]}


@both
def test_a_failed_job_stays_failed_while_another_one_waits(retry: Callable[[int], None]) -> None:
    taken = taken_and_sent_again()
    change(taken, "failed")
    retry(taken)
    assert statuses() == {"INV-1": ["failed", "todo"]}


@both
def test_a_lock_of_the_callers_is_the_callers_affair(retry: Callable[[int], None]) -> None:
    taken = taken_and_sent_again(portal.process.configure(queueing_lock="one at a time"))
    with pytest.raises(UniqueViolation):
        retry(taken)
    assert statuses() == {"INV-1": ["doing", "todo"]}


@both
def test_what_is_not_there_cannot_be_retried(retry: Callable[[int], None]) -> None:
    with pytest.raises(ConnectorException), transaction.atomic():
        retry(0)


class TakesWhatWaits(DjangoConnector):
    """Another worker takes what waits as soon as the retry has failed."""

    def execute_query_one(self, query: Any, **arguments: Any) -> dict[str, Any]:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE status = 'todo'")
        return super().execute_query_one(query, **arguments)


@both
def test_a_job_gives_way_even_if_the_other_one_is_taken_meanwhile(
    retry: Callable[[int], None],
) -> None:
    taken = taken_and_sent_again()
    with portal.app.replace_connector(TakesWhatWaits()):
        retry(taken)
    assert statuses() == {"INV-1": ["failed", "doing"]}


@pytest.mark.django_db(transaction=True)
def test_over_a_connection_of_its_own() -> None:
    app = App(connector=PsycopgConnector(kwargs=connector_params()))
    task = app.task(name="process", queue="documents")(portal.process.func)
    prioritize(app, "process", customer="customer_key", document="document_id")

    async def retry_in_async_code(job_id: int) -> None:
        async with app.open_async():
            await app.job_manager.retry_job_by_id_async(job_id, utcnow())

    with app.open():
        first = taken_and_sent_again(task)
        app.job_manager.retry_job_by_id(first, utcnow())
    change(first, "doing")
    for _ in ("which ends", "which has ended"):
        async_to_sync(retry_in_async_code)(first)
        assert statuses() == {"INV-1": ["failed", "todo"]}
