"""The soak is mixed alike at all times: else fast and slow minutes would differ by chance."""

import pytest

from tests.proof.soak.day import MAKERS, Day
from tests.proof.soak.people import Customers
from tests.proof.soak.requests import Request

HUNDRED = sum(MAKERS.values())
CHECKS_OF_ONE = MAKERS[Day.check] + MAKERS[Day.check_document] + MAKERS[Day.repeat_document]


@pytest.fixture
def day() -> Day:
    return Day(Customers(keys=("a", "b"), corrected=(1,)), "today")


def checks_of_one(requests: list[Request]) -> int:
    return sum(request.address.endswith("/check/") for request in requests)


def test_each_hundred_has_as_many_of_a_kind_as_it_should(day: Day) -> None:
    for _ in range(3):
        assert checks_of_one([day.draw() for _ in range(HUNDRED)]) == CHECKS_OF_ONE


def test_each_kind_is_spread_evenly(day: Day) -> None:
    requests = [day.draw() for _ in range(5 * HUNDRED)]
    some = 20
    expected = some * CHECKS_OF_ONE / HUNDRED
    for first in range(0, len(requests), some):
        assert abs(checks_of_one(requests[first : first + some]) - expected) <= 3
