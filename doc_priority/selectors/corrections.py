"""What was done to customers since somebody looked."""

from collections.abc import Iterable

from django.db import router
from django.db.models import Max, QuerySet

from doc_priority.models import Counter, Event


def last_event(customers: Iterable[str]) -> int:
    """The number of the newest event of these customers; 0 if there is none."""
    found = _events(customers).aggregate(last=Max("pk"))["last"]
    return found or 0


def newer_events(last: int, customers: Iterable[str]) -> QuerySet[Event]:
    """What happened to these customers after that event, newest first."""
    return _events(customers).filter(pk__gt=last)


def _events(customers: Iterable[str]) -> QuerySet[Event]:
    """Where they are written, so that a lagging replica hides none."""
    return Event.objects.using(router.db_for_write(Counter)).filter(customer__in=list(customers))
