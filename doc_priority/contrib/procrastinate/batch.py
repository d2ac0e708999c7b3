"""The jobs of one call: charged together, a document that still waits left where it is."""

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
from doc_priority.contrib.procrastinate.job_manager import LOCK_PREFIX, WAITING
from doc_priority.services.transactions import in_one_transaction

ATTEMPTS = 10
"""So often in a row a job that waits may be taken by a worker before it is read."""

WAITING_JOBS = (
    "SELECT id, status, priority, queueing_lock FROM procrastinate_jobs "
    "WHERE status = 'todo' AND queueing_lock = ANY(%(locks)s::text[])"
)


class _Call(NamedTuple):
    """A job, whom it is for if it is given a priority, and the lock that its document gave it."""

    job: Job
    subject: Subject | None
    lock: str


class Batch:
    """Knows which of its documents wait already, as soon as the queue has said so."""

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
        """Charged and deferred, or neither where both are one database's work."""

        def charge_and_defer() -> list[Job]:
            charged = self.charged()
            return defer(charged) if charged else []

        return self.answer(in_one_transaction(charge_and_defer))

    def charged(self) -> list[Job]:
        """The jobs to defer, each document once and with its priority, after counting them."""
        calls = list(self._new().values())
        asked = [(one.customer, one.document) for _, one, _ in calls if one is not None]
        decisions = as_sent(services.check_many([pair if pair[1] else pair[0] for pair in asked]))
        priorities = iter(engine_priorities(decisions, "procrastinate"))
        return [
            call.job if call.subject is None else call.job.evolve(priority=next(priorities))
            for call in calls
        ]

    def answer(self, placed: list[Job]) -> list[Job]:
        """The job of each call, in the order of the calls."""
        found: dict[object, Job] = dict(zip(self._new(), placed, strict=True))
        found.update(self._waiting)
        jobs = [(call.job, found[_name(place, call)]) for place, call in enumerate(self._calls)]
        return [
            job.evolve(id=one.id, status=one.status, priority=one.priority) for job, one in jobs
        ]

    def query_of_waiting(self, error: AlreadyEnqueued, connector: BaseConnector) -> dict[str, Any]:
        """What to ask for the documents that wait; a lock the caller set is its own affair."""
        locks = [call.lock for call in self._new().values() if call.lock]
        self._attempts -= 1
        if getattr(error.__cause__, "queueing_lock", None) not in locks or not self._attempts:
            raise error
        if isinstance(connector, InMemoryConnector):
            # It knows no queries but Procrastinate's.
            return {"query": sql.queries["list_jobs"], "status": WAITING}
        return {"query": WAITING_JOBS, "locks": locks}

    def leave_out(self, rows: Iterable[dict[str, Any]]) -> None:
        """Not to defer these, which wait already; there are ever fewer left to defer."""
        new = self._new()
        for row in rows:
            lock = row["queueing_lock"]
            if lock in new:
                self._waiting[lock] = new[lock].job.evolve(
                    id=row["id"], status=row["status"], priority=row["priority"]
                )
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
