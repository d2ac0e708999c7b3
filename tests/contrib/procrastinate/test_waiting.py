"""Since when the oldest document waits, as the metrics tell it."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from doc_priority.contrib import waiting
from tests.contrib.procrastinate import portal

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]

INVOICE = {"customer_key": "acme", "document_id": "INV-1"}
HOUR = timedelta(hours=1)


def oldest() -> datetime | None:
    return waiting.engines["procrastinate"]()


def change(job_id: int, *, deferred: datetime | None = None, status: str = "todo") -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", [status, job_id])
        if deferred is not None:
            cursor.execute(
                "UPDATE procrastinate_events SET at = %s WHERE job_id = %s AND type = 'deferred'",
                [deferred, job_id],
            )


def test_the_oldest_that_a_worker_could_take_now() -> None:
    now = timezone.now()
    assert oldest() is None
    first = portal.process.defer(**INVOICE)
    other = portal.forward.defer(**INVOICE)
    later = portal.count.configure(schedule_at=now + HOUR).defer(customer_key="acme")
    due = portal.count.configure(schedule_at=now - 3 * HOUR).defer(customer_key="acme")
    change(first, deferred=now - 2 * HOUR)
    change(other, deferred=now - 48 * HOUR)
    change(later, deferred=now - 50 * HOUR)
    change(due, deferred=now - 60 * HOUR)
    assert oldest() == now - 3 * HOUR
    change(due, status="doing")
    assert oldest() == now - 2 * HOUR
    change(first, status="succeeded")
    assert oldest() is None
