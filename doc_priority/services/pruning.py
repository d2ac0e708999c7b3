"""Deleting what is older than the settings keep: decisions and events."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.db.models import QuerySet

from doc_priority.conf import settings
from doc_priority.exceptions import InvalidInput
from doc_priority.models import DocumentDecision, Event
from doc_priority.selectors import database_now
from doc_priority.services.transactions import Database, perform
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds

BATCH_SIZE = 1000
MAX_BATCH_SIZE = 10_000
BUSY_PERCENT = 2
"""So much of the time batches take: what happens in a fiftieth of it hardly shows in the slowest
hundredth of checks."""
SMALL_BATCH = 100
LONG = 0.1
"""Seconds after which the batches that follow are smaller, unless they are small already."""
DAY = 86_400 * SECOND


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many decisions and events are gone, or would go."""

    decisions: int
    events: int


def prunable() -> Pruned:
    """What `prune` would delete now; nothing is deleted."""
    return Pruned(decisions=_old_decisions().count(), events=_old_events().count())


def prune(*, batch_size: int = BATCH_SIZE, busy_percent: int = BUSY_PERCENT) -> Iterator[Pruned]:
    """Delete in batches, the oldest first, and give the sums after every batch.

    Each batch is a transaction of its own, so checks never wait for more than one, and what is
    deleted stays so when the caller stops early. After a long one the next is half as large.

    It pauses between them, so that it is busy for so many percent of the time; with 100 it does
    not, nor in a transaction of the caller's, whose locks nobody would get meanwhile.
    """
    if not 1 <= batch_size <= MAX_BATCH_SIZE:
        raise InvalidInput(f"batch_size {batch_size!r} does not lie from 1 to {MAX_BATCH_SIZE}.")
    if not 1 <= busy_percent <= 100:
        raise InvalidInput(f"busy_percent {busy_percent!r} does not lie from 1 to 100.")
    pause = (100 - busy_percent) / busy_percent
    decisions = events = 0
    for deleted in _delete_in_batches(_old_decisions(), batch_size, pause):
        decisions += deleted
        yield Pruned(decisions=decisions, events=events)
    for deleted in _delete_in_batches(_old_events(), batch_size, pause):
        events += deleted
        yield Pruned(decisions=decisions, events=events)


def _old_decisions() -> QuerySet[DocumentDecision]:
    rows = DocumentDecision.objects.primary()
    before = _days_ago(settings.document_retention_days)
    return rows.filter(decided_at__lt=before).order_by("decided_at")


def _old_events() -> QuerySet[Event]:
    rows = Event.objects.primary()
    before = _days_ago(settings.event_retention_days)
    return rows.filter(created_at__lt=before).order_by("created_at")


def _days_ago(days: int) -> int:
    """In microseconds: no number of days is too large for them."""
    return max(0, to_microseconds(database_now()) - days * DAY)


def _delete_in_batches(rows: QuerySet[Any], batch_size: int, pause: float) -> Iterator[int]:
    """Give the number of rows of each batch, then wait `pause` times as long as it took."""
    size = batch_size
    while ids := list(rows.values_list("pk", flat=True)[:size]):
        batch = rows.model._default_manager.filter(pk__in=ids)

        def delete(database: Database, batch: QuerySet[Any] = batch) -> int:
            with database.transaction():
                return batch.using(database.alias).delete()[0]

        started = time.monotonic()
        deleted = perform(delete, at=None)
        took = time.monotonic() - started
        yield deleted
        if len(ids) == size and not connections[rows.db].in_atomic_block:
            time.sleep(pause * took)
        if took > LONG:
            size = max(size // 2, min(size, SMALL_BATCH))
        elif took < LONG / 4:
            size = min(size * 2, batch_size)
