"""Since when the oldest document waits in Procrastinate's queue."""

from datetime import datetime

from django.db import router
from django.db.models import Case, DateTimeField, F, Min, Q, When
from django.db.models.functions import Greatest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from doc_priority.contrib.procrastinate.job_manager import TODO, managers


def oldest() -> datetime | None:
    """Since when the oldest job waits that a worker could take now; None if none waits.

    Only jobs of prioritised tasks. A job that was scheduled waits since that time.
    """
    names = {name for manager in list(managers) for name in manager.prioritized}
    deferred_at = F("procrastinateevent__at")
    since = Case(
        When(scheduled_at__isnull=False, then=Greatest(deferred_at, "scheduled_at")),
        default=deferred_at,
        output_field=DateTimeField(),
    )
    found: datetime | None = (
        ProcrastinateJob.objects.using(router.db_for_write(ProcrastinateJob))
        .filter(
            Q(scheduled_at__isnull=True) | Q(scheduled_at__lte=timezone.now()),
            status=TODO,
            task_name__in=names,
            procrastinateevent__type="deferred",  # the event with which a job begins
        )
        .aggregate(oldest=Min(since))
        .get("oldest")
    )
    return found
