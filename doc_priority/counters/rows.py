"""The row that statements give on every database, and the decision that is made of it."""

import functools
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority import rules
from doc_priority.types import (
    DECISION_FIELDS,
    FLOOR,
    KEPT_FIELDS,
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
from doc_priority.validation import terms_of, to_microseconds

Counted = tuple[Decision, int]
"""A decision, and the customer's priority before it."""

POLICY_SEPARATOR = "|"
POLICY_COLUMNS = ", ".join(
    f"p.{column}" for column in ("reset_interval", "recovery", *THRESHOLD_FIELDS, "name")
)
"""In this order and joined by the separator a policy travels as one value, its name last."""


class LockedRow(NamedTuple):
    """A counter under the caller's lock; statements give its columns in this order."""

    customer: str
    pending_documents: int
    updated_at: int | None
    recovered_at: int | None
    pinned_priority: int | None
    pinned_until: int | None
    policy: str | None
    """The columns of its policy as one text; None for the default policy."""
    now: int
    """The clock, read after the lock was had; after a count the moment of the count."""
    before: CounterState = CounterState()
    """How the counter stood before `count_many` counted on it."""

    @property
    def state(self) -> CounterState:
        return CounterState(self.pending_documents, self.updated_at, self.recovered_at)

    @property
    def pin(self) -> Pin | None:
        """The pin that holds by that clock; one that has ended is none."""
        if self.pinned_priority is None:
            return None
        pin = Pin.of_columns(self.pinned_priority, self.pinned_until)
        holds = pin is not None and pin.holds(max(self.now, self.updated_at or 0))
        return pin if holds else None


def locked_rows(
    counters: Iterable[tuple[Any, ...]], policies: Iterable[tuple[str, str | None, int]]
) -> list[LockedRow]:
    """Locked counters with what was read once they were: each customer's policy, and the clock."""
    read = {key: (policy, now) for key, policy, now in policies}
    return [LockedRow._make((*counter, *read[counter[0]], CounterState())) for counter in counters]


def policy_of(text: str | None, default: NamedTerms) -> NamedTerms:
    """The policy a statement gave back; none is the default one."""
    return default if text is None else _parsed(text)


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> NamedTerms:
    interval, recovery, *rest = text.split(POLICY_SEPARATOR, THRESHOLD_COUNT + 2)
    thresholds = tuple(int(threshold) for threshold in rest[:THRESHOLD_COUNT])
    return NamedTerms(rest[THRESHOLD_COUNT], terms_of(int(interval), recovery, thresholds))


def counted_under_lock(
    rows: Iterable[LockedRow], documents: Mapping[str, int], default: NamedTerms
) -> list[LockedRow]:
    """The rows after so many documents of each customer were counted; they are not written yet."""
    counted = []
    for row in rows:
        terms = policy_of(row.policy, default).terms
        after = rules.check(row.state, terms, row.now, documents=documents[row.customer])
        now = max(row.now, row.updated_at or 0)
        pin = (row.pinned_priority, row.pinned_until)
        counted.append(LockedRow(row.customer, *after, *pin, row.policy, now, before=row.state))
    return counted


def decisions_on(
    row: LockedRow, documents: int, default: NamedTerms, *, first: bool, document: str = ""
) -> list[Decision]:
    """What each of so many documents got, from how the last of them left the counter.

    `first` says that the counter had never counted before them; `document` names a single one.
    """
    name, terms = policy_of(row.policy, default)
    now, recovered_at = row.now, row.recovered_at
    pin = row.pin
    count = row.pending_documents + documents - 1
    if row.pending_documents == FLOOR and documents > 1:
        # It went no further than the floor, so the last count does not tell the first one.
        count = rules.check(row.before, terms, now).pending_documents
    decided_at = from_microseconds(now)
    halves = terms.recovery == Recovery.HALVING
    decisions, resets_at = [], None
    for offset in range(documents):
        pending = max(count - offset, FLOOR)
        if offset == 0 or halves:
            # Under the other recoveries it is the same for all of them.
            state = CounterState(pending, now, recovered_at)
            resets_at = optional_moment(rules.resets_at(state, terms))
        decisions.append(
            Decision(  # without names, because they take time for each of 100,000
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
    """What one document got, from the columns that the check of it gives."""
    # updated_at is the clock it read. How the counter stood before, it does not give.
    row = LockedRow._make((*columns, columns[2], CounterState()))
    (decision,) = decisions_on(row, 1, default, first=first, document=document)
    return decision, priority_before(decision, policy_of(row.policy, default).terms)


def priority_before(decision: Decision, terms: PolicyTerms) -> int:
    """The priority of the customer before this document was counted."""
    if decision.pinned:
        return decision.priority
    return rules.priority_of(decision.pending_documents + 1, terms.thresholds)


def peek_decision(
    customer: str, state: CounterState, pin: Pin | None, policy: NamedTerms, now: int
) -> Decision:
    """What the customer's next document would be decided on, with nothing counted."""
    now = max(now, state.updated_at or 0)
    pending = rules.peek(state, policy.terms, now).pending_documents
    active = rules.is_counting(state, policy.terms, now)
    pinned = pin is not None and pin.holds(now)
    return Decision(
        customer=customer,
        document="",
        pending_documents=pending,
        priority=pin.priority
        if pin and pinned
        else rules.priority_of(pending, policy.terms.thresholds),
        pinned=pinned,
        reset=False,
        repeated=False,
        decided_at=from_microseconds(now),
        resets_at=optional_moment(rules.resets_at(state, policy.terms)) if active else None,
        policy=policy.name,
    )


def decision_of(row: Iterable[Any]) -> Decision:
    """From values in the order of a decision's fields, in the database's own numbers.

    Times are microseconds; None or 0 is no time.
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


KEEP = (
    f"INSERT INTO doc_priority_documentdecision (customer_id, {', '.join(KEPT_FIELDS)}) "
    f"VALUES (%s, {', '.join('%s' for _ in KEPT_FIELDS)})"
)
_kept_of = attrgetter("customer", *KEPT_FIELDS)
# A decision that is found was repeated.
_COLUMNS = {"customer": "customer_id", "repeated": "1"}
FIND = (
    f"SELECT {', '.join(_COLUMNS.get(name, name) for name in DECISION_FIELDS)} "
    "FROM doc_priority_documentdecision WHERE customer_id = %s AND document = %s"
)


def check_once(
    connection: BaseDatabaseWrapper,
    key: str,
    document: str,
    count: Callable[[], Counted | None],
) -> Counted | None:
    """Count and keep the decision, unless the document has one already; then give that one.

    For databases where one statement cannot write two tables. Counting locks the counter, so
    checks of one customer follow one another; the decision, of which a document has one only,
    undoes every count but the first.
    """
    try:
        with transaction.atomic(using=connection.alias):
            counted = count()
            if counted is None:
                return None
            kept = [
                to_microseconds(value) if isinstance(value, datetime) else value
                for value in _kept_of(counted[0])
            ]
            with connection.cursor() as cursor:
                cursor.execute(KEEP, kept)
            return counted
    except IntegrityError:
        with connection.cursor() as cursor:
            cursor.execute(FIND, (key, document))
            row = cursor.fetchone()
        if row is None:
            raise
        decision = decision_of(row)
        return decision, decision.priority
