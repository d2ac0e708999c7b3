"""Since when the oldest document waits in the database's queue."""

from datetime import datetime

from django.db import router
from django.db.models import Min
from django.db.models.functions import Greatest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult, get_date_max

from doc_priority.contrib.tasks.framework import TaskResultStatus
from doc_priority.contrib.tasks.recovering import of_listed_tasks


def oldest() -> datetime | None:
    """Of the listed tasks that a worker could take now; one with a `run_after` waits since then."""
    ready = DBTaskResult.objects.using(router.db_for_write(DBTaskResult)).filter(
        of_listed_tasks(), status=TaskResultStatus.READY
    )
    at_once = ready.filter(run_after=get_date_max()).aggregate(since=Min("enqueued_at"))
    due = ready.filter(run_after__lte=timezone.now()).aggregate(
        since=Min(Greatest("enqueued_at", "run_after"))
    )
    return min(filter(None, (at_once["since"], due["since"])), default=None)
