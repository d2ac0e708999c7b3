"""A policy's thresholds, and how many customers other terms would move."""

from collections import Counter as Tally
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BigIntegerField, ExpressionWrapper, F

from doc_priority import rules
from doc_priority.conf import settings
from doc_priority.models import Counter, Policy
from doc_priority.selectors.live import database_now
from doc_priority.types import CounterState, Pin, PolicyTerms
from doc_priority.validation import to_microseconds


def thresholds_of(policy: str) -> tuple[int, ...]:
    """The eight thresholds of this policy; the empty name is the default policy, without a query.

    For a policy that has been deleted, those of the default policy.
    """
    default = settings.default_policy.terms.thresholds
    if policy == "":
        return default
    named = Policy.objects.primary().filter(name=policy).first()
    return default if named is None else named.terms.thresholds


@dataclass(frozen=True, slots=True)
class Move:
    """The number of customers that would go from one priority to another."""

    before: int
    after: int
    customers: int


def moves_under(
    policy: Policy, terms: PolicyTerms, *, at: datetime | None = None
) -> tuple[Move, ...]:
    """The moves of customers with this policy under other terms, the worst priority first.

    All priorities are those of one moment. Pinned customers do not move. A customer whose interval
    is over under both terms has priority 1 under both, so its counter is not read.
    """
    if terms == policy.terms:
        return ()
    now = to_microseconds(at or database_now())
    since = max(0, now - max(terms.interval, policy.terms.interval))
    columns = (*CounterState._fields, "pinned_priority", "pinned_until")
    counters = (
        Counter.objects.primary()
        .filter(customer__policy=policy.pk, updated_at__gte=since)
        # In microseconds, as the rule has them.
        .values_list(*(ExpressionWrapper(F(name), BigIntegerField()) for name in columns))
    )
    moves: Tally[tuple[int, int]] = Tally()
    for *stored, pinned_priority, pinned_until in counters.iterator():
        state = CounterState(*stored)
        pin = Pin.of_columns(pinned_priority, pinned_until)
        if pin is not None and pin.holds(max(now, state.updated_at or 0)):
            continue
        before, after = (
            rules.priority_of(rules.peek(state, one, now).pending_documents, one.thresholds)
            for one in (policy.terms, terms)
        )
        if before != after:
            moves[before, after] += 1
    return tuple(
        Move(before, after, customers)
        for (before, after), customers in sorted(moves.items(), reverse=True)
    )
