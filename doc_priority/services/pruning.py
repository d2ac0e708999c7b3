"""Deleting what is older than the settings keep: decisions and events."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from doc_priority.conf import settings
from doc_priority.exceptions import InvalidInput
from doc_priority.models import DocumentDecision, Event
from doc_priority.selectors import database_now
from doc_priority.services.transactions import Unit, alias_for_write, perform
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds

BATCH_SIZE = 1000
MAX_BATCH_SIZE = 10_000
DAY = 86_400 * SECOND


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many decisions and events are gone, or would go."""

    decisions: int
    events: int


def prunable() -> Pruned:
    """What `prune` would delete now; nothing is deleted."""
    return Pruned(decisions=_old_decisions().count(), events=_old_events().count())


def prune(*, batch_size: int = BATCH_SIZE) -> Iterator[Pruned]:
    """Delete in batches, the oldest first, and give the sums after every batch.

    Each batch is a transaction of its own, so checks never wait for more than one, and what is
    deleted stays so when the caller stops early.
    """
    if not 1 <= batch_size <= MAX_BATCH_SIZE:
        raise InvalidInput(f"batch_size {batch_size!r} does not lie from 1 to {MAX_BATCH_SIZE}.")
    decisions = events = 0
    for deleted in _delete_in_batches(_old_decisions(), batch_size):
        decisions += deleted
        yield Pruned(decisions=decisions, events=events)
    for deleted in _delete_in_batches(_old_events(), batch_size):
        events += deleted
        yield Pruned(decisions=decisions, events=events)


def _old_decisions() -> QuerySet[DocumentDecision]:
    cutoff = _cutoff(settings.document_retention_days)
    rows = DocumentDecision.objects.using(alias_for_write())
    return rows.filter(decided_at__lt=cutoff).order_by("decided_at")


def _old_events() -> QuerySet[Event]:
    cutoff = _cutoff(settings.event_retention_days)
    return (
        Event.objects.using(alias_for_write()).filter(created_at__lt=cutoff).order_by("created_at")
    )


def _cutoff(days: int) -> int:
    """In microseconds: no count of days is too large for them."""
    return max(0, to_microseconds(database_now()) - days * DAY)


def _delete_in_batches(rows: QuerySet[Any], batch_size: int) -> Iterator[int]:
    while ids := list(rows.values_list("pk", flat=True)[:batch_size]):
        started = time.monotonic()
        deleted = _delete(rows.model, ids)
        took = time.monotonic() - started
        yield deleted
        # SQLite does not hand its lock out in turn: without a pause checks would hardly get it.
        time.sleep(took)


def _delete(model: type[Model], ids: list[int]) -> int:
    def work(unit: Unit) -> int:
        with unit.transaction():
            return model._default_manager.using(unit.alias).filter(pk__in=ids).delete()[0]

    return perform(work, at=None)
