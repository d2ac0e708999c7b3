"""For the tests of a portal: set a customer's priority, stop the clock, compare decisions.

A failing comparison raises AssertionError; no test framework is imported. The functions need the
database, so a test asks for it as it does for its own models.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from django.db import transaction

from doc_priority import services
from doc_priority.clock import frozen_at
from doc_priority.conf import settings
from doc_priority.models import Counter, Customer
from doc_priority.querysets import alias_for_write
from doc_priority.selectors import database_now
from doc_priority.types import BEST_PRIORITY, DECISION_FIELDS, FLOOR, WORST_PRIORITY, Decision
from doc_priority.validation import require_key, to_microseconds


def set_priority(key: str, priority: int, *, at: datetime | None = None) -> None:
    """Give a customer the first count that has this priority; create the customer if needed.

    A pin is removed. The counter's last update is `at` this time, or now.

        set_priority("acme", 7)
        assert check("acme").priority == 7
    """
    require_key(key)
    if priority not in range(BEST_PRIORITY, WORST_PRIORITY + 1):
        raise ValueError(f"{priority!r} is not a priority: {BEST_PRIORITY} to {WORST_PRIORITY}.")
    customer = Customer.objects.primary().select_related("policy").filter(key=key).first()
    policy = settings.default_policy
    if customer is not None and customer.policy is not None:
        policy = customer.policy.named_terms
    # A count equal to a threshold still has the better priority: 2 begins below −2.
    pending = (1, *policy.terms.thresholds)[priority - BEST_PRIORITY] - 1
    if pending < FLOOR:
        raise ValueError(
            f"No count stands at priority {priority} under the policy "
            f"{policy.name or 'default'}: it would be below {FLOOR}."
        )
    set_pending_documents(key, pending, at=at)


def set_pending_documents(key: str, count: int, *, at: datetime | None = None) -> None:
    """Set a customer's counter to this count, 0 or below; create the customer if needed.

    A pin is removed. The counter's last update is `at` this time, or now.

        set_pending_documents("acme", -12)
        assert check("acme").pending_documents == -13
    """
    if not FLOOR <= count <= 0:
        raise ValueError(f"{count!r} is not a count of pending documents: {FLOOR} to 0.")
    require_key(key)
    moment = at or database_now()
    to_microseconds(moment)  # refuses a naive time
    with transaction.atomic(using=alias_for_write()):
        customer, _ = Customer.objects.primary().get_or_create(key=key)
        Counter.objects.primary().update_or_create(
            customer=customer,
            defaults={
                "pending_documents": count,
                "updated_at": moment,
                "recovered_at": moment,
                "pinned_priority": None,
                "pinned_until": None,
            },
        )


class FrozenTime:
    """The time that checks, peeks and resets use in place of the database's clock."""

    @property
    def now(self) -> datetime:
        """The time that the clock shows."""
        moment = frozen_at.get()
        if moment is None:
            raise RuntimeError("The block of frozen_time() has ended, and the clock runs again.")
        return moment

    def move_to(self, moment: datetime) -> None:
        """Set the clock to another time, also an earlier one."""
        to_microseconds(moment)
        frozen_at.set(moment)

    def tick(self, seconds: float = 1) -> None:
        """Move the clock forward by these seconds; fractions are allowed."""
        # In UTC: adding to a local time ignores that daylight saving skips or repeats an hour.
        later = self.now.astimezone(UTC) + timedelta(seconds=seconds)
        self.move_to(later.astimezone(self.now.tzinfo))


@contextmanager
def frozen_time(moment: datetime) -> Iterator[FrozenTime]:
    """Stop the clock of checks, peeks and resets at this moment, an aware datetime, in the block.

    It is stopped for this thread or task and what that awaits, not for other threads.

        with frozen_time(datetime(2030, 1, 1, tzinfo=UTC)) as clock:
            check("acme"); clock.tick(1501); assert check("acme").reset
    """
    to_microseconds(moment)
    token = frozen_at.set(moment)
    try:
        yield FrozenTime()
    finally:
        frozen_at.reset(token)


def assert_decision(decision: Decision, **expected: object) -> None:
    """Compare the named fields of a decision; the message shows each that differs.

    assert_decision(check("acme"), priority=1, pending_documents=0)
    assert_decision(check("acme", document="7"), repeated=False, document="7")
    """
    unknown = expected.keys() - set(DECISION_FIELDS)
    if unknown:
        names, known = ", ".join(sorted(unknown)), ", ".join(DECISION_FIELDS)
        raise TypeError(f"A decision has no {names}; it has {known}.")
    lines = [
        f"  {name}: expected {value!r}, got {getattr(decision, name)!r}"
        for name, value in expected.items()
        if getattr(decision, name) != value
    ]
    if lines:
        raise AssertionError("\n".join([f"{decision!r} differs:", *lines]))


def assert_priority(key: str, expected: int) -> None:
    """Compare a customer's priority now; nothing is counted.

    set_priority("acme", 7)
    assert_priority("acme", 7)
    """
    decision = services.peek(key)
    if decision.priority != expected:
        pinned = ", pinned" if decision.pinned else ""
        raise AssertionError(
            f"{key} stands at priority {decision.priority}, not {expected} (pending documents "
            f"{decision.pending_documents}, policy {decision.policy or 'default'}{pinned})."
        )
