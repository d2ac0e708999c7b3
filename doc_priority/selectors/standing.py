"""What one customer's counter is, and the time it was read."""

from typing import NamedTuple

from django.db import router

from doc_priority.conf import settings
from doc_priority.fields import DatabaseClock
from doc_priority.models import Counter, Customer
from doc_priority.types import CounterState, NamedTerms, Pin
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
