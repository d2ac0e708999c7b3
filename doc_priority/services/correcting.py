"""Corrections by hand: reset the counter, pin or unpin the priority, forget the customer."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime

from doc_priority import rules
from doc_priority.counters.base import Database
from doc_priority.counters.rows import LockedRow, peek_decision
from doc_priority.exceptions import CorrectedMeanwhile, InvalidPin
from doc_priority.models import Counter, Customer, DocumentDecision, Event
from doc_priority.services.events import (
    Author,
    Facts,
    announce,
    announce_priority,
    author_of,
    facts_of,
    observed,
    record_changes,
)
from doc_priority.services.transactions import batches, locked, perform_with_counters
from doc_priority.signals import (
    customer_forgotten,
    customer_pinned,
    customer_reset,
    customer_unpinned,
)
from doc_priority.types import (
    BEST_PRIORITY,
    DOT_SEGMENTS,
    LAST_MOMENT,
    WORST_PRIORITY,
    CounterState,
    Decision,
    Pin,
)
from doc_priority.validation import require_key, require_list, to_microseconds

MOST_NAMED = 10
"""Maximum number of newer events that a CorrectedMeanwhile has."""

BeforeCommit = Callable[[Mapping[str, Event]], object]


class Corrections(list[Decision]):
    """The decision of each customer after a correction, in the order asked for.

    `events` has the event of each customer by its key. A customer for whom there was nothing to do,
    such as one without a pin to remove, has no event.
    """

    def __init__(self, decisions: Iterable[Decision], events: dict[str, Event]) -> None:
        super().__init__(decisions)
        self.events = events


Corrected = tuple[CounterState, Pin | None]
"""A counter and its pin after a correction."""

Change = Callable[[LockedRow], Corrected | None]
"""What a correction does to a locked row; None if there is nothing to do."""

SIGNALS = {
    Event.Kind.RESET: customer_reset,
    Event.Kind.PIN: customer_pinned,
    Event.Kind.UNPIN: customer_unpinned,
}


def reset(
    customer: str,
    *,
    actor: object = None,
    reason: str = "",
    source: str = "",
    at: datetime | None = None,
) -> Decision:
    """Set the customer's counter to 0; this counts as an update, and an event is written."""
    return reset_many([customer], actor=actor, reason=reason, source=source, at=at)[0]


@observed("reset")
def reset_many(
    customers: Iterable[str],
    *,
    actor: object = None,
    reason: str = "",
    source: str = "",
    at: datetime | None = None,
    unless_newer_than: int | None = None,
    before_commit: BeforeCommit | None = None,
) -> Corrections:
    """Reset each of these customers once, all of them or none, in the order given.

    The result is a list of decisions; its `events` are the events by the customers' keys.

    `unless_newer_than` is the id of the last event of these customers that the caller has seen. If
    one of them has a newer event, nothing is changed and CorrectedMeanwhile is raised. None: events
    are not compared.

    `before_commit` is called with the events, in the transaction that wrote them: what it writes is
    committed with them or not at all. If the transaction is retried, it is called again.
    """
    return _correct(
        customers,
        Event.Kind.RESET,
        lambda row: (rules.reset(row.state, row.now), row.pin),
        author_of(actor, reason, source),
        at=at,
        unless_newer_than=unless_newer_than,
        before_commit=before_commit,
    )


def pin(
    customer: str,
    *,
    priority: int,
    until: datetime | None,
    actor: object = None,
    reason: str = "",
    source: str = "",
) -> Decision:
    """Give the customer this priority until then, whatever its counter says.

    `until` is in the future; with None the pin has no end and holds until `unpin`. An existing pin
    is replaced. While a pin holds, documents are counted as before.
    """
    return pin_many(
        [customer], priority=priority, until=until, actor=actor, reason=reason, source=source
    )[0]


@observed("pin")
def pin_many(
    customers: Iterable[str],
    *,
    priority: int,
    until: datetime | None,
    actor: object = None,
    reason: str = "",
    source: str = "",
    unless_newer_than: int | None = None,
    before_commit: BeforeCommit | None = None,
) -> Corrections:
    """Pin each of these customers, all of them or none, in the order given.

    The result, `unless_newer_than` and `before_commit` are as in `reset_many`.
    """
    is_whole = isinstance(priority, int) and not isinstance(priority, bool)
    if not is_whole or not BEST_PRIORITY <= priority <= WORST_PRIORITY:
        raise InvalidPin(
            f"priority {priority!r} is not a whole number from {BEST_PRIORITY} to {WORST_PRIORITY}."
        )
    held = Pin(priority, None if until in (None, LAST_MOMENT) else to_microseconds(until))

    def hold(row: LockedRow) -> Corrected:
        if not rules.pin_holds(held, row.now):
            raise InvalidPin(f"until {until} has passed; pin until a later time.")
        return row.state, held

    return _correct(
        customers,
        Event.Kind.PIN,
        hold,
        author_of(actor, reason, source),
        unless_newer_than=unless_newer_than,
        before_commit=before_commit,
    )


def unpin(customer: str, *, actor: object = None, reason: str = "", source: str = "") -> Decision:
    """Let the counter decide again; without a pin nothing changes and no event is written."""
    return unpin_many([customer], actor=actor, reason=reason, source=source)[0]


