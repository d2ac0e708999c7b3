"""What the statements of every database take and give back, in the database's own numbers."""

import functools
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any, NamedTuple

from doc_priority import rules
from doc_priority.types import (
    BEST_PRIORITY,
    THRESHOLD_COUNT,
    THRESHOLD_FIELDS,
    CounterState,
    NamedTerms,
    Pin,
)
from doc_priority.validation import terms_of

POLICY_SEPARATOR = "|"
POLICY_COLUMNS = ", ".join(
    f"p.{column}" for column in ("reset_interval", "recovery", *THRESHOLD_FIELDS, "name")
)
"""In this order and joined by the separator a policy travels as one value, its name last."""


NO_BOUND = nullcontext()
"""Around work whose statements wait no longer than they may by themselves."""


class Conditions(NamedTuple):
    """What holds for a call, whichever customers it is about."""

    default: NamedTerms
    at: int | None
    """The time that stands in for the database's clock."""
    lock_timeout_ms: int
    create: bool


class CounterRow(NamedTuple):
    """A counter as it stands after a count."""

    customer: str
    pending_documents: int
    updated_at: int
    recovered_at: int
    pinned_priority: int | None
    pinned_until: int | None
    policy: str | None

    @property
    def state(self) -> CounterState:
        return CounterState(self.pending_documents, self.updated_at, self.recovered_at)


class CountedRow(NamedTuple):
    """A counter after documents were counted, and what it was before."""

    customer: str
    pending_documents: int
    updated_at: int
    recovered_at: int
    pinned_priority: int | None
    pinned_until: int | None
    policy: str | None
    pending_before: int
    updated_before: int | None
    recovered_before: int | None

    @property
    def before(self) -> CounterState:
        return CounterState(self.pending_before, self.updated_before, self.recovered_before)


class LockedRow(NamedTuple):
    """A counter under the caller's lock, and the clock read after the lock was had."""

    customer: str
    pending_documents: int
    updated_at: int | None
    recovered_at: int | None
    pinned_priority: int | None
    pinned_until: int | None
    policy: str | None
    now: int

    @property
    def state(self) -> CounterState:
        return CounterState(self.pending_documents, self.updated_at, self.recovered_at)

    @property
    def pin(self) -> Pin | None:
        """The pin that holds by that clock; one that has ended is none."""
        pin = Pin.of_columns(self.pinned_priority, self.pinned_until)
        holds = pin is not None and pin.holds(max(self.now, self.updated_at or 0))
        return pin if holds else None


def locked_rows(
    counters: Iterable[tuple[Any, ...]], policies: Iterable[tuple[str, str | None, int]]
) -> list[LockedRow]:
    """Locked counters with what was read once they were: each customer's policy, and the clock."""
    read = {key: (policy, now) for key, policy, now in policies}
    return [LockedRow._make((*counter, *read[counter[0]])) for counter in counters]


class Verdict(NamedTuple):
    """The answer of one check."""

    pending_documents: int
    priority: int
    pinned: bool
    reset: bool
    repeated: bool
    decided_at: int
    resets_at: int | None
    policy: str
    previous_priority: int


def policy_of(text: str | None, default: NamedTerms) -> NamedTerms:
    """The policy a statement gave back; none is the default one."""
    return default if text is None else _parsed(text)


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> NamedTerms:
    interval, recovery, *rest = text.split(POLICY_SEPARATOR, THRESHOLD_COUNT + 2)
    thresholds = tuple(int(threshold) for threshold in rest[:THRESHOLD_COUNT])
    return NamedTerms(rest[THRESHOLD_COUNT], terms_of(int(interval), recovery, thresholds))


def verdict_on(row: CounterRow, default: NamedTerms, *, first: bool) -> Verdict:
    """The verdict of a check of one document that left the counter like this."""
    name, terms = policy_of(row.policy, default)
    pending, now = row.pending_documents, row.updated_at
    if row.pinned_priority is not None and row.pinned_until is not None and now < row.pinned_until:
        pinned, priority, previous = True, row.pinned_priority, row.pinned_priority
    else:
        pinned, priority = False, rules.priority_of(pending, terms.thresholds)
        previous = rules.priority_of(pending + 1, terms.thresholds) if pending else BEST_PRIORITY
    return Verdict(
        pending,
        priority,
        pinned,
        pending == 0 and not first,
        False,
        now,
        rules.resets_at(row.state, terms),
        name,
        previous,
    )


def count_under_lock(row: LockedRow, documents: int, default: NamedTerms) -> CountedRow:
    """What counting so many documents makes of a locked counter."""
    after = rules.check(
        row.state, policy_of(row.policy, default).terms, row.now, documents=documents
    )
    return CountedRow(
        row.customer,
        after.pending_documents,
        row.now if after.updated_at is None else after.updated_at,
        row.now if after.recovered_at is None else after.recovered_at,
        row.pinned_priority,
        row.pinned_until,
        row.policy,
        *row.state,
    )
