"""A document's check and the row of its task, both or neither."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.db import IntegrityError, router, transaction
from django.db.models.functions import Least
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.models import DBTaskResult, get_date_max

from doc_priority import services
from doc_priority.contrib.calls import Subject
from doc_priority.contrib.engines import as_sent, engine_priority
from doc_priority.contrib.tasks.backend import PrioritizingBackend
from doc_priority.contrib.tasks.framework import TaskResultStatus, normalize_json, task_enqueued
from doc_priority.services.transactions import together

T = TypeVar("T")


class _Call(NamedTuple):
    """One call of a listed task, and whom it is for."""

    backend: PrioritizingBackend
    task: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    subject: Subject
    row_id: UUID | None

    def prioritized(self) -> Any:
        """Count the document, and give the task with the priority that follows."""
        [decision] = as_sent(
            [services.check(self.subject.customer, document=self.subject.document)]
        )
        return self.task.using(priority=engine_priority(decision, "django-tasks"))


class _Row(NamedTuple):
    """The row of a task, and whether this call put it into the queue."""

    row: "DBTaskResult[..., Any]"
    enqueued: bool


def enqueue(
    backend: PrioritizingBackend,
    plainly: Callable[..., Any],
    task: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Enqueue a listed task, a document once; other backends than the database's do it plainly."""
    call = _call_of(backend, task, args, kwargs)
    if call is None:
        return plainly(task, args, kwargs)
    if not isinstance(backend, DatabaseBackend):
        return together(lambda: plainly(call.prioritized(), args, kwargs))
    outcome = _enqueued_before(call) or together(lambda: _placed(call, backend))
    result = outcome.row.task_result
    if outcome.enqueued:
        task_enqueued.send(type(backend), task_result=result)
    return result


def _call_of(
    backend: PrioritizingBackend, task: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> _Call | None:
    """None where the call is not for a customer and is to be enqueued all the same."""
    listed = backend.prioritized[task.module_path]
    # The worker puts the context into the first place; callers leave that place out.
    placed = (None, *args) if task.takes_context else args
    subject = listed.subject_of(placed, kwargs, function=task.func)
    if subject is None:
        return None
    listed.refuse_misfit(placed, kwargs, function=task.func)
    return _Call(backend, task, args, kwargs, subject, listed.id_of(subject))


def _placed(call: _Call, backend: DatabaseBackend) -> _Row:
    """The document charged and its row written, unless another call wrote it meanwhile."""
    task = call.prioritized()
    placing = copy(backend)
    if call.row_id is not None:
        placing.id_function = lambda: call.row_id
    try:
        with transaction.atomic(using=_alias()):
            return _Row(placing._task_to_db_task(task, call.args, call.kwargs), enqueued=True)
    except IntegrityError:
        row = _rows().select_for_update().filter(pk=call.row_id).first()
        if row is None:
            raise
        return _Row(row, enqueued=False)


def _enqueued_before(call: _Call) -> _Row | None:
    """The document's row if it has one; a task that failed goes back into the queue."""
    row = None if call.row_id is None else _rows().filter(pk=call.row_id).first()
    if row is None or row.status != TaskResultStatus.FAILED:
        return row and _Row(row, enqueued=False)
    enqueued = together(lambda: _put_back(call))
    row.refresh_from_db(using=_alias())
    return _Row(row, enqueued)


def _put_back(call: _Call) -> bool:
    """A failed task is ready again, with the arguments of this call.

    At its old priority, or at the customer's live one if that is worse.
    """
    live = engine_priority(services.peek(call.subject.customer), "django-tasks")
    again = _rows().filter(pk=call.row_id, status=TaskResultStatus.FAILED)
    return bool(
        again.update(
            status=TaskResultStatus.READY,
            priority=Least("priority", live),
            args_kwargs=normalize_json({"args": call.args, "kwargs": call.kwargs}),
            queue_name=call.task.queue_name,
            run_after=call.task.run_after or get_date_max(),
            finished_at=None,
            exception_class_path="",
            traceback="",
        )
    )


def _alias() -> str:
    return router.db_for_write(DBTaskResult)


def _rows() -> Any:
    """As the database that is written to has them; a replica may lag behind."""
    return DBTaskResult.objects.using(_alias())