@observed("unpin")
def unpin_many(
    customers: Iterable[str],
    *,
    actor: object = None,
    reason: str = "",
    source: str = "",
    unless_newer_than: int | None = None,
    before_commit: BeforeCommit | None = None,
) -> Corrections:
    """Unpin each of these customers, all of them or none, in the order given.

    The result, `unless_newer_than` and `before_commit` are as in `reset_many`; a customer without
    a pin has no event.
    """
    return _correct(
        customers,
        Event.Kind.UNPIN,
        lambda row: None if row.pin is None else (row.state, None),
        author_of(actor, reason, source),
        unless_newer_than=unless_newer_than,
        before_commit=before_commit,
    )


def forget(customer: str, *, actor: object = None, reason: str = "", source: str = "") -> None:
    """Erase a customer with its counter, decisions and events.

    One event remains, with the key; it says who erased the customer and why.
    """
    forget_many([customer], actor=actor, reason=reason, source=source)


@observed("forget")
def forget_many(
    customers: Iterable[str],
    *,
    actor: object = None,
    reason: str = "",
    source: str = "",
    unless_newer_than: int | None = None,
    before_commit: BeforeCommit | None = None,
) -> dict[str, Event]:
    """Forget each of these customers, all of them or none; the events that remain, by key.

    `unless_newer_than` and `before_commit` are as in `reset_many`.
    """
    # Version 0.1.0 accepted dot segments as keys, and migration 0002 asks to forget such customers.
    keys = _keys(customers, allowed=DOT_SEGMENTS)
    author = author_of(actor, reason, source)
    if not keys:
        return {}

    def erase(database: Database) -> dict[str, Event]:
        changes: dict[str, tuple[Facts, Facts]] = {}
        rows = _locked_unless_corrected(database, keys, unless_newer_than, customers=True)
        for row in rows:
            key, last = row.customer, row.peek()
            kept = DocumentDecision.objects.using(database.alias).filter(customer_id=key)
            documents, _ = kept.delete()
            events, _ = Event.objects.using(database.alias).filter(customer=key).delete()
            Customer.objects.using(database.alias).get(key=key).delete()
            erased = {"documents": documents, "events": events}
            changes[key] = ({"policy": last.policy, **facts_of(last), **erased}, {})
        written = record_changes(
            Event.Kind.FORGET, changes, author, now=rows[0].now, alias=database.alias
        )
        if before_commit is not None:
            before_commit(written)
        return written

    events = perform_with_counters(erase, must_exist=True)
    for key, event in events.items():
        announce(customer_forgotten, customer=key, event=event.pk)
    return events


def _keys(customers: Iterable[str], *, allowed: Collection[str] = ()) -> list[str]:
    """Each key once, in the order given."""
    keys = require_list(customers, of="keys")
    for key in keys:
        if key not in allowed:
            require_key(key)
    return list(dict.fromkeys(keys))


def _correct(
    customers: Iterable[str],
    kind: Event.Kind,
    change: Change,
    author: Author,
    *,
    at: datetime | None = None,
    unless_newer_than: int | None,
    before_commit: BeforeCommit | None,
) -> Corrections:
    keys = _keys(customers)
    if not keys:
        return Corrections((), {})
    before: dict[str, Decision] = {}
    after: dict[str, Decision] = {}

    def correct(database: Database) -> dict[str, Event]:
        changes: dict[str, tuple[Facts, Facts]] = {}
        alike: dict[Corrected, list[str]] = {}
        rows = _locked_unless_corrected(database, keys, unless_newer_than)
        now = rows[0].now
        for row in rows:
            key = row.customer
            before[key] = after[key] = row.peek()
            corrected = change(row)
            if corrected is None:
                continue
            state, pin = corrected
            after[key] = peek_decision(key, state, pin, row.policy, now)
            alike.setdefault(corrected, []).append(key)
            changes[key] = (facts_of(before[key], row.pin), facts_of(after[key], pin))
        for (state, pin), theirs in alike.items():
            _write(theirs, state, pin, alias=database.alias)
        events = record_changes(kind, changes, author, now=now, alias=database.alias)
        if before_commit is not None:
            before_commit(events)
        return events

    events = perform_with_counters(correct, at=at, must_exist=True)
    for key, event in events.items():
        announce(SIGNALS[kind], customer=key, decision=after[key], event=event.pk)
        announce_priority(before[key].priority, after[key])
    return Corrections((after[key] for key in keys), events)


def _locked_unless_corrected(
    database: Database, keys: list[str], last_seen: int | None, *, customers: bool = False
) -> list[LockedRow]:
    """Lock the counters and read one time for all; raise CorrectedMeanwhile for newer events."""
    rows = locked(database, keys, customers=customers)
    newer: list[Event] = []
    if last_seen is not None:
        # FOR UPDATE, because without it MariaDB may read the snapshot of the caller's transaction,
        # which is older than the lock.
        events = Event.objects.using(database.alias).select_for_update().order_by("-pk")
        for part in batches(keys):
            newer += events.filter(customer__in=part, pk__gt=last_seen)[:MOST_NAMED]
    if newer:
        newer.sort(key=lambda event: -event.pk)
        raise CorrectedMeanwhile(newer[:MOST_NAMED])
    # The time that was read after the last of them was locked.
    now = max(row.now for row in rows.values())
    return [rows[key]._replace(now=now) for key in keys]


def _write(keys: list[str], state: CounterState, pin: Pin | None, *, alias: str) -> None:
    """Write the same values to all these counters, so that thousands take a few statements."""
    for part in batches(keys):
        counters = Counter.objects.using(alias).filter(pk__in=part)  # type: ignore[misc]
        counters.update(
            pending_documents=state.pending_documents,
            updated_at=state.updated_at,
            recovered_at=state.recovered_at,
            pinned_priority=pin.priority if pin else None,
            pinned_until=pin.until_column if pin else None,
        )
