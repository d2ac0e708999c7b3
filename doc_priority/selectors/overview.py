"""How many customers stand where."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors.activity import activity
from doc_priority.selectors.numbers import number_of
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY


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
    """How many of these customers stand at each priority, 1 to 9, are counting or pinned.

    Those at rest are only counted, so the rule is worked out for the others alone.
    """
    moment = activity(at=at)
    counted = (
        customers.moving(now=moment.now, since=moment.since)
        .live(moment.now)
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
    at_rest = number_of(customers) - sum(priorities.values())
    priorities[BEST_PRIORITY] += max(0, at_rest)
    return Overview(priorities, counting, pinned)
