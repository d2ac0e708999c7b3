"""What a portal's tests are given."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from django.test.utils import override_settings

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
from doc_priority.types import FLOOR, Decision
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("priority", range(1, 10))
def test_set_priority_makes_a_customer_that_stands_there(priority: int) -> None:
    set_priority("acme", priority)
    assert_priority("acme", priority)


@pytest.mark.parametrize("priority", range(2, 10))
def test_set_priority_takes_the_first_count(priority: int) -> None:
    set_priority("acme", priority)
    counter = Counter.objects.get()
    set_pending_documents("acme", counter.pending_documents + 1)
    assert_priority("acme", priority - 1)


def test_set_priority_goes_by_the_customers_policy() -> None:
    policy = PolicyFactory(thresholds=[-100, -200, -300, -400, -500, -600, -700, -800])
    CustomerFactory(key="acme", policy=policy)
    set_priority("acme", 9)
    assert Counter.objects.get().pending_documents == -801
    assert_priority("acme", 9)


def test_set_priority_takes_a_pin_off() -> None:
    CounterFactory(customer__key="acme", pinned=True)
    set_priority("acme", 4)
    assert services.peek("acme").pinned is False
    assert_priority("acme", 4)


def test_set_priority_at_a_time() -> None:
    set_priority("acme", 9, at=NOON)
    assert services.peek("acme", at=NOON + timedelta(seconds=1500)).priority == 9
    assert services.peek("acme", at=NOON + timedelta(seconds=1501)).priority == 1


def test_set_priority_holds_for_the_next_check() -> None:
    set_priority("acme", 7)
    assert services.check("acme").priority == 7


@pytest.mark.parametrize("priority", [0, 10, -1])
def test_set_priority_refuses_what_is_none(priority: int) -> None:
    with pytest.raises(ValueError, match=f"{priority} is not a priority: 1 to 9"):
        set_priority("acme", priority)
    assert not Customer.objects.exists()


@override_settings(DOC_PRIORITY={"THRESHOLDS": [-1, -2, -3, -4, -5, -6, -7, FLOOR]})
def test_set_priority_says_when_no_count_stands_there() -> None:
    set_priority("acme", 8)
    with pytest.raises(ValueError, match="No count stands at priority 9 under the policy default"):
        set_priority("acme", 9)


def test_set_priority_refuses_a_key_that_is_none() -> None:
    with pytest.raises(InvalidKey):
        set_priority("no key", 1)


def test_set_priority_refuses_a_naive_time() -> None:
    with pytest.raises(InvalidTime):
        set_priority("acme", 1, at=NOON.replace(tzinfo=None))
    assert not Customer.objects.exists()


@pytest.mark.parametrize("count", [0, -12, FLOOR])
def test_set_pending_documents(count: int) -> None:
    set_pending_documents("acme", count)
    assert services.peek("acme").pending_documents == count


def test_set_pending_documents_moves_a_counter_that_is_there() -> None:
    set_pending_documents("acme", -12)
    set_pending_documents("acme", -3)
    assert services.check("acme").pending_documents == -4


@pytest.mark.parametrize("count", [1, FLOOR - 1])
def test_set_pending_documents_refuses_other_counts(count: int) -> None:
    with pytest.raises(ValueError, match=f"{count} is not a count of pending documents"):
        set_pending_documents("acme", count)


def test_frozen_time_holds_for_checks_and_peeks() -> None:
    with frozen_time(NOON):
        assert services.check("acme").decided_at == NOON
        assert services.peek("acme").decided_at == NOON


def test_frozen_time_holds_for_resets() -> None:
    with frozen_time(NOON) as clock:
        set_priority("acme", 9)
        clock.tick(60)
        assert services.reset("acme").decided_at == NOON + timedelta(seconds=60)


def test_frozen_time_holds_for_the_live_list() -> None:
    with frozen_time(NOON) as clock:
        set_priority("acme", 9)
        assert Customer.objects.live().get().priority == 9
        clock.tick(1501)
        assert Customer.objects.live().get().priority == 1


def test_time_ticks() -> None:
    with frozen_time(NOON) as clock:
        services.check("acme")
        clock.tick(1500)
        assert services.check("acme").reset is False
        clock.tick(1500.000001)
        assert services.check("acme").reset is True
        clock.tick()
        assert clock.now == NOON + timedelta(seconds=3001.000001)


def test_time_moves_also_back() -> None:
    with frozen_time(NOON) as clock:
        services.check("acme")
        clock.move_to(NOON - timedelta(days=1))
        assert clock.now == NOON - timedelta(days=1)
        assert services.check("acme").decided_at == NOON


def test_a_moment_of_another_zone_is_the_same_moment() -> None:
    with frozen_time(NOON.astimezone(timezone(timedelta(hours=9)))):
        assert services.check("acme").decided_at == NOON


BERLIN = ZoneInfo("Europe/Berlin")
SUMMER_TIME = datetime(2026, 3, 29, 1, tzinfo=UTC)
"""Clocks in Berlin go forward by an hour."""


def test_time_ticks_as_long_where_clocks_go_forward() -> None:
    with frozen_time((SUMMER_TIME - timedelta(hours=1)).astimezone(BERLIN)) as clock:
        clock.tick(3 * 3600)
        assert clock.now == SUMMER_TIME + timedelta(hours=2)
        assert str(clock.now.tzinfo) == "Europe/Berlin"


def test_the_overview_is_right_where_clocks_have_just_gone_forward() -> None:
    with frozen_time((SUMMER_TIME + timedelta(minutes=10)).astimezone(BERLIN)):
        set_priority("acme", 9)
        seen = overview(Customer.objects.all())
    assert seen == Overview(dict.fromkeys(range(1, 10), 0) | {9: 1}, counting=1, pinned=0)


def test_frozen_times_nest_and_end() -> None:
    with frozen_time(NOON) as outer:
        with frozen_time(NOON + timedelta(days=1)) as inner:
            inner.tick()
        assert outer.now == NOON
    assert frozen_at.get() is None
    with pytest.raises(RuntimeError, match="runs again"):
        outer.tick()


def test_the_clock_runs_again_after_an_error() -> None:
    with pytest.raises(CustomerNotFound), frozen_time(NOON):
        services.peek("nobody")
    assert frozen_at.get() is None


def test_a_time_of_the_call_goes_before_the_frozen_one() -> None:
    with frozen_time(NOON):
        later = NOON + timedelta(hours=1)
        assert services.check("acme", at=later).decided_at == later


def test_frozen_time_refuses_a_naive_time() -> None:
    with pytest.raises(InvalidTime), frozen_time(NOON.replace(tzinfo=None)):
        pass
    with frozen_time(NOON) as clock:
        with pytest.raises(InvalidTime):
            clock.move_to(NOON.replace(tzinfo=None))
        assert clock.now == NOON


@pytest.fixture
def decision() -> Decision:
    with frozen_time(NOON):
        set_pending_documents("acme", -12)
        return services.check("acme", document="7")


def test_assert_decision_passes(decision: Decision) -> None:
    assert_decision(decision, priority=7, pending_documents=-13, document="7", decided_at=NOON)
    assert_decision(decision)


def test_assert_decision_shows_each_difference(decision: Decision) -> None:
    with pytest.raises(AssertionError) as raised:
        assert_decision(decision, customer="acme", priority=1, document="8")
    message = str(raised.value)
    assert "  priority: expected 1, got 7" in message
    assert "  document: expected '8', got '7'" in message
    assert "customer:" not in message
    assert repr(decision) in message


def test_assert_decision_knows_its_fields(decision: Decision) -> None:
    with pytest.raises(TypeError, match="A decision has no prio; it has customer, document"):
        assert_decision(decision, prio=1)


def test_assert_decision_compares_true_with_true(decision: Decision) -> None:
    assert_decision(replace(decision, pinned=True), pinned=True)
    with pytest.raises(AssertionError, match="pinned: expected False, got True"):
        assert_decision(replace(decision, pinned=True), pinned=False)


def test_assert_priority_says_why() -> None:
    set_priority("acme", 7)
    with pytest.raises(AssertionError) as raised:
        assert_priority("acme", 1)
    assert str(raised.value) == (
        "acme stands at priority 7, not 1 (pending documents -13, policy default)."
    )


def test_assert_priority_says_that_it_is_pinned() -> None:
    policy = PolicyFactory(name="gold")
    CounterFactory(customer__key="acme", customer__policy=policy, pinned=True)
    with pytest.raises(AssertionError, match=r"policy gold, pinned\)\.$"):
        assert_priority("acme", 9)


def test_assert_priority_counts_nothing() -> None:
    set_pending_documents("acme", -5)
    assert_priority("acme", 3)
    assert_priority("acme", 3)
    assert Counter.objects.get().pending_documents == -5


def test_nobody_has_no_priority() -> None:
    with pytest.raises(CustomerNotFound):
        assert_priority("nobody", 1)
