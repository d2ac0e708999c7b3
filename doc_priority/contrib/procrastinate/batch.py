"""The jobs that one call defers: charged in one go, each document deferred once."""

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
    """A job; whose document it is, if it gets a priority; and the lock of its document."""

    job: Job
    subject: Subject | None
    lock: str


class Batch:
    """The jobs of one call, and which of their documents wait in the queue already.

    That is known only after deferring has failed: `charged` gives the jobs to defer, and when one
    meets the lock of a waiting job, `query_of_waiting` and `leave_out` sort out those documents.
    Then the caller begins again with `charged`.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        listed: Sequence[PrioritizedTask | None],
        tasks: Mapping[str, Task[Any, Any, Any]],
    ) -> None:
        functions = [tasks[job.task_name].func if job.task_name in tasks else None for job in jobs]
        self._calls = list(map(_call_of, jobs, listed, functions))
        self._waiting: dict[str, Job] = {}
        self._attempts = ATTEMPTS

    def deferred(self, defer: Callable[[list[Job]], list[Job]]) -> list[Job]:
        """Charge and defer; if both are in one database, both are committed or neither."""

        def charge_and_defer() -> list[Job]:
            charged = self.charged()
            return defer(charged) if charged else []

        return self.deferred_or_waiting(in_one_transaction(charge_and_defer))

    def charged(self) -> list[Job]:
        """Count the documents that do not wait; their jobs, with the priorities that follow."""
        calls = list(self._new().values())
        asked = [(one.customer, one.document) for _, one, _ in calls if one is not None]
        decisions = as_sent(services.check_many([pair if pair[1] else pair[0] for pair in asked]))
        priorities = iter(engine_priorities(decisions, "procrastinate"))
        return [
            call.job if call.subject is None else call.job.evolve(priority=next(priorities))
            for call in calls
        ]

    def deferred_or_waiting(self, placed: list[Job]) -> list[Job]:
        """For each job of the call: the job that was deferred for it, or that waits already."""
        found: dict[object, Job] = dict(zip(self._new(), placed, strict=True))
        found.update(self._waiting)
        jobs = [(call.job, found[_name(place, call)]) for place, call in enumerate(self._calls)]
        return [
            job.evolve(id=one.id, status=one.status, priority=one.priority) for job, one in jobs
        ]

    def query_of_waiting(self, error: AlreadyEnqueued, connector: BaseConnector) -> dict[str, Any]:
        """The query for jobs that wait for our documents; raises any other error."""
        locks = [call.lock for call in self._new().values() if call.lock]
        self._attempts -= 1
        if getattr(error.__cause__, "queueing_lock", None) not in locks or not self._attempts:
            raise error
        if isinstance(connector, InMemoryConnector):
            # The connector in memory knows only Procrastinate's own queries.
            return {"query": sql.queries["list_jobs"], "status": TODO}
        return {"query": WAITING_JOBS, "locks": locks}

    def leave_out(self, rows: Iterable[dict[str, Any]]) -> None:
        """Do not defer these, which wait already."""
        new = self._new()
        for row in rows:
            lock = row["queueing_lock"]
            if lock in new:
                self._waiting[lock] = new[lock].job.evolve(
                    id=row["id"], status=row["status"], priority=row["priority"]
                )
                # Each such row leaves fewer to defer, so this comes to an end.
                self._attempts = ATTEMPTS

    def _new(self) -> dict[object, _Call]:
        """The first call of each document that does not wait, and every call without one."""
        new: dict[object, _Call] = {}
        for place, call in enumerate(self._calls):
            if call.lock not in self._waiting:
                new.setdefault(_name(place, call), call)
        return new


def _name(place: int, call: _Call) -> object:
    return call.lock or place


def _call_of(
    job: Job, listed: PrioritizedTask | None, function: Callable[..., Any] | None
) -> _Call:
    if listed is None:
        return _Call(job, None, "")
    subject = listed.subject_of((), job.task_kwargs, function=function)
    if subject is None:
        return _Call(job, None, "")
    document = listed.id_of(subject)
    if document is None or job.queueing_lock is not None:
        return _Call(job, subject, "")
    lock = f"{LOCK_PREFIX}{document}"
    return _Call(job.evolve(queueing_lock=lock), subject, lock)
