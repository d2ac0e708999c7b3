"""The jobs that one call defers: counted together, each document deferred once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from procrastinate import sql
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import Job
from procrastinate.tasks import Task
from procrastinate.testing import InMemoryConnector

from doc_priority import services
from doc_priority.contrib.calls import PrioritizedTask, Subject
from doc_priority.contrib.engines import as_sent, engine_priorities
from doc_priority.contrib.procrastinate.job_manager import LOCK_PREFIX, TODO
from doc_priority.services.transactions import in_one_transaction

ATTEMPTS = 10
"""Maximum attempts: a worker may take a waiting job before it is read here."""

WAITING_JOBS = (
    "SELECT id, status, priority, queueing_lock FROM procrastinate_jobs "
    "WHERE status = 'todo' AND queueing_lock = ANY(%(locks)s::text[])"
)


class _Call(NamedTuple):
    """A job, and whose document it is, if it gets a priority.

    Calls for the same document have the same key, its lock; others have their place in the batch.
    """

    key: str | int
    job: Job
    subject: Subject | None


class Batch:
    """The jobs of one call, and which of their documents wait in the queue already.

    That is known only after deferring has failed: `counted` gives the jobs to defer, and when one
    meets the lock of a waiting job, `query_of_waiting` and `leave_out` sort out those documents.
    Then the caller begins again with `counted`.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        listed: Sequence[PrioritizedTask | None],
        tasks: Mapping[str, Task[Any, Any, Any]],
    ) -> None:
        self._calls = [
            _call_of(place, job, prioritized, tasks.get(job.task_name))
            for place, (job, prioritized) in enumerate(zip(jobs, listed, strict=True))
        ]
        # The first call of each document that does not wait, and every call without one.
        self._new: dict[str | int, _Call] = {}
        for call in self._calls:
            self._new.setdefault(call.key, call)
        self._waiting: dict[str | int, Job] = {}
        self._attempts = ATTEMPTS

    def deferred(self, defer: Callable[[list[Job]], list[Job]]) -> list[Job]:
        """Count and defer; if both are in one database, both are committed or neither."""

        def count_and_defer() -> list[Job]:
            counted = self.counted()
            return defer(counted) if counted else []

        return self.deferred_or_waiting(in_one_transaction(count_and_defer))

    def counted(self) -> list[Job]:
        """Count the documents that do not wait; their jobs, with the priorities that follow."""
        calls = self._new.values()
        subjects = [call.subject for call in calls if call.subject is not None]
        items = [(one.customer, one.document) if one.document else one.customer for one in subjects]
        decisions = as_sent(services.check_many(items))
        priorities = iter(engine_priorities(decisions, "procrastinate"))
        return [
            call.job if call.subject is None else call.job.evolve(priority=next(priorities))
            for call in calls
        ]

    def deferred_or_waiting(self, placed: list[Job]) -> list[Job]:
        """For each job of the call: the job that was deferred for it, or that waits already."""
        found = {**dict(zip(self._new, placed, strict=True)), **self._waiting}
        jobs = [(call.job, found[call.key]) for call in self._calls]
        return [
            job.evolve(id=one.id, status=one.status, priority=one.priority) for job, one in jobs
        ]

    def query_of_waiting(self, error: AlreadyEnqueued, connector: BaseConnector) -> dict[str, Any]:
        """The query for jobs that wait for our documents; raises any other error."""
        locks = [key for key in self._new if isinstance(key, str)]
        self._attempts -= 1
        if getattr(error.__cause__, "queueing_lock", None) not in locks or not self._attempts:
            raise error
        if isinstance(connector, InMemoryConnector):
            # The connector in memory knows only Procrastinate's own queries.
            return {"query": sql.queries["list_jobs"], "status": TODO}
        return {"query": WAITING_JOBS, "locks": locks}

    def leave_out(self, rows: Iterable[dict[str, Any]]) -> None:
        """Do not defer these, which wait already."""
        for row in rows:
            call = self._new.pop(row["queueing_lock"], None)
            if call is not None:
                self._waiting[call.key] = call.job.evolve(
                    id=row["id"], status=row["status"], priority=row["priority"]
                )
                # Each such row leaves fewer to defer, so this comes to an end.
                self._attempts = ATTEMPTS


def _call_of(
    place: int, job: Job, listed: PrioritizedTask | None, task: Task[Any, Any, Any] | None
) -> _Call:
    """The task is None if only the worker imports it; then its arguments are not known here."""
    if listed is None:
        return _Call(place, job, None)
    subject = listed.subject_of((), job.task_kwargs, function=None if task is None else task.func)
    if task is not None:
        placed = [None] if task.pass_context else []
        listed.refuse_misfit(placed, job.task_kwargs, function=task.func)
    document = None if subject is None else listed.id_of(subject)
    if document is None or job.queueing_lock is not None:
        return _Call(place, job, subject)
    lock = f"{LOCK_PREFIX}{document}"
    return _Call(lock, job.evolve(queueing_lock=lock), subject)
