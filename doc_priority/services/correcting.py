"""Putting a customer right by hand: reset its counter, pin its priority."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from doc_priority import rules
from doc_priority.clock import moment_of
from doc_priority.counters.rows import LockedRow, policy_of
from doc_priority.exceptions import InvalidPin
from doc_priority.models import Counter, Event
from doc_priority.services.announcements import announce, announce_priority
from doc_priority.services.deciding import standing_of
from doc_priority.services.listing import listed
from doc_priority.services.locking import locked, with_counters
from doc_priority.services.observed import observed
from doc_priority.services.recording import Author, author_of, event_of, record
from doc_priority.services.transactions import Unit, perform
from doc_priority.signals import customer_pinned, customer_reset, customer_unpinned
from doc_priority.types import (
    BEST_PRIORITY,
    LAST_MOMENT,
    WORST_PRIORITY,
    CounterState,
    Decision,
    NamedTerms,
    Pin,
    from_microseconds,
    utc_text,
)
from doc_priority.validation import require_key, to_microseconds

BATCH = 500
"""Keys of one statement; few enough for every database's parameters."""


class Corrected(NamedTuple):
    """What a correction makes of a counter."""

    state: CounterState
    pin: Pin | None


class Correction(NamedTuple):
    """One customer before and after; nothing is corrected where there was nothing to do."""

    row: LockedRow
    corrected: Corrected | None
    before: Decision
    after: Decision


Change = Callable[[LockedRow], Corrected | None]


def reset(
    customer: str,
    *,
    actor: object = None,
    reason: str = "",
    source: str = "",
    at: datetime | None = None,
) -> Decision:
    """Put the customer's counter to 0; this counts as an update and is kept as an event."""
    return reset_many([customer], actor=actor, reason=reason, source=source, at=at)[0]


@observed("reset")
def reset_many(
    customers: Iterable[str],
    *,
    actor: object = None,
    reason: str = "",
    source: str = "",
    at: datetime | None = None,
) -> list[Decision]:
    """Reset each of these customers once, all of them or none, in the order given."""
    author = author_of(actor, reason, source)
    return _correct(customers, Event.Kind.RESET, _reset, author, at=moment_of(at))


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

    `until` lies in the future; with None the pin has no end and holds until `unpin`. A pin that is
    there is replaced; documents count on meanwhile.
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
) -> list[Decision]:
    """Pin each of these customers, all of them or none, in the order given."""
    _require_priority(priority)
    held = Pin(priority, None if until in (None, LAST_MOMENT) else to_microseconds(until))
    author = author_of(actor, reason, source)

    def hold(row: LockedRow) -> Corrected:
        if not held.holds(row.now):
            raise InvalidPin(f"until {until} has passed; pin until a later time.")
        return Corrected(row.state, held)

    return _correct(customers, Event.Kind.PIN, hold, author, at=moment_of(None))


def unpin(customer: str, *, actor: object = None, reason: str = "", source: str = "") -> Decision:
    """Let the counter decide again; without a pin nothing changes and no event is kept."""
    return unpin_many([customer], actor=actor, reason=reason, source=source)[0]


@observed("unpin")
def unpin_many(
    customers: Iterable[str], *, actor: object = None, reason: str = "", source: str = ""
) -> list[Decision]:
    """Unpin each of these customers, all of them or none, in the order given."""
    author = author_of(actor, reason, source)
    return _correct(customers, Event.Kind.UNPIN, _release, author, at=moment_of(None))


SIGNALS = {
    Event.Kind.RESET: customer_reset,
    Event.Kind.PIN: customer_pinned,
    Event.Kind.UNPIN: customer_unpinned,
}


def _require_priority(priority: object) -> None:
    whole = isinstance(priority, int) and not isinstance(priority, bool)
    if not whole or not BEST_PRIORITY <= priority <= WORST_PRIORITY:  # type: ignore[operator]
        raise InvalidPin(
            f"priority {priority!r} is not a whole number from {BEST_PRIORITY} to {WORST_PRIORITY}."
        )


