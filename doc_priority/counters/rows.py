"""The row that the statements of every database return, and the decision that follows from it."""

import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from doc_priority import rules
from doc_priority.types import (
    FLOOR,
    THRESHOLD_COUNT,
    THRESHOLD_FIELDS,
    CounterState,
    Decision,
    NamedTerms,
    Pin,
    PolicyTerms,
    Recovery,
    from_microseconds,
    optional_moment,
)
from doc_priority.validation import terms_of

Counted = tuple[Decision, int]
"""A decision, and the customer's priority before it."""

POLICY_SEPARATOR = "|"
POLICY_COLUMNS = ", ".join(
    f"p.{column}" for column in ("reset_interval", "recovery", *THRESHOLD_FIELDS, "name")
)
"""Statements return a policy as one text: these columns in this order, joined by the separator."""


class LockedRow(NamedTuple):
    """A counter that the caller has locked; first its columns, in the statements' order."""

    customer: str
    pending_documents: int
    updated_at: int | None
    recovered_at: int | None
    pinned_priority: int | None
    pinned_until: int | None
    policy: NamedTerms
    now: int
    """The database's time after the counter was locked; after a count, the time of the count."""
    before: CounterState
    """The counter before `count_many` counted; as if it never had, where that was not read."""

    @property
    def state(self) -> CounterState:
        return CounterState(self.pending_documents, self.updated_at, self.recovered_at)

    @property
    def pin(self) -> Pin | None:
        """The pin that holds at that time; None for a pin that has ended."""
        if self.pinned_priority is None:
            return None
        pin = Pin.of_columns(self.pinned_priority, self.pinned_until)
        return pin if rules.pin_holds(pin, max(self.now, self.updated_at or 0)) else None

    def peek(self, policy: NamedTerms | None = None) -> Decision:
        """What holds for the customer under its own policy, or under another one."""
        return peek_decision(self.customer, self.state, self.pin, policy or self.policy, self.now)


NOT_READ = CounterState()


def locked_row(
    columns: tuple[Any, ...], policy: str | None, now: int, default: NamedTerms
) -> LockedRow:
    """The row of a counter's six columns, and of the policy as a statement returns it."""
    named = default if policy is None else policy_of(policy)
    return LockedRow._make((*columns, named, now, NOT_READ))


def locked_rows(
    counters: Iterable[tuple[Any, ...]],
    policies: Iterable[tuple[str, str | None, int]],
    default: NamedTerms,
) -> list[LockedRow]:
    """Rows of locked counters and of what was read after that: each policy, and the time."""
    read = {key: (policy, now) for key, policy, now in policies}
    return [locked_row(counter, *read[counter[0]], default) for counter in counters]


@functools.lru_cache(maxsize=1024)
def policy_of(text: str) -> NamedTerms:
    """The policy in the text of a statement, which is NULL for the default policy."""
    interval, recovery, *rest = text.split(POLICY_SEPARATOR, THRESHOLD_COUNT + 2)
    thresholds = tuple(int(threshold) for threshold in rest[:THRESHOLD_COUNT])
    return NamedTerms(rest[THRESHOLD_COUNT], terms_of(int(interval), recovery, thresholds))


def counted_under_lock(rows: Iterable[LockedRow], documents: Mapping[str, int]) -> list[LockedRow]:
    """The rows after these numbers of documents; the caller writes them."""
    counted = []
    for row in rows:
        before = row.state
        after = rules.check(before, row.policy.terms, row.now, documents=documents[row.customer])
        now = max(row.now, row.updated_at or 0)
        pin = (row.pinned_priority, row.pinned_until)
        counted.append(LockedRow(row.customer, *after, *pin, row.policy, now, before))
    return counted


def decisions_on(
    row: LockedRow, documents: int, *, first: bool, document: str = ""
) -> list[Decision]:
    """The decisions on these documents, from the counter after the last of them.

    `first` says that they are the counter's first documents; `document` is the id of a single one.
    """
    name, terms = row.policy
    now, recovered_at = row.now, row.recovered_at
    pin = row.pin
    count = row.pending_documents + documents - 1
    if row.pending_documents == FLOOR and documents > 1:
        # The counter stopped at the floor, so the first count does not follow from the last one.
        count = rules.check(row.before, terms, now).pending_documents
    decided_at = from_microseconds(now)
    halves = terms.recovery == Recovery.HALVING
    decisions, resets_at = [], None
    for offset in range(documents):
        pending = max(count - offset, FLOOR)
        if offset == 0 or halves:
            # Under the other recoveries it does not depend on the count.
            state = CounterState(pending, now, recovered_at)
            resets_at = optional_moment(rules.resets_at(state, terms))
        decisions.append(
            Decision(  # by position, because keywords are slower, and there may be 100,000
                row.customer,
                document,
                pending,
                rules.priority_of(pending, terms.thresholds) if pin is None else pin.priority,
                pin is not None,
                pending == 0 and not first,
                False,
                decided_at,
                resets_at,
                name,
            )
        )
    return decisions


def decided(
    columns: tuple[Any, ...], document: str, default: NamedTerms, *, first: bool
) -> Counted:
    """The decision on one document from the columns of its check, and the priority before it."""
    # The time of the count is updated_at. The check does not return the state before.
    row = locked_row(columns[:6], columns[6], columns[2], default)
    (decision,) = decisions_on(row, 1, first=first, document=document)
    return decision, priority_before(decision, row.policy.terms)


def priority_before(decision: Decision, terms: PolicyTerms) -> int:
    """The customer's priority before this document was counted."""
    if decision.pinned:
        return decision.priority
    return rules.priority_of(decision.pending_documents + 1, terms.thresholds)


def peek_decision(
    customer: str, state: CounterState, pin: Pin | None, policy: NamedTerms, now: int
) -> Decision:
    """What holds for a customer now, as a decision; nothing is counted."""
    now = max(now, state.updated_at or 0)
    pending = rules.peek(state, policy.terms, now).pending_documents
    active = rules.is_counting(state, policy.terms, now)
    if not rules.pin_holds(pin, now):
        pin = None
    return Decision(
        customer=customer,
        document="",
        pending_documents=pending,
        priority=pin.priority if pin else rules.priority_of(pending, policy.terms.thresholds),
        pinned=pin is not None,
        reset=False,
        repeated=False,
        decided_at=from_microseconds(now),
        resets_at=optional_moment(rules.resets_at(state, policy.terms)) if active else None,
        policy=policy.name,
    )


def decision_of(row: Iterable[Any]) -> Decision:
    """A decision from a row of the database with its fields in their order.

    Times are in microseconds, and None or 0 is no time.
    """
    customer, document, *numbers, decided_at, resets_at, policy = row
    pending_documents, priority, pinned, reset, repeated = map(int, numbers)
    return Decision(
        customer,
        document,
        pending_documents,
        priority,
        bool(pinned),
        bool(reset),
        bool(repeated),
        from_microseconds(int(decided_at)),
        optional_moment(int(resets_at or 0) or None),
        policy,
    )
