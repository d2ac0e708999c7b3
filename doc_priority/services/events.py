"""Events, which services write with each change; and log, signals and observers after commit.

Observers also follow the calls themselves, with `observed`.
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
from doc_priority.services.transactions import BATCH, after_commit
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

Facts = dict[str, Any]
"""What an event says of the time before a change, or after it."""


class Author(NamedTuple):
    """Who makes a change, why, and through what."""

    actor: str
    reason: str
    source: str


def author_of(actor: object, reason: str, source: str) -> Author:
    """The author as text; of a user, the username without characters that cannot be shown."""
    if actor is None or isinstance(actor, str):
        name = require_text(actor or "", name="actor", length=ACTOR_LENGTH)
    else:
        # Not refused like a text, because a user who has signed in cannot give another name.
        get_username = getattr(actor, "get_username", None)
        name = shown_text(str(get_username() if get_username else actor))[:ACTOR_LENGTH]
    return Author(
        actor=name,
        reason=require_text(reason, name="reason", length=REASON_LENGTH),
        source=require_text(source, name="source", length=SOURCE_LENGTH),
    )


def facts_of(decision: Decision, pin: Pin | None = None) -> Facts:
    """What an event says of a decision, and of the pin if one holds."""
    facts: Facts = {
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
    }
    if pin is not None:
        facts["pinned_priority"] = pin.priority
        until = None if pin.until is None else utc_text(from_microseconds(pin.until))
        facts["pinned_until"] = until
    return facts


def record_changes(
    kind: Event.Kind,
    changes: Mapping[str, tuple[Facts, Facts]],
    author: Author,
    *,
    now: int,
    alias: str,
) -> dict[str, Event]:
    """Write an event for each customer, with its facts before and after; the events by customer.

    For a change of a policy the customer is empty.
    After commit they are logged, with the customer but without reason and facts, and observers are
    called, without the customer.
    """
    events = [
        Event(
            customer=customer,
            kind=kind,
            **author._asdict(),
            before=before,
            after=after,
            created_at=from_microseconds(now),
        )
        for customer, (before, after) in changes.items()
    ]
    Event.objects.using(alias).bulk_create(events, batch_size=BATCH)

    def log_and_tell() -> None:
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

    after_commit(log_and_tell)
    return {event.customer: event for event in events}


def announce(signal: Signal, **values: Any) -> None:
    """Send the signal after commit, if it has receivers; what a receiver raises is logged."""
    if signal.has_listeners(Customer):
        after_commit(lambda: signal.send_robust(sender=Customer, **values))


def announce_priority(before: int, decision: Decision) -> None:
    """Send `priority_changed` if the priority has changed."""
    if before != decision.priority:
        announce(
            priority_changed,
            customer=decision.customer,
            before=before,
            after=decision.priority,
            decision=decision,
        )


def observed(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Report each call of the service to observers, by this name."""

    def wrap(service: Callable[P, T]) -> Callable[P, T]:
        @wraps(service)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if not observers:
                return service(*args, **kwargs)
            begun = [(one, tell_one(one, methodcaller("began", name))) for one in observers]
            started = time.perf_counter()
            checks: Mapping[Checked, int] = {}
            code = ""
            try:
                result = service(*args, **kwargs)
                if name in ("check", "check_many"):
                    checks = _tally_of(result)
            except BaseException as error:
                code = _code_of(error)
                raise
            finally:
                ended = Call(name, time.perf_counter() - started, checks, code)
                # In reverse order: a span that began last is the current one.
                for one, token in reversed(begun):
                    tell_one(one, methodcaller("ended", ended, token))
            if checks:
                after_commit(lambda: tell(methodcaller("checked", checks)))
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
    """The number of documents with each result, of a `check` or a `check_many`."""
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
