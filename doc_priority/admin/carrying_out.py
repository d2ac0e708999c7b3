"""A correction carried out and kept, as events and in the admin's own history: all or nothing."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db import router

from doc_priority.admin.corrections import FORGET, Correction
from doc_priority.admin.events import change_of
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Counter, Event
from doc_priority.selectors import last_event, newer_events
from doc_priority.services.transactions import together

SOURCE = "admin"


class CorrectedMeanwhileError(DocPriorityError):
    """Somebody corrected one of these customers after the page was opened."""

    code = "corrected_meanwhile"


def carry_out(
    correction: Correction, rows: Sequence[Any], *, seen: int, user: Any, arguments: dict[str, Any]
) -> list[Event]:
    """Correct these customers of the live list; gives the events, one for each that changed.

    `seen` is the newest event that the user knows of; nothing is done once there is another one.
    """
    keys = [row.key for row in rows]

    def correct() -> list[Event]:
        _lock(keys)
        last = last_event(keys)
        if last > seen:
            raise CorrectedMeanwhileError
        correction.service(keys, actor=user, source=SOURCE, **arguments)
        events = list(newer_events(last, keys))
        _log(correction, rows, events, user=user)
        return events

    return together(correct)


def _lock(keys: Sequence[str]) -> None:
    """Nobody else corrects them from here on; in the order in which the services lock."""
    counters = Counter.objects.using(router.db_for_write(Counter)).select_for_update()
    theirs = counters.filter(customer_id__in=keys)
    list(theirs.order_by("customer_id").values_list("customer_id"))


def _log(
    correction: Correction, rows: Sequence[Any], events: Sequence[Event], *, user: Any
) -> None:
    """In few statements: many customers change in the same way."""
    by_key = {row.key: row for row in rows}
    alike: dict[str, list[Any]] = defaultdict(list)
    for event in events:
        alike[_message(event)].append(_named(by_key[event.customer], correction))
    for message, customers in alike.items():
        LogEntry.objects.log_actions(
            user_id=user.pk,
            queryset=customers,
            action_flag=correction.log_flag,
            change_message=message,
        )


def _message(event: Event) -> str:
    """`reset: 7 → 1 (asked on the phone)`"""
    return f"{event.get_kind_display()}: {change_of(event)} ({event.reason})"


def _named(row: Any, correction: Correction) -> Any:
    """Of a customer that is forgotten its name is kept as little as anything else."""
    if correction is FORGET:
        row.name = ""
    return row
