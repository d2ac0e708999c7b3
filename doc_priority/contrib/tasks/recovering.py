"""Tasks whose worker was killed: they stay RUNNING, and no worker looks at them again."""

import logging
from datetime import timedelta
from typing import Any

from django.db import router
from django.db.models import Q
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority.contrib.tasks.backend import PrioritizingBackend
from doc_priority.contrib.tasks.framework import TaskResultStatus, task_backends
from doc_priority.services.transactions import together

logger = logging.getLogger("doc_priority")


def put_back_abandoned(*, older_than: timedelta) -> int:
    """Make listed tasks ready again that have been running for longer; give how many there were.

    They keep their priority and are charged nothing. One whose worker is alive after all runs
    twice, so the time must be longer than the longest task takes.
    """
    count: int = together(lambda: abandoned(older_than).update(status=TaskResultStatus.READY))
    logger.info("Put back %s tasks", count, extra={"action": "put_back", "tasks": count})
    return count


def count_abandoned(*, older_than: timedelta) -> int:
    """How many of them there are."""
    count: int = abandoned(older_than).count()
    return count


def abandoned(older_than: timedelta) -> Any:
    """Only tasks that are listed: what else a portal runs may not bear to be run twice."""
    rows = DBTaskResult.objects.using(router.db_for_write(DBTaskResult))
    return rows.filter(
        of_listed_tasks(),
        status=TaskResultStatus.RUNNING,
        started_at__lt=timezone.now() - older_than,
    )


def of_listed_tasks() -> Q:
    """The rows of tasks that are given priorities."""
    listed = Q(pk__in=())
    for backend in task_backends.all():
        if isinstance(backend, PrioritizingBackend):
            listed |= Q(backend_name=backend.alias, task_path__in=list(backend.prioritized))
    return listed
