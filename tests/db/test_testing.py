"""`doc_priority.testing`, the helpers for a portal's own tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from doc_priority import services
from doc_priority.clock import frozen_at
from doc_priority.exceptions import CustomerNotFound, InvalidKey, InvalidTime
from doc_priority.models import Counter, Customer
from doc_priority.selectors import Overview, overview
from doc_priority.testing import (
    assert_decision,
    assert_priority,
    frozen_time,
    set_pending_documents,
    set_priority,
)
from doc_priority.types import FLOOR
from tests.factories import CounterFactory, PolicyFactory

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def test_set_priority_makes_a_customer_that_stands_there() -> None:
    """At the first count with this priority: one document fewer has the better priority."""
    for priority in range(1, 10):
        set_priority("acme", priority)
        assert_priority("acme", priority)
        if priority > 1:
            set_pending_documents("acme", Counter.objects.get().pending_documents + 1)
            assert_priority("acme", priority - 1)
    set_priority("acme", 7)
    assert services.check("acme").priority == 7

    # It goes by the customer's policy, and takes a pin off.
    policy = PolicyFactory(thresholds=[-100, -200, -300, -400, -500, -600, -700, -800])
    CounterFactory(customer__key="birch", customer__policy=policy, pinned=True)
    set_priority("birch", 9)
    assert Counter.objects.get(customer="birch").pending_documents == -801
    assert services.peek("birch").pinned is False
    assert_priority("birch", 9)

    # It may do so at a time.
    Customer.objects.all().delete()
    set_priority("acme", 9, at=NOON)
    assert services.peek("acme", at=NOON + timedelta(seconds=1500)).priority == 9
    assert services.peek("acme", at=NOON + timedelta(seconds=1501)).priority == 1


def test_what_cannot_be_set_is_refused(settings) -> None:
    for priority in (0, 10, -1):
        with pytest.raises(ValueError, match=f"{priority} is not a priority: 1 to 9"):
            set_priority("acme", priority)
    with pytest.raises(InvalidKey):
        set_priority("no key", 1)
    with pytest.raises(InvalidTime):
        set_priority("acme", 1, at=NOON.replace(tzinfo=None))
    assert not Customer.objects.exists()

    settings.DOC_PRIORITY = {"THRESHOLDS": [-1, -2, -3, -4, -5, -6, -7, FLOOR]}
    set_priority("acme", 8)
    with pytest.raises(ValueError, match="No count stands at priority 9 under the policy default"):
        set_priority("acme", 9)

    for count in (0, FLOOR, -12, -3):
        set_pending_documents("acme", count)
        assert services.peek("acme").pending_documents == count
    assert services.check("acme").pending_documents == -4
    for count in (1, FLOOR - 1):
        with pytest.raises(ValueError, match=f"{count} is not a count of pending documents"):
            set_pending_documents("acme", count)


def test_frozen_time_holds_for_services_and_the_live_list() -> None:
    with frozen_time(NOON.astimezone(timezone(timedelta(hours=9)))):  # is the same moment
        assert services.check("acme").decided_at == NOON
    Customer.objects.all().delete()
    with frozen_time(NOON) as clock:
        assert services.check("acme").decided_at == NOON
        assert services.peek("acme").decided_at == NOON
        later = NOON + timedelta(hours=1)
        assert services.check("other", at=later).decided_at == later

        set_priority("acme", 9)
        assert Customer.objects.live().get(key="acme").priority == 9
        clock.tick(60)
        assert services.reset("acme").decided_at == NOON + timedelta(seconds=60)
        set_priority("acme", 9)
        clock.tick(1501)
        assert Customer.objects.live().get(key="acme").priority == 1


def test_time_ticks_and_moves_also_back() -> None:
    """Also when daylight saving begins, as in Berlin; the overview is right then, too."""
    with frozen_time(NOON) as clock:
        services.check("acme")
        clock.tick(1500)
        assert services.check("acme").reset is False
        clock.tick(1500.000001)
        assert services.check("acme").reset is True
        clock.tick()
        assert clock.now == NOON + timedelta(seconds=3001.000001)

        before = services.peek("acme").decided_at
        clock.move_to(NOON - timedelta(days=1))
        assert clock.now == NOON - timedelta(days=1)
        assert services.check("acme").decided_at == before - timedelta(seconds=1)

    Customer.objects.all().delete()
    berlin, forward = ZoneInfo("Europe/Berlin"), datetime(2026, 3, 29, 1, tzinfo=UTC)
    with frozen_time((forward - timedelta(hours=1)).astimezone(berlin)) as clock:
        clock.tick(3 * 3600)
        assert clock.now == forward + timedelta(hours=2)
        assert str(clock.now.tzinfo) == "Europe/Berlin"
    with frozen_time((forward + timedelta(minutes=10)).astimezone(berlin)):
        set_priority("acme", 9)
        seen = overview(Customer.objects.all())
    assert seen == Overview(dict.fromkeys(range(1, 10), 0) | {9: 1}, counting=1, pinned=0)


def test_frozen_times_nest_and_end_also_after_an_error() -> None:
    with frozen_time(NOON) as outer:
        with frozen_time(NOON + timedelta(days=1)) as inner:
            inner.tick()
        assert outer.now == NOON
    assert frozen_at.get() is None
    with pytest.raises(RuntimeError, match="runs again"):
        outer.tick()
    with pytest.raises(CustomerNotFound), frozen_time(NOON):
        services.peek("nobody")
    assert frozen_at.get() is None

    # A naive time is refused.
    with pytest.raises(InvalidTime), frozen_time(NOON.replace(tzinfo=None)):
        pass
    with frozen_time(NOON) as clock:
        with pytest.raises(InvalidTime):
            clock.move_to(NOON.replace(tzinfo=None))
        assert clock.now == NOON


def test_assertions_say_why() -> None:
    with frozen_time(NOON):
        set_pending_documents("acme", -12)
        decision = services.check("acme", document="7")
    assert_decision(decision, priority=7, pending_documents=-13, document="7", decided_at=NOON)
    assert_decision(decision)
    with pytest.raises(AssertionError) as raised:
        assert_decision(decision, customer="acme", priority=1, document="8")
    message = str(raised.value)
    assert "  priority: expected 1, got 7" in message
    assert "  document: expected '8', got '7'" in message
    assert "customer:" not in message
    assert repr(decision) in message

    assert_decision(replace(decision, pinned=True), pinned=True)
    with pytest.raises(AssertionError, match="pinned: expected False, got True"):
        assert_decision(replace(decision, pinned=True), pinned=False)
    with pytest.raises(TypeError, match="A decision has no prio; it has customer, document"):
        assert_decision(decision, prio=1)

    Customer.objects.all().delete()
    set_priority("acme", 7)
    assert_priority("acme", 7)
    with pytest.raises(AssertionError) as raised:
        assert_priority("acme", 1)
    assert str(raised.value) == (
        "acme stands at priority 7, not 1 (pending documents -13, policy default)."
    )
    assert Counter.objects.get().pending_documents == -13

    policy = PolicyFactory(name="gold")
    CounterFactory(customer__key="golden", customer__policy=policy, pinned=True)
    with pytest.raises(AssertionError, match=r"policy gold, pinned\)\.$"):
        assert_priority("golden", 9)
    with pytest.raises(CustomerNotFound):
        assert_priority("nobody", 1)
