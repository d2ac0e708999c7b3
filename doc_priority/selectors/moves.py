"""Which customers other terms of their policy would move."""

from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import router
from django.db.models import BigIntegerField, ExpressionWrapper, F

from doc_priority import rules
from doc_priority.models import Counter, Policy
from doc_priority.selectors.now import database_now
from doc_priority.types import CounterState, PolicyTerms
from doc_priority.validation import to_microseconds


@dataclass(frozen=True, slots=True)
class Move:
    """So many customers would go from one priority to another."""

    before: int
    after: int
    customers: int


class _Counted(NamedTuple):
    """What is read of a counter; times in microseconds."""

    pending_documents: int
    updated_at: int
    recovered_at: int
    pinned_until: int | None

    @property
    def state(self) -> CounterState:
        return CounterState(self.pending_documents, self.updated_at, self.recovered_at)

    def is_pinned(self, now: int) -> bool:
        return self.pinned_until is not None and max(now, self.updated_at) < self.pinned_until


def moves_under(
    policy: Policy, terms: PolicyTerms, *, at: datetime | None = None
) -> tuple[Move, ...]:
    """How many customers who have the policy would move where, the worst priority first.

    All are looked at as of one moment. Pinned ones stay, and one whose interval has passed under
    both terms stands at 1 under either, so that it is not even read.
    """
    if terms == policy.terms:
        return ()
    now = to_microseconds(at or database_now())
    since = max(0, now - max(terms.interval, policy.terms.interval))
    moves = Tally(
        (_priority(counted, policy.terms, now), _priority(counted, terms, now))
        for counted in _counted(policy, since=since)
        if not counted.is_pinned(now)
    )
    return tuple(
        Move(before, after, customers)
        for (before, after), customers in sorted(moves.items(), reverse=True)
        if before != after
    )


def _counted(policy: Policy, *, since: int) -> Iterator[_Counted]:
    columns = ("pending_documents", "updated_at", "recovered_at", "pinned_until")
    rows = (
        Counter.objects.using(router.db_for_write(Counter))
        .filter(customer__policy=policy.pk, updated_at__gte=since)
        .values_list(*(ExpressionWrapper(F(name), BigIntegerField()) for name in columns))
    )
    return map(_Counted._make, rows.iterator())


def _priority(counted: _Counted, terms: PolicyTerms, now: int) -> int:
    pending_documents = rules.peek(counted.state, terms, now).pending_documents
    return rules.priority_of(pending_documents, terms.thresholds)
