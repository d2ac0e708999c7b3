"""Where the rule turns, it turns to the microsecond, by every way to check."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from doc_priority import services
from doc_priority.exceptions import InvalidPin
from doc_priority.models import Counter, Customer
from doc_priority.testing import frozen_time
from doc_priority.types import Decision, Recovery

pytestmark = pytest.mark.django_db

BEGIN = datetime(2030, 5, 1, 9, tzinfo=UTC)
INTERVAL = timedelta(seconds=1500)
MICROSECOND = timedelta(microseconds=1)

Way = Callable[[datetime], Decision]

WAYS: dict[str, Way] = {
    "check": lambda moment: services.check("acme", at=moment),
    "check with a document": lambda moment: services.check("acme", document="D", at=moment),
    "check_many": lambda moment: services.check_many(["acme"], at=moment)[0],
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@pytest.mark.parametrize(
    ("recovery", "passed", "pending"),
    [
        ("idle", INTERVAL, -9),
        ("idle", INTERVAL + MICROSECOND, 0),
        ("window", INTERVAL, -9),
        ("window", INTERVAL + MICROSECOND, 0),
        ("halving", INTERVAL / 10 - MICROSECOND, -9),
        ("halving", INTERVAL / 10, -5),
        ("halving", INTERVAL / 5 - MICROSECOND, -5),
        ("halving", INTERVAL / 5, -3),
        ("halving", INTERVAL, -1),
        ("halving", INTERVAL + MICROSECOND, 0),
    ],
)
@every_way
def test_a_pause(way: Way, recovery: Recovery, passed: timedelta, pending: int, settings) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": recovery}
    services.check_many(["acme"] * 9, at=BEGIN)
    assert services.peek("acme", at=BEGIN).pending_documents == -8
    assert way(BEGIN + passed).pending_documents == pending


@pytest.mark.parametrize(("passed", "pending"), [(INTERVAL, -3), (INTERVAL + MICROSECOND, 0)])
@every_way
def test_a_window_is_counted_from_its_first_document(
    way: Way, passed: timedelta, pending: int, settings
) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "window"}
    for seconds in (0, 600, 1200):
        services.check("acme", at=BEGIN + timedelta(seconds=seconds))
    assert way(BEGIN + passed).pending_documents == pending


@every_way
def test_what_is_left_of_a_step_counts_for_the_next_halving(way: Way, settings) -> None:
    settings.DOC_PRIORITY = {"RECOVERY": "halving"}
    services.check_many(["acme"] * 9, at=BEGIN)
    services.check("acme", at=BEGIN + INTERVAL / 10 + timedelta(seconds=100))
    assert way(BEGIN + INTERVAL / 5 - MICROSECOND).pending_documents == -6
    assert Counter.objects.get().recovered_at == BEGIN + INTERVAL / 10
    assert services.check("acme", at=BEGIN + INTERVAL / 5).pending_documents == -4
    assert Counter.objects.get().recovered_at == BEGIN + INTERVAL / 5


@every_way
def test_a_named_policy_s_own_interval(way: Way) -> None:
    services.create_policy(
        "brief", reset_interval=60, recovery="idle", thresholds=range(-1, -9, -1)
    )
    services.create_customer("acme", policy="brief")
    services.check_many(["acme"] * 9, at=BEGIN)
    minute = timedelta(seconds=60)
    assert way(BEGIN + minute).pending_documents == -9
    Customer.objects.filter(key="acme").delete()
    services.create_customer("acme", policy="brief")
    services.check_many(["acme"] * 9, at=BEGIN)
    assert way(BEGIN + minute + MICROSECOND).pending_documents == 0


@pytest.mark.parametrize(
    ("moment", "priority", "pinned"), [(BEGIN - MICROSECOND, 2, True), (BEGIN, 4, False)]
)
@every_way
def test_a_pin(way: Way, moment: datetime, priority: int, pinned: bool) -> None:
    services.create_customer("acme")
    services.pin("acme", priority=2, until=BEGIN)
    services.check_many(["acme"] * 8, at=BEGIN - INTERVAL / 2)
    decision = way(moment)
    assert (decision.priority, decision.pinned) == (priority, pinned)


def test_a_pin_ends_later_than_it_begins() -> None:
    services.create_customer("acme")
    with frozen_time(BEGIN):
        with pytest.raises(InvalidPin, match="has passed"):
            services.pin("acme", priority=2, until=BEGIN)
        assert services.pin("acme", priority=2, until=BEGIN + MICROSECOND).pinned


@pytest.mark.parametrize(("passed", "reset"), [(INTERVAL, False), (INTERVAL + MICROSECOND, True)])
@every_way
def test_who_starts_again_is_told_so(way: Way, passed: timedelta, reset: bool) -> None:
    assert not services.check("acme", at=BEGIN).reset
    assert way(BEGIN + passed).reset is reset


@every_way
def test_who_is_new_starts_and_not_again(way: Way) -> None:
    decision = way(BEGIN)
    assert (decision.pending_documents, decision.reset) == (0, False)
