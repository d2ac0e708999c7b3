"""Since when the oldest document waits in Procrastinate's queue."""

from datetime import datetime

from django.db import router
from django.db.models import Case, DateTimeField, F, Min, Q, When
from django.db.models.functions import Greatest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from doc_priority.contrib.procrastinate.job_manager import WAITING, managers

DEFERRED = "deferred"
"""The event with which a job begins."""


def oldest() -> datetime | None:
    """Of the prioritised tasks that a worker could take now; one scheduled waits since then."""
    names = {name for manager in list(managers) for name in manager.prioritized}
    deferred = F("procrastinateevent__at")
    since = Case(
        When(scheduled_at__isnull=False, then=Greatest(deferred, "scheduled_at")),
        default=deferred,
        output_field=DateTimeField(),
    )
    found: datetime | None = (
        ProcrastinateJob.objects.using(router.db_for_write(ProcrastinateJob))
        .filter(
            Q(scheduled_at__isnull=True) | Q(scheduled_at__lte=timezone.now()),
            status=WAITING,
            task_name__in=names,
            procrastinateevent__type=DEFERRED,
        )
        .aggregate(oldest=Min(since))
        .get("oldest")
    )
    return found
