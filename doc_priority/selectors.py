"""What is read of customers; each selector is one query."""

from datetime import datetime
from typing import NamedTuple

from django.db import connections, router
from django.db.models import Count

from doc_priority.clock import frozen_at
from doc_priority.conf import settings
from doc_priority.fields import CLOCKS, DatabaseClock
from doc_priority.models import Counter, Customer
from doc_priority.types import (
    BEST_PRIORITY,
    WORST_PRIORITY,
    CounterState,
    NamedTerms,
    Pin,
    from_microseconds,
)
from doc_priority.validation import to_microseconds


class Standing(NamedTuple):
    """A customer's counter as it is stored, what applies to it, and the time it was read."""

    state: CounterState
    pin: Pin | None
    policy: NamedTerms
    now: int


def standing(customer: str, *, at: int | None) -> Standing | None:
    """The counter of a customer; None if there is no such customer.

    It is read where checks are written, so a lagging replica cannot show an older one.
    """
    found = (
        Customer.objects.using(router.db_for_write(Counter))
        .select_related("counter", "policy")
        .annotate(read_at=DatabaseClock())
        .filter(key=customer)
        .first()
    )
    if found is None:
        return None
    counter = getattr(found, "counter", None)
    return Standing(
        state=counter.state if counter else CounterState(),
        pin=counter.pin if counter else None,
        policy=found.policy.named_terms if found.policy else settings.default_policy,
        now=to_microseconds(found.read_at) if at is None else at,
    )


def customers_per_priority(*, at: datetime | None = None) -> dict[int, int]:
    """How many customers stand at each priority now, 1 to 9."""
    counted = (
        Customer.objects.live(at)
        .order_by()
        .values("priority")
        .annotate(customers=Count("pk"))
        .values_list("priority", "customers")
    )
    return dict.fromkeys(range(BEST_PRIORITY, WORST_PRIORITY + 1), 0) | dict(counted)


def database_now() -> datetime:
    """The database's clock, or the moment that stands in for it."""
    moment = frozen_at.get()
    if moment is not None:
        return moment
    connection = connections[router.db_for_write(Counter)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCKS[connection.vendor]}")
        (now,) = cursor.fetchone()
    return from_microseconds(now)
