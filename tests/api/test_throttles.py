"""How often somebody may call: as often as the portal says, for each kind of call."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from rest_framework.throttling import UserRateThrottle

from doc_priority import services
from tests.api.conftest import Caller, assert_problem
from tests.databases import everything_stored

pytestmark = pytest.mark.django_db

CALLS: dict[str, tuple[str, str, dict[str, str]]] = {
    "doc_priority_check": ("POST", "customers/acme/check/", {"document": "INV-2041"}),
    "doc_priority_read": ("GET", "customers/acme/", {}),
    "doc_priority_change": ("POST", "customers/acme/reset/", {"reason": "x"}),
}


@pytest.fixture(autouse=True)
def acme() -> Iterator[None]:
    """A customer; nobody has called yet."""
    cache.clear()
    services.create_customer("acme")
    yield
    cache.clear()


def limit(settings: Any, rates: dict[str, str], throttles: str = "") -> None:
    """Let the portal say so, beside its own settings of Django REST framework."""
    changes = {"DEFAULT_THROTTLE_RATES": rates, "DEFAULT_THROTTLE_CLASSES": throttles.split()}
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, **changes}


def statuses(caller: Caller, scope: str, times: int) -> list[int]:
    return [caller.request(*CALLS[scope]).status_code for _ in range(times)]


def test_without_rates_there_is_no_limit_and_each_user_has_a_rate_of_its_own(
    root: Caller, settings: Any, caller_as: Any
) -> None:
    assert "DEFAULT_THROTTLE_RATES" not in settings.REST_FRAMEWORK
    for scope in CALLS:
        assert statuses(root, scope, 5) == [200] * 5

    limit(settings, {"user": "1/hour", "anon": "1/hour", "read": "1/hour"})
    for scope in CALLS:
        assert statuses(root, scope, 3) == [200] * 3

    limit(settings, {"doc_priority_read": "1/hour", "doc_priority_change": "1/hour"})
    viewer, support = caller_as("viewer"), caller_as("support")

    for caller in (viewer, support):
        assert statuses(caller, "doc_priority_read", 2) == [200, 429]
    assert statuses(viewer, "doc_priority_change", 3) == [403] * 3


@pytest.mark.parametrize("scope", CALLS)
def test_a_rate_limits_its_own_kind_of_call(root: Caller, settings: Any, scope: str) -> None:
    of_the_same_kind = {
        "doc_priority_check": ["POST checks/"],
        "doc_priority_read": [
            *("GET customers/", "HEAD customers/", "GET customers/acme/events/"),
            *("GET customers/acme/documents/", "GET policies/", "GET policies/gold/", "GET stats/"),
        ],
        "doc_priority_change": [
            *("POST customers/", "PATCH customers/acme/", "DELETE customers/nobody/"),
            *("PUT customers/acme/pin/", "DELETE customers/acme/pin/", "POST policies/"),
            *("PATCH policies/gold/", "DELETE policies/gold/"),
        ],
    }
    limit(settings, {scope: "3/hour"})

    assert statuses(root, scope, 5) == [200, 200, 200, 429, 429]
    for call in of_the_same_kind.pop(scope):
        assert root.request(*call.split()).status_code == 429, call
    for other, calls in of_the_same_kind.items():
        assert statuses(root, other, 5) == [200] * 5
        for call in calls:
            assert root.request(*call.split()).status_code != 429, call


def test_too_many_is_a_problem_that_says_when_to_come_back(root: Caller, settings: Any) -> None:
    """A document that was throttled then counts once."""
    limit(settings, {"doc_priority_check": "2/min"})
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        assert statuses(root, "doc_priority_check", 2) == [200, 200]
        before = everything_stored()

        clock.shift(timedelta(seconds=19.5))
        answer = root.request(*CALLS["doc_priority_check"])

        problem = assert_problem(answer, 429, "throttled", at=[])
        assert problem["title"] == "Too Many Requests"
        assert problem["detail"] == "Request was throttled. Expected available in 41 seconds."
        assert answer["Retry-After"] == "41"
        assert everything_stored() == before
        clock.shift(timedelta(seconds=int(answer["Retry-After"])))
        assert root.request(*CALLS["doc_priority_check"]).json()["repeated"]
        assert services.peek("acme").pending_documents == 0


class TwicePerUser(UserRateThrottle):
    """The portal's own limit for everything a user does."""

    rate = "2/hour"


def test_the_portals_own_throttles_apply_too_but_its_scopes_do_not_meddle(
    root: Caller, settings: Any
) -> None:
    rates = {"doc_priority_read": "2/hour", "uploads": "1/hour"}
    limit(settings, rates, "rest_framework.throttling.ScopedRateThrottle")
    assert statuses(root, "doc_priority_read", 3) == [200, 200, 429]
    assert statuses(root, "doc_priority_check", 3) == [200] * 3

    cache.clear()
    limit(settings, {"doc_priority_read": "1/hour"}, f"{__name__}.TwicePerUser")
    assert statuses(root, "doc_priority_read", 2) == [200, 429]
    assert statuses(root, "doc_priority_check", 1) == [429]
