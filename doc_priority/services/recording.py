"""Events: who did what to a customer, written in the transaction of the change."""

import logging
from functools import partial
from typing import Any, NamedTuple

from doc_priority.models import Event
from doc_priority.services.observed import tell_of_events
from doc_priority.services.transactions import after_commit
from doc_priority.types import ACTOR_LENGTH, REASON_LENGTH, SOURCE_LENGTH, from_microseconds
from doc_priority.validation import require_text, shown_text

logger = logging.getLogger("doc_priority")


class Author(NamedTuple):
    """Who acts, why, and through what."""

    actor: str
    reason: str
    source: str


def author_of(actor: object, reason: str, source: str) -> Author:
    """The author as text; a user gives its username, as far as it can be shown."""
    return Author(
        actor=_name_of(actor),
        reason=require_text(reason, name="reason", length=REASON_LENGTH),
        source=require_text(source, name="source", length=SOURCE_LENGTH),
    )


def _name_of(actor: object) -> str:
    """A text is refused like any other; who signed in cannot be asked for another name."""
    if actor is None or isinstance(actor, str):
        return require_text(actor or "", name="actor", length=ACTOR_LENGTH)
    get_username = getattr(actor, "get_username", None)
    return shown_text(str(get_username() if get_username else actor))[:ACTOR_LENGTH]


def event_of(
    kind: Event.Kind,
    customer: str,
    author: Author,
    *,
    before: dict[str, Any],
    after: dict[str, Any],
    now: int,
) -> Event:
    return Event(
        customer=customer,
        kind=kind,
        actor=author.actor,
        reason=author.reason,
        source=author.source,
        before=before,
        after=after,
        created_at=from_microseconds(now),
    )


def record(events: list[Event], *, alias: str) -> list[Event]:
    """Write the events. Committed, they are told to observers and to the log.

    The log names the customers, not what was said of them.
    """
    written = Event.objects.using(alias).bulk_create(events, batch_size=500)
    after_commit(partial(_log, written))
    tell_of_events(written)
    return written


def _log(events: list[Event]) -> None:
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