def _reset(row: LockedRow) -> Corrected:
    return Corrected(rules.reset(row.state, row.now), row.pin)


def _release(row: LockedRow) -> Corrected | None:
    return None if row.pin is None else Corrected(row.state, None)


def _correct(
    customers: Iterable[str], kind: Event.Kind, change: Change, author: Author, *, at: int | None
) -> list[Decision]:
    keys = _keys(customers)
    if not keys:
        return []

    def correct(unit: Unit) -> tuple[list[Correction], list[Event]]:
        known = unit.without_creating()
        return with_counters(known, lambda: _corrected(known, keys, kind, change, author))

    corrections, events = perform(correct, at=at)
    event_ids = {event.customer: event.pk for event in events}
    for correction in corrections:
        if correction.corrected is not None:
            key = correction.row.customer
            announce(SIGNALS[kind], customer=key, decision=correction.after, event=event_ids[key])
            announce_priority(correction.before.priority, correction.after)
    return [correction.after for correction in corrections]


def _keys(customers: Iterable[str]) -> list[str]:
    """Each key once, in the order given."""
    keys = listed(customers, of="keys")
    for key in keys:
        require_key(key)
    return list(dict.fromkeys(keys))


def _corrected(
    unit: Unit, keys: list[str], kind: Event.Kind, change: Change, author: Author
) -> tuple[list[Correction], list[Event]]:
    rows = _at_one_time(locked(unit, keys))
    corrections = [_correction(rows[key], change, unit.conditions.default) for key in keys]
    done = [
        (correction, correction.corrected)
        for correction in corrections
        if correction.corrected is not None
    ]
    _write(
        [(correction.row.customer, corrected) for correction, corrected in done], alias=unit.alias
    )
    events = record(
        [_event(kind, correction, corrected, author) for correction, corrected in done],
        alias=unit.alias,
    )
    return corrections, events


def _correction(row: LockedRow, change: Change, default: NamedTerms) -> Correction:
    policy = policy_of(row.policy, default)
    corrected = change(row)
    state, held = corrected or Corrected(row.state, row.pin)
    return Correction(
        row,
        corrected,
        before=standing_of(row.customer, row.state, row.pin, policy, row.now),
        after=standing_of(row.customer, state, held, policy, row.now),
    )


def _at_one_time(rows: dict[str, LockedRow]) -> dict[str, LockedRow]:
    """The same rows with the clock as it stood once all of them were locked."""
    now = max(row.now for row in rows.values())
    return {key: row._replace(now=now) for key, row in rows.items()}


def _write(counters: list[tuple[str, Corrected]], *, alias: str) -> None:
    """Write all that become the same together: a reset of thousands is a few statements."""
    alike: dict[Corrected, list[str]] = {}
    for key, corrected in counters:
        alike.setdefault(corrected, []).append(key)
    for (state, held), keys in alike.items():
        for start in range(0, len(keys), BATCH):
            part = Counter.objects.using(alias).filter(
                pk__in=keys[start : start + BATCH]  # type: ignore[misc]
            )
            part.update(
                pending_documents=state.pending_documents,
                updated_at=state.updated_at,
                recovered_at=state.recovered_at,
                pinned_priority=held.priority if held else None,
                pinned_until=held.until_column if held else None,
            )


def _event(kind: Event.Kind, correction: Correction, corrected: Corrected, author: Author) -> Event:
    return event_of(
        kind,
        correction.row.customer,
        author,
        before=_told(correction.before, correction.row.pin),
        after=_told(correction.after, corrected.pin),
        now=correction.row.now,
    )


def _told(decision: Decision, held: Pin | None) -> dict[str, Any]:
    """A standing as an event keeps it."""
    told: dict[str, Any] = {
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
    }
    if held is not None:
        told["pinned_priority"] = held.priority
        until = None if held.until is None else utc_text(from_microseconds(held.until))
        told["pinned_until"] = until
    return told
