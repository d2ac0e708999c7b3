"""A document's check and the row of its task: both are written, or neither."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any
from uuid import UUID

from django.db import IntegrityError, router, transaction
from django.db.models.functions import Least
from django_tasks_db.backend import DatabaseBackend
from django_tasks_db.compat import TaskResultStatus, normalize_json, task_enqueued
from django_tasks_db.models import DBTaskResult, get_date_max

from doc_priority import services
from doc_priority.contrib.calls import Subject
from doc_priority.contrib.engines import as_sent, engine_priority
from doc_priority.contrib.tasks.backend import PrioritizingBackend
from doc_priority.services.transactions import in_one_transaction


def enqueue(
    backend: PrioritizingBackend,
    plainly: Callable[..., Any],
    task: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Enqueue a listed task with its customer's priority, in Django's tables each document once.

    `plainly` is the `enqueue` of the backend that ours extends, without priorities.
    """
    listed = backend.prioritized[task.module_path]
    # The worker puts the context into the first place; callers leave that place out.
    placed = (None, *args) if task.takes_context else args
    subject = listed.subject_of(placed, kwargs, function=task.func)
    if subject is None:
        # The call is for no customer; `missing` says that it is enqueued without a priority.
        return plainly(task, args, kwargs)
    listed.refuse_misfit(placed, kwargs, function=task.func)
    if not isinstance(backend, DatabaseBackend):
        return in_one_transaction(lambda: plainly(_prioritized(task, subject), args, kwargs))

    row_id = listed.id_of(subject)  # None if the call names no document
    row = None if row_id is None else _rows().filter(pk=row_id).first()
    is_enqueued = False
    if row is None:
        row, is_enqueued = in_one_transaction(
            lambda: _write(backend, _prioritized(task, subject), args, kwargs, row_id)
        )
    elif row.status == TaskResultStatus.FAILED:
        is_enqueued = in_one_transaction(lambda: _put_back(row, task, args, kwargs, subject))
        row.refresh_from_db(using=_alias())
    result = row.task_result
    if is_enqueued:
        task_enqueued.send(type(backend), task_result=result)
    return result


def _prioritized(task: Any, subject: Subject) -> Any:
    """Count the document, and give the task with the priority that follows."""
    (decision,) = as_sent([services.check(subject.customer, document=subject.document)])
    return task.using(priority=engine_priority(decision, "django-tasks"))


def _write(
    backend: DatabaseBackend,
    task: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    row_id: UUID | None,
) -> tuple[Any, bool]:
    """Write the row; the row, and whether it was this call that wrote it.

    Two calls for one document may both find no row. The second then meets the first one's row, and
    its check was a repeat that counted nothing.
    """
    # A copy, because other threads use the backend, and only this row gets this id.
    writing = copy(backend)
    if row_id is not None:
        writing.id_function = lambda: row_id
    try:
        with transaction.atomic(using=_alias()):
            return writing._task_to_db_task(task, args, kwargs), True
    except IntegrityError:
        row = _rows().select_for_update().filter(pk=row_id).first()
        if row is None:
            raise
        return row, False


def _put_back(
    row: Any, task: Any, args: Sequence[Any], kwargs: Mapping[str, Any], subject: Subject
) -> bool:
    """Make a failed task ready again, with the arguments of this call; not if another call did.

    It keeps its priority, or gets the customer's live one if that is worse.
    """
    live = engine_priority(services.peek(subject.customer), "django-tasks")
    again = _rows().filter(pk=row.pk, status=TaskResultStatus.FAILED)
    return bool(
        again.update(
            status=TaskResultStatus.READY,
            priority=Least("priority", live),
            args_kwargs=normalize_json({"args": args, "kwargs": kwargs}),
            queue_name=task.queue_name,
            run_after=task.run_after or get_date_max(),
            finished_at=None,
            exception_class_path="",
            traceback="",
        )
    )


def _alias() -> str:
    return router.db_for_write(DBTaskResult)


def _rows() -> Any:
    """From the database that is written to; a replica may be behind it."""
    return DBTaskResult.objects.using(_alias())
