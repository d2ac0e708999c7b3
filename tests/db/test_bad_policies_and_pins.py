"""Policies and pins that are not accepted: the message says why, and nothing is written."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.exceptions import (
    InvalidPin,
    InvalidPolicy,
    InvalidText,
    InvalidTime,
    PolicyNotFound,
)
from tests.refusals import refuse

pytestmark = pytest.mark.django_db

LATER = datetime.now(UTC) + timedelta(days=1)
NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001
EIGHT = [-1, -2, -3, -4, -5, -6, -7, -8]
BAD_THRESHOLDS = [
    EIGHT[:7],
    [*EIGHT, -9],
    [],
    sorted(EIGHT),
    [-1, -1, -3, -4, -5, -6, -7, -8],
    [1, *EIGHT[1:]],
    [-1.0, *EIGHT[1:]],
    [-1.5, *EIGHT[1:]],
    ["-1", *EIGHT[1:]],
    [None, *EIGHT[1:]],
    [False, *EIGHT[1:]],
    [*EIGHT[:7], -1_000_000_001],
]
BAD_INTERVALS = [0, 9, -1500, 31_536_001, 1500.0, "1500", True, 10**30]
BAD_PRIORITIES = [0, 10, -1, True, 1.0, "1", None]
BAD_TIMES = [
    *[NAIVE, False, "2026-01-01T00:00:00Z", 1_800_000_000, datetime(1969, 12, 31, tzinfo=UTC)],
    datetime(9999, 12, 31, tzinfo=UTC),
]

BAD_NAMES = [5, "n" * 65, "a\x00b", "a\nb", "\u202egold", "\ud800"]

USING_A_POLICY: dict[str, Callable[[Any], object]] = {
    "create_policy": lambda name: services.create_policy(
        name, reset_interval=1500, recovery="idle", thresholds=EIGHT
    ),
    "change_policy": lambda name: services.change_policy(name, reset_interval=1500),
    "delete_policy": services.delete_policy,
    "set_policy": lambda name: services.set_policy("acme", policy=name),
    "create_customer": lambda name: services.create_customer("new", policy=name),
    "change_customer": lambda name: services.change_customer("acme", policy=name),
}


@pytest.fixture(autouse=True)
def something_stored() -> None:
    services.create_policy("named", reset_interval=10, recovery="idle", thresholds=EIGHT)
    services.check("acme", document="D")


@pytest.mark.parametrize("thresholds", BAD_THRESHOLDS, ids=str)
def test_thresholds(thresholds: Any) -> None:
    terms = {"reset_interval": 1500, "recovery": "idle", "thresholds": thresholds}
    message = refuse(InvalidPolicy, lambda: services.create_policy("new", **terms))
    assert "threshold" in message
    refuse(InvalidPolicy, lambda: services.change_policy("named", thresholds=thresholds))


@pytest.mark.parametrize("interval", BAD_INTERVALS, ids=str)
def test_reset_intervals(interval: Any) -> None:
    terms = {"reset_interval": interval, "recovery": "idle", "thresholds": EIGHT}
    message = refuse(InvalidPolicy, lambda: services.create_policy("new", **terms))
    assert repr(interval) in message
    assert "from 10 to 31536000" in message
    refuse(InvalidPolicy, lambda: services.change_policy("named", reset_interval=interval))


@pytest.mark.parametrize("recovery", ["", "IDLE", "never", 5])
def test_recoveries(recovery: Any) -> None:
    message = refuse(InvalidPolicy, lambda: services.change_policy("named", recovery=recovery))
    assert repr(recovery) in message
    assert "idle, window, halving" in message


@pytest.mark.parametrize("name", ["", "nothing", "Named", "named "])
def test_policies_that_do_not_exist(name: str) -> None:
    for way, call in USING_A_POLICY.items():
        if way == "create_policy" or (way == "change_customer" and not name):
            continue
        assert repr(name) in refuse(PolicyNotFound, lambda call=call: call(name))


@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_names_no_policy_can_have(name: Any) -> None:
    for way, call in USING_A_POLICY.items():
        message = refuse(InvalidText, lambda call=call: call(name))
        assert message.startswith("name " if way == "create_policy" else "policy ")
        assert repr(name) in message


@pytest.mark.parametrize("name", [".", ".."])
def test_names_that_no_address_can_hold(name: str) -> None:
    message = refuse(InvalidPolicy, lambda: USING_A_POLICY["create_policy"](name))
    assert f"name {name!r}" in message
    assert "use another name" in message


@pytest.mark.parametrize("priority", BAD_PRIORITIES, ids=repr)
def test_priorities_of_a_pin(priority: Any) -> None:
    message = refuse(InvalidPin, lambda: services.pin("acme", priority=priority, until=LATER))
    assert repr(priority) in message
    assert "from 1 to 9" in message


@pytest.mark.parametrize("until", BAD_TIMES, ids=str)
def test_times_of_a_pin(until: Any) -> None:
    assert repr(until) in refuse(InvalidTime, lambda: services.pin("acme", priority=2, until=until))


@pytest.mark.parametrize("ago", [timedelta(seconds=1), timedelta(days=365)], ids=str)
def test_a_pin_that_has_ended(ago: timedelta) -> None:
    until = datetime.now(UTC) - ago
    message = refuse(InvalidPin, lambda: services.pin("acme", priority=2, until=until))
    assert str(until) in message
    assert "later" in message
