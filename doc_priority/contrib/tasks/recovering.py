"""The queue of listed tasks: since when the oldest waits, and tasks whose worker was killed.

Such tasks stay RUNNING, and no worker looks at them again.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import router
from django.db.models import Min, Q
from django.db.models.functions import Greatest
from django.utils import timezone
from django_tasks_db.compat import TaskResultStatus, task_backends
from django_tasks_db.models import DBTaskResult, get_date_max

from doc_priority.contrib.tasks.backend import PrioritizingBackend
from doc_priority.services.transactions import in_one_transaction

logger = logging.getLogger("doc_priority")


def put_back_abandoned(*, older_than: timedelta) -> int:
    """Make listed tasks ready again that have been running for longer; the number of them.

    They keep their priority and are not counted again. A task whose worker is still alive runs
    twice, so the time must be longer than the longest task takes.
    """
    count: int = in_one_transaction(
        lambda: abandoned(older_than).update(status=TaskResultStatus.READY)
    )
    logger.info("Put back %s tasks", count, extra={"action": "put_back", "tasks": count})
    return count


def abandoned(older_than: timedelta) -> Any:
    """The rows that `put_back_abandoned` would make ready again."""
    return _listed().filter(
        status=TaskResultStatus.RUNNING, started_at__lt=timezone.now() - older_than
    )


def oldest() -> datetime | None:
    """Since when the oldest task waits that a worker could take now; None if none waits.

    A task with a `run_after` waits since then.
    """
    ready = _listed().filter(status=TaskResultStatus.READY)
    found = ready.aggregate(
        at_any_time=Min("enqueued_at", filter=Q(run_after=get_date_max())),
        due=Min(Greatest("enqueued_at", "run_after"), filter=Q(run_after__lte=timezone.now())),
    )
    return min(filter(None, found.values()), default=None)


def _listed() -> Any:
    """The rows of tasks that get priorities. Others are left alone: to run twice may harm them."""
    listed = Q(pk__in=())
    for backend in task_backends.all():
        if isinstance(backend, PrioritizingBackend):
            listed |= Q(backend_name=backend.alias, task_path__in=list(backend.prioritized))
    return DBTaskResult.objects.using(router.db_for_write(DBTaskResult)).filter(listed)
