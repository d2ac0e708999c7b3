"""A real worker takes jobs in order, and after a kill none is lost."""

import json
from collections import defaultdict
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

from doc_priority import services
from doc_priority.contrib.procrastinate import prioritize
from doc_priority.models import Counter
from doc_priority.testing import set_pending_documents
from tests.contrib.procrastinate import portal
from tests.contrib.tasks.test_workers import BACKLOG, DOCUMENTS, URGENT, levels_of, subjects
from tests.contrib.workers import eventually, inversions, manage, running
from tests.factories import CustomerFactory
from tests.logged import records

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

WORKER = ("procrastinate", "worker", "--concurrency=1")
BATCH = (*WORKER, "--one-shot")
WITHOUT = portal.process.configure(priority=1)
"""A call with an explicit priority goes without the adapter."""


def job_of(customer: str, document: str) -> dict[str, str]:
    return {"customer_key": customer, "document_id": document}


def query(sql: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def started() -> list[tuple[int, dict[str, Any]]]:
    """The jobs that a worker took, in that order, each with its id and arguments."""
    found = query(
        "SELECT j.id, j.args::text FROM procrastinate_events e "
        "JOIN procrastinate_jobs j ON j.id = e.job_id WHERE e.type = 'started' ORDER BY e.id"
    )
    return [(job, json.loads(args)) for job, args in found]


@pytest.mark.parametrize("task", [portal.process, WITHOUT], ids=["with", "without"])
def test_only_with_the_adapter_all_levels_are_taken_in_their_order(task: Any) -> None:
    documents = subjects()
    if task is WITHOUT:
        services.check_many(documents)
    task.batch_defer(*[job_of(*one) for one in documents])
    manage(*BATCH)
    levels = levels_of([args["document_id"] for _, args in started()])
    assert len(levels) == DOCUMENTS
    assert len(set(levels)) > 12
    if task is WITHOUT:
        assert inversions(levels) > DOCUMENTS
    else:
        assert inversions(levels) == 0


@pytest.mark.parametrize("task", [portal.process, WITHOUT], ids=["with", "without"])
def test_an_urgent_document_starts_next(task: Any) -> None:
    """Although many at 9 wait already; without the adapter it waits for them."""
    set_pending_documents("flood", -50)
    task.batch_defer(*[job_of("flood", str(number)) for number in range(BACKLOG)])
    with running("-m", "django", *WORKER):
        eventually(lambda: len(started()) > BACKLOG // 10)
        urgent = {}
        for number in range(URGENT):
            job = task.defer(**job_of(f"quiet{number}", "urgent"))
            ((urgent[job],),) = query("SELECT max(id) FROM procrastinate_events")
        eventually(lambda: {job for job, _ in started()} >= urgent.keys())
    # How many others were started between the return of each urgent one's call and its start.
    overtaken_by = [
        query(
            "SELECT count(*) FROM procrastinate_events e, procrastinate_events s "
            "WHERE s.job_id = %s AND s.type = 'started' AND e.type = 'started' AND e.id > %s "
            "AND e.id < s.id AND NOT e.job_id = ANY(%s)",
            job,
            last_event,
            list(urgent),
        )[0][0]
        for job, last_event in urgent.items()
    ]
    if task is portal.process:
        assert max(overtaken_by, default=0) <= 1  # which the worker had taken already
    else:
        assert sum(overtaken_by) > BACKLOG


def statuses() -> dict[str, list[str]]:
    """The status of the jobs of each document, in the order in which they were deferred."""
    found = defaultdict(list)
    for job in ProcrastinateJob.objects.filter(queue_name="documents").order_by("pk"):
        found[job.args["document_id"]].append(job.status)
    return found


def charged() -> dict[str, int]:
    """The number of counted documents of each customer; the first one counts 0."""
    counters = Counter.objects.values_list("customer__key", "pending_documents")
    return {customer: 1 - pending for customer, pending in counters}


def change(job: int, status: str) -> None:
    query("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", status, job)


def calls(directory: Path, sync_task: Any, async_task: Any) -> list[tuple[Any, dict[str, str]]]:
    """A document for each kind of task, with a lock (of Acme's) and without (of Birch's)."""
    found = []
    for kind, task in (("sync", sync_task), ("async", async_task)):
        for customer, lock in (("acme", kind), ("birch", None)):
            mark = directory / f"{customer}-{kind}"
            mark.touch()
            given = {**job_of(customer, mark.name), "mark": str(mark)}
            found.append((task.configure(lock=lock), given))
    return found


def test_after_a_failure_the_job_that_waits_does_the_work(tmp_path: Path) -> None:
    sent = calls(tmp_path, portal.fail_once, portal.fail_once_async)
    for task, given in sent:
        task.defer(**given)
    for kind in ("sync", "async"):
        portal.process.configure(lock=kind).defer(**job_of("acme", f"next-{kind}"))
    manage(*BATCH)
    gave_way = {given["document_id"]: ["failed", "succeeded"] for _, given in sent}
    assert statuses() == {**gave_way, "next-sync": ["succeeded"], "next-async": ["succeeded"]}
    assert charged() == {"acme": 4, "birch": 2}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_after_a_kill_the_job_that_waits_does_the_work(kind: str, tmp_path: Path) -> None:
    recovery = portal.retry_stalled_jobs if kind == "sync" else portal.retry_stalled_jobs_async
    sent = calls(tmp_path, portal.hang_once, portal.hang_once_async)
    for task, given in sent:
        task.defer(**given)
    mark = tmp_path / "willow"
    mark.touch()
    portal.hang_once.defer(**job_of("willow", "willow"), mark=str(mark))
    with running("-m", "django", "procrastinate", "worker", "--concurrency=5"):
        eventually(lambda: not list(tmp_path.iterdir()))  # and is killed
    for task, given in sent:
        task.defer(**given)
    portal.process.configure(lock="sync").defer(**job_of("acme", "next"))
    # As if every worker had been away for an hour.
    query("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
    recovery.defer(timestamp=0)
    manage(*BATCH)
    gave_way = {given["document_id"]: ["failed", "succeeded"] for _, given in sent}
    assert statuses() == {**gave_way, "willow": ["succeeded"], "next": ["succeeded"]}
    assert charged() == {"acme": 3, "birch": 2, "willow": 1}


def taken_and_sent_again(task: Any, **document: str) -> int:
    """The job that a worker took; the other one waits."""
    taken: int = task.defer(**document)
    change(taken, "doing")
    task.defer(**document)
    return taken


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_retried_job_gives_way_to_one_that_waits(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether a worker retries it, or the search for stalled jobs."""

    class TakesWhatWaits(DjangoConnector):
        """Another worker takes what waits as soon as the retry has failed."""

        def execute_query_one(self, **arguments: Any) -> dict[str, Any]:
            query("UPDATE procrastinate_jobs SET status = 'doing' WHERE status = 'todo'")
            return super().execute_query_one(**arguments)

    def retry(job: int) -> None:
        manager = portal.app.job_manager
        if kind == "sync":
            manager.retry_job_by_id(job, utcnow())
        else:
            async_to_sync(manager.retry_job_by_id_async)(job, utcnow())

    caplog.set_level("INFO", "doc_priority")
    taken = taken_and_sent_again(portal.process, **job_of("acme", "INV-1"))
    with transaction.atomic():  # of the portal's, which goes on
        retry(taken)
        CustomerFactory.create(key="birch")
    assert statuses() == {"INV-1": ["failed", "todo"]}
    assert [(record.action, record.job_id) for record in records(caplog)] == [("gave_way", taken)]
    retry(taken)  # that failed, while another one waits
    assert statuses() == {"INV-1": ["failed", "todo"]}
    # One that nothing waits beside is retried.
    alone = portal.process.defer(**job_of("acme", "INV-2"))
    change(alone, "doing")
    retry(alone)
    assert statuses()["INV-2"] == ["todo"]
    # Not one that is not there; and a lock of the caller's is the caller's affair.
    with pytest.raises(ConnectorException), transaction.atomic():
        retry(0)
    locked = portal.process.configure(queueing_lock="one at a time")
    taken = taken_and_sent_again(locked, **job_of("acme", "INV-3"))
    with pytest.raises(UniqueViolation):
        retry(taken)
    assert statuses()["INV-3"] == ["doing", "todo"]
    # Even if the other one is taken meanwhile
    taken = taken_and_sent_again(portal.process, **job_of("acme", "INV-4"))
    with portal.app.replace_connector(TakesWhatWaits()):
        retry(taken)
    assert statuses()["INV-4"] == ["failed", "doing"]


def test_a_retry_over_a_connection_of_its_own() -> None:
    app = App(connector=PsycopgConnector(kwargs=connector_params()))
    task = app.task(name="process", queue="documents")(portal.process.func)
    prioritize(app, "process", customer="customer_key", document="document_id")

    async def retry_in_async_code(job: int) -> None:
        async with app.open_async():
            await app.job_manager.retry_job_by_id_async(job, utcnow())

    with app.open():
        first = taken_and_sent_again(task, **job_of("acme", "INV-1"))
        app.job_manager.retry_job_by_id(first, utcnow())
    change(first, "doing")
    for _ in ("which ends", "which has ended"):
        async_to_sync(retry_in_async_code)(first)
        assert statuses() == {"INV-1": ["failed", "todo"]}
