"""What is read of customers; each selector is one query."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import connections, router
from django.db.models import Count

from doc_priority.clock import frozen_at
from doc_priority.conf import settings
from doc_priority.fields import CLOCKS, DatabaseClock
from doc_priority.models import Counter, Customer
from doc_priority.querysets import CustomerQuerySet
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


@dataclass(frozen=True, slots=True)
class Overview:
    """How many customers stand where now; of pinned ones none is counting."""

    priorities: dict[int, int]
    counting: int
    pinned: int

    @property
    def customers(self) -> int:
        return sum(self.priorities.values())

    @property
    def waiting(self) -> int:
        """Those at 7 to 9."""
        return sum(count for priority, count in self.priorities.items() if priority >= 7)


def overview(customers: CustomerQuerySet, *, at: datetime | None = None) -> Overview:
    """How many of these customers stand at each priority, 1 to 9, are counting or pinned."""
    counted = (
        customers.live(at)
        .order_by()
        .values_list("priority", "pinned", "counting")
        .annotate(number=Count("pk"))
    )
    priorities = dict.fromkeys(range(BEST_PRIORITY, WORST_PRIORITY + 1), 0)
    counting = pinned = 0
    for priority, is_pinned, is_counting, number in counted:
        priorities[priority] += number
        pinned += number if is_pinned else 0
        counting += number if is_counting and not is_pinned else 0
    return Overview(priorities, counting, pinned)


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
