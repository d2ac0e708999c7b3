"""Delete decisions and events that are older than the settings allow."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.models import Model, QuerySet

from doc_priority.conf import settings
from doc_priority.counters.base import Database
from doc_priority.exceptions import InvalidInput
from doc_priority.models import DocumentDecision, Event
from doc_priority.selectors import database_now
from doc_priority.services.transactions import perform
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds

BATCH_SIZE = 1000
MAX_BATCH_SIZE = 10_000
BUSY_PERCENT = 2
"""Percent of the time in which batches run. At 2 % they hardly slow the slowest 1 % of checks."""
SMALL_BATCH = 100
LONG = 0.1
"""After a batch of more seconds the next is half as large, down to SMALL_BATCH."""
DAY = 86_400 * SECOND


@dataclass(frozen=True, slots=True)
class Pruned:
    """The number of decisions and events that were deleted, or would be."""

    decisions: int
    events: int


def prunable() -> Pruned:
    """What `prune` would delete now; nothing is deleted."""
    decisions, events = (rows.count() for rows in _old_rows())
    return Pruned(decisions, events)


def prune(*, batch_size: int = BATCH_SIZE, busy_percent: int = BUSY_PERCENT) -> Iterator[Pruned]:
    """Delete in batches, the oldest first, and yield the sums after every batch.

    Each batch is a transaction of its own, so a check waits for one batch at most, and what is
    deleted stays deleted if the caller stops early. After a long batch the next is half as large.

    Between batches it pauses, so that it is busy for `busy_percent` of the time. It does not pause
    at 100, nor in a transaction of the caller's, which would only hold its locks for longer.
    """
    if not 1 <= batch_size <= MAX_BATCH_SIZE:
        raise InvalidInput(f"batch_size {batch_size!r} is not a number from 1 to {MAX_BATCH_SIZE}.")
    if not 1 <= busy_percent <= 100:
        raise InvalidInput(f"busy_percent {busy_percent!r} is not a number from 1 to 100.")
    pause = (100 - busy_percent) / busy_percent
    sums: dict[type[Model], int] = {DocumentDecision: 0, Event: 0}
    for rows in _old_rows():
        for deleted in _delete_in_batches(rows, batch_size, pause):
            sums[rows.model] += deleted
            yield Pruned(sums[DocumentDecision], sums[Event])


def _old_rows() -> Iterator[QuerySet[Any]]:
    """The old decisions, and when these have been deleted, the old events."""
    rows: QuerySet[Any]
    for rows, column, days in (
        (DocumentDecision.objects.primary(), "decided_at", settings.document_retention_days),
        (Event.objects.primary(), "created_at", settings.event_retention_days),
    ):
        # In microseconds, because subtracting a large number of days from a datetime is an error.
        before = max(0, to_microseconds(database_now()) - days * DAY)
        yield rows.filter(**{f"{column}__lt": before}).order_by(column)


def _delete_in_batches(rows: QuerySet[Any], batch_size: int, pause: float) -> Iterator[int]:
    """Yield the number of rows of each batch, then wait `pause` times as long as it took."""
    size = batch_size
    while ids := list(rows.values_list("pk", flat=True)[:size]):
        batch = rows.model._default_manager.filter(pk__in=ids)

        def delete(database: Database, batch: QuerySet[Any] = batch) -> int:
            with database.transaction():
                return batch.using(database.alias).delete()[0]

        started = time.monotonic()
        deleted = perform(delete)
        took = time.monotonic() - started
        yield deleted
        if len(ids) == size and not connections[rows.db].in_atomic_block:
            time.sleep(pause * took)
        if took > LONG:
            size = max(size // 2, min(size, SMALL_BATCH))
        elif took < LONG / 4:
            size = min(size * 2, batch_size)
