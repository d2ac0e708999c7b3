"""What a service leaves behind: an event of each change; and whom it tells, once that is committed.

Told are the log, the signals' receivers, and observers, who also learn of the call itself.
"""

import logging
import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping
from functools import wraps
from operator import methodcaller
from typing import Any, NamedTuple, ParamSpec, TypeVar

from django.db import DatabaseError
from django.dispatch import Signal

from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Customer, Event
from doc_priority.observing import Call, Checked, Result, observers, tell, tell_one
from doc_priority.services.transactions import after_commit
from doc_priority.signals import priority_changed
from doc_priority.types import (
    ACTOR_LENGTH,
    REASON_LENGTH,
    SOURCE_LENGTH,
    Decision,
    Pin,
    from_microseconds,
    utc_text,
)
from doc_priority.validation import require_text, shown_text

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger("doc_priority")

CHECKS = frozenset({"check", "check_many"})

Facts = dict[str, Any]
"""What an event says of one side of a change: before it, or after."""


class Author(NamedTuple):
    """Who acts, why, and through what."""

    actor: str
    reason: str
    source: str


def author_of(actor: object, reason: str, source: str) -> Author:
    """The author as text; a user gives its username, as far as it can be shown."""
    if actor is None or isinstance(actor, str):
        name = require_text(actor or "", name="actor", length=ACTOR_LENGTH)
    else:
        # A text is refused like any other; who signed in cannot be asked for another name.
        get_username = getattr(actor, "get_username", None)
        name = shown_text(str(get_username() if get_username else actor))[:ACTOR_LENGTH]
    return Author(
        actor=name,
        reason=require_text(reason, name="reason", length=REASON_LENGTH),
        source=require_text(source, name="source", length=SOURCE_LENGTH),
    )


def facts_of(decision: Decision, pin: Pin | None = None) -> Facts:
    """What an event keeps of a decision, and of the pin that holds."""
    facts: Facts = {
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
    }
    if pin is not None:
        facts["pinned_priority"] = pin.priority
        until = None if pin.until is None else utc_text(from_microseconds(pin.until))
        facts["pinned_until"] = until
    return facts


def record_change(
    kind: Event.Kind,
    customer: str,
    author: Author,
    *,
    before: Facts,
    after: Facts,
    now: int,
    alias: str,
) -> Event:
    """Write the event of one change; without a customer it is a policy's."""
    changes = {customer: (before, after)}
    return record_changes(kind, changes, author, now=now, alias=alias)[customer]


def record_changes(
    kind: Event.Kind,
    changes: Mapping[str, tuple[Facts, Facts]],
    author: Author,
    *,
    now: int,
    alias: str,
) -> dict[str, Event]:
    """Write an event for each customer, from its facts before and after; give them by customer.

    Committed, they are told to the log and to observers. Both learn what was done, and the log to
    whom; neither what was said of a customer.
    """
    events = [
        Event(
            customer=customer,
            kind=kind,
            actor=author.actor,
            reason=author.reason,
            source=author.source,
            before=before,
            after=after,
            created_at=from_microseconds(now),
        )
        for customer, (before, after) in changes.items()
    ]
    Event.objects.using(alias).bulk_create(events, batch_size=500)

    def tell_of_them() -> None:
        for event in events:
            logger.info(
                "%s of %s",
                event.kind,
                event.customer or "a policy",
                extra={
                    "action": str(event.kind),
                    "customer": event.customer,
                    "source": event.source,
                    "event": event.pk,
                },
            )
        if events:
            tell(lambda observer: observer.corrected(str(kind), author.source, len(events)))

    after_commit(tell_of_them)
    return {event.customer: event for event in events}


def announce(signal: Signal, **values: Any) -> None:
    """Send the signal after commit, if anyone listens; what a receiver raises is logged."""
    if signal.has_listeners(Customer):
        after_commit(lambda: signal.send_robust(sender=Customer, **values))


def announce_priority(before: int, decision: Decision) -> None:
    """Tell that a customer's priority moved, if it did."""
    if before != decision.priority:
        announce(
            priority_changed,
            customer=decision.customer,
            before=before,
            after=decision.priority,
            decision=decision,
        )


def observed(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A service that observers know by this name; while nobody observes, it is called as it is."""

    def wrap(service: Callable[P, T]) -> Callable[P, T]:
        @wraps(service)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if not observers:
                return service(*args, **kwargs)
            begun = [(one, tell_one(one, lambda one: one.began(name))) for one in observers]
            started = time.perf_counter()

            def end(checks: Mapping[Checked, int], error: str = "") -> None:
                """The last that began ends first."""
                ended = Call(name, time.perf_counter() - started, checks, error)
                for one, token in reversed(begun):
                    tell_one(one, methodcaller("ended", ended, token))

            try:
                result = service(*args, **kwargs)
            except BaseException as error:
                end({}, _code_of(error))
                raise
            checks = _tally_of(result) if name in CHECKS else {}
            end(checks)
            if checks:
                after_commit(lambda: tell(lambda one: one.checked(checks)))
            return result

        return call

    return wrap


def _code_of(error: BaseException) -> str:
    match error:
        case DocPriorityError():
            return error.code
        case DatabaseError():
            return "database_error"
    return "unexpected_error"


def _tally_of(decided: Any) -> Mapping[Checked, int]:
    """How many documents got each result, of a check or of a list of them."""
    tally: Tally[Checked] = Tally()
    for decision in decided if isinstance(decided, list) else [decided]:
        if decision.repeated:
            result = Result.REPEATED
        elif decision.reset:
            result = Result.RESET
        else:
            result = Result.FIRST if decision.pending_documents == 0 else Result.COUNTED
        tally[Checked(result, decision.priority, decision.pinned)] += 1
    return tally
