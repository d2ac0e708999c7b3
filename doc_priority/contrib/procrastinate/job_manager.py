"""Where every job passes on its way into the queue, and back into it for a retry."""

import logging
from contextlib import nullcontext
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from asgiref.sync import sync_to_async
from django.db import transaction
from procrastinate import App, PsycopgConnector, sql
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import AlreadyEnqueued, UniqueViolation
from procrastinate.jobs import DEFAULT_PRIORITY, Job, Status
from procrastinate.manager import JobManager

from doc_priority.contrib.calls import PrioritizedTask

if TYPE_CHECKING:
    from doc_priority.contrib.procrastinate.batch import Batch

logger = logging.getLogger("doc_priority")

WAITING = Status.TODO.value

LOCK_PREFIX = "doc_priority:"
"""Of the queueing locks that documents get."""

managers: "WeakSet[PrioritizingJobManager]" = WeakSet()
"""Of all apps whose tasks get priorities."""

waiting: dict[str, PrioritizedTask] = {}
"""Tasks of the app that procrastinate.contrib.django is going to make."""


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
                return batch.deferred(lambda charged: plain.batch_defer_jobs(charged, connection))
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
                charged = await sync_to_async(batch.charged)()
                placed = await plain.batch_defer_jobs_async(charged, connection) if charged else []
                return batch.answer(placed)
            except AlreadyEnqueued as error:
                query = batch.query_of_waiting(error, plain.connector)
                batch.leave_out(await plain.connector.execute_query_all_async(**query))

    def retry_job_by_id(
        self,
        job_id: int,
        retry_at: datetime,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Put the job back, or end it where another one waits for the same document.

        The queueing lock is unique among jobs that wait, and the one that waits does the work.
        """
        connector = self.connector.get_sync_connector()
        # A savepoint, so that a transaction of the portal's goes on after the violation.
        savepoint = (
            transaction.atomic(using=connector.alias)
            if isinstance(connector, DjangoConnector)
            else nullcontext()
        )
        try:
            with savepoint:
                super().retry_job_by_id(job_id, retry_at, priority, queue, lock)
        except UniqueViolation as error:
            _raise_for_locks_of_others(error)
            # A job that failed already may be retried, too, and stays as it is.
            if self.get_job_status(job_id) is Status.DOING:
                connector.execute_query(
                    query=sql.queries["finish_job"],
                    job_id=job_id,
                    status=Status.FAILED.value,
                    delete_job=False,
                )
            _log_gave_way(job_id)

    async def retry_job_by_id_async(
        self,
        job_id: int,
        retry_at: datetime,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """The same in async code, as a worker does it."""
        if isinstance(self.connector, DjangoConnector):
            await sync_to_async(self.retry_job_by_id)(job_id, retry_at, priority, queue, lock)
            return
        try:
            await super().retry_job_by_id_async(job_id, retry_at, priority, queue, lock)
        except UniqueViolation as error:
            _raise_for_locks_of_others(error)
            if await self.get_job_status_async(job_id) is Status.DOING:
                await self.finish_job_by_id_async(job_id, Status.FAILED, delete_job=False)
            _log_gave_way(job_id)

    def _batch(self, jobs: list[Job]) -> "Batch | None":
        """The jobs that one call defers; None if none of them is given a priority here."""
        if not any(map(self._gives_priority_to, jobs)):
            return None
        # Needs the models, which this module must not load.
        made: Batch = import_module("doc_priority.contrib.procrastinate.batch").Batch(
            jobs, [self._listed(job) for job in jobs], self.app.tasks
        )
        for job in filter(self._gives_priority_to, jobs):
            self._refuse_misfit(job)
        return made

    def _refuse_misfit(self, job: Job) -> None:
        """Where the task is known; one that only the worker imports is taken at its word."""
        task = self.app.tasks.get(job.task_name)
        if task is not None:
            placed = [None] if task.pass_context else []
            listed = self.prioritized[job.task_name]
            listed.refuse_misfit(placed, job.task_kwargs, function=task.func)

    def _listed(self, job: Job) -> PrioritizedTask | None:
        return self.prioritized[job.task_name] if self._gives_priority_to(job) else None

    def _gives_priority_to(self, job: Job) -> bool:
        """A priority of its own is left alone; it cannot be told from the default if it is 0."""
        return job.task_name in self.prioritized and job.priority == DEFAULT_PRIORITY

    def _plain(self) -> JobManager:
        """In a worker, too, a job goes into Django's database over Django's own connection."""
        over_django = isinstance(self.home, DjangoConnector)
        in_worker = isinstance(self.connector, PsycopgConnector)
        return JobManager(self.home if over_django and in_worker else self.connector)


def _raise_for_locks_of_others(error: UniqueViolation) -> None:
    """A queueing lock that the caller set is the caller's affair."""
    if not str(error.queueing_lock).startswith(LOCK_PREFIX):
        raise error


def _log_gave_way(job_id: int) -> None:
    logger.info(
        "Job %s gave way to the one that waits for the same document",
        job_id,
        extra={"action": "gave_way", "job_id": job_id},
    )
