"""The job manager, through which every job goes when it is deferred and when it is retried."""

import logging
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from asgiref.sync import sync_to_async
from django.db import router, transaction
from django.db.models import Min, Q
from django.db.models.functions import Greatest
from django.utils import timezone
from procrastinate import App, PsycopgConnector, sql
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import AlreadyEnqueued, UniqueViolation
from procrastinate.jobs import DEFAULT_PRIORITY, Job, Status
from procrastinate.manager import JobManager

from doc_priority.contrib.calls import PrioritizedTask

if TYPE_CHECKING:
    from doc_priority.contrib.procrastinate.batch import Batch

logger = logging.getLogger("doc_priority")

TODO = Status.TODO.value

LOCK_PREFIX = "doc_priority:"
"""The queueing lock of a document is this and the document's id."""

managers: "WeakSet[PrioritizingJobManager]" = WeakSet()
"""Those of all apps whose tasks get priorities."""

postponed: dict[str, PrioritizedTask] = {}
"""Tasks named to `prioritize` before procrastinate.contrib.django has made its app."""


class PrioritizingJobManager(JobManager):
    """Gives the jobs of listed tasks their priorities; others it passes on as they are."""

    def __init__(self, app: App) -> None:
        super().__init__(app.connector)
        self.app = app
        self.prioritized: dict[str, PrioritizedTask] = {}
        self.home = app.connector
        managers.add(self)

    def batch_defer_jobs(self, jobs: list[Job], connection: Any | None = None) -> list[Job]:
        batch, plain = self._batch(jobs), self._plain()
        if batch is None:
            return super().batch_defer_jobs(jobs, connection)
        while True:
            try:
                return batch.deferred(lambda counted: plain.batch_defer_jobs(counted, connection))
            except AlreadyEnqueued as error:
                connector = plain.connector.get_sync_connector()
                query = batch.query_of_waiting(error, connector)
                batch.leave_out(connector.execute_query_all(**query))

    async def batch_defer_jobs_async(
        self, jobs: list[Job], connection: Any | None = None
    ) -> list[Job]:
        batch, plain = self._batch(jobs), self._plain()
        if batch is None:
            return await super().batch_defer_jobs_async(jobs, connection)
        if isinstance(plain.connector, DjangoConnector):
            return await sync_to_async(self.batch_defer_jobs)(jobs, connection)
        while True:
            try:
                counted = await sync_to_async(batch.counted)()
                placed = await plain.batch_defer_jobs_async(counted, connection) if counted else []
                return batch.deferred_or_waiting(placed)
            except AlreadyEnqueued as error:
                query = batch.query_of_waiting(error, plain.connector)
                batch.leave_out(await plain.connector.execute_query_all_async(**query))

    def retry_job_by_id(self, job_id: int, *args: Any, **kwargs: Any) -> None:
        """Put the job back, or end it if another job waits for the same document.

        A queueing lock is unique among waiting jobs, and the waiting job does the work.
        """
        connector = self.connector.get_sync_connector()
        # A savepoint, so that the portal's own transaction can go on after the violation.
        savepoint = (
            transaction.atomic(using=connector.alias)
            if isinstance(connector, DjangoConnector)
            else nullcontext()
        )
        try:
            with savepoint:
                super().retry_job_by_id(job_id, *args, **kwargs)
        except UniqueViolation as error:
            _log_giving_way(job_id, error)
            # A job that has already failed may be retried, too; it stays as it is.
            if self.get_job_status(job_id) is Status.DOING:
                connector.execute_query(
                    query=sql.queries["finish_job"],
                    job_id=job_id,
                    status=Status.FAILED.value,
                    delete_job=False,
                )

    async def retry_job_by_id_async(self, job_id: int, *args: Any, **kwargs: Any) -> None:
        """The same in async code, as a worker does it."""
        if isinstance(self.connector, DjangoConnector):
            await sync_to_async(self.retry_job_by_id)(job_id, *args, **kwargs)
            return
        try:
            await super().retry_job_by_id_async(job_id, *args, **kwargs)
        except UniqueViolation as error:
            _log_giving_way(job_id, error)
            if await self.get_job_status_async(job_id) is Status.DOING:
                await self.finish_job_by_id_async(job_id, Status.FAILED, delete_job=False)

    def _batch(self, jobs: list[Job]) -> "Batch | None":
        """The jobs that one call defers; None if none of them is given a priority here.

        A job with a priority of its own keeps it. A priority of 0 looks like the default.
        """
        listed = [
            self.prioritized.get(job.task_name) if job.priority == DEFAULT_PRIORITY else None
            for job in jobs
        ]
        if not any(listed):
            return None
        # Loads the models, which must not be loaded where tasks are declared.
        from doc_priority.contrib.procrastinate.batch import Batch

        return Batch(jobs, listed, self.app.tasks)

    def _plain(self) -> JobManager:
        """The manager that defers, without priorities.

        A worker has a connection of its own. Its jobs, too, are deferred over Django's connection,
        so that the check and the job are one transaction.
        """
        over_django = isinstance(self.home, DjangoConnector)
        in_worker = isinstance(self.connector, PsycopgConnector)
        return JobManager(self.home if over_django and in_worker else self.connector)


def _log_giving_way(job_id: int, error: UniqueViolation) -> None:
    """Say so in the log; raise the error for a queueing lock that the caller has set."""
    if not str(error.queueing_lock).startswith(LOCK_PREFIX):
        raise error
    logger.info(
        "Job %s gave way to the one that waits for the same document",
        job_id,
        extra={"action": "gave_way", "job_id": job_id},
    )


def oldest() -> datetime | None:
    """Since when the oldest job waits that a worker could take now; None if none waits.

    Only jobs of prioritised tasks. A job that was scheduled waits since that time.
    """
    from procrastinate.contrib.django.models import ProcrastinateJob

    names = {name for manager in list(managers) for name in manager.prioritized}
    jobs = ProcrastinateJob.objects.using(router.db_for_write(ProcrastinateJob)).filter(
        Q(scheduled_at__isnull=True) | Q(scheduled_at__lte=timezone.now()),
        status=TODO,
        task_name__in=names,
        procrastinateevent__type="deferred",  # the event with which a job begins
    )
    # PostgreSQL's GREATEST leaves out what is NULL: the job was not scheduled.
    since = Min(Greatest("procrastinateevent__at", "scheduled_at"))
    found: datetime | None = jobs.aggregate(oldest=since)["oldest"]
    return found
