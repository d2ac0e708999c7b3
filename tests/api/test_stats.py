"""How many customers stand where, over REST."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.models import Customer
from doc_priority.testing import FrozenTime, frozen_time, set_priority
from tests.api.conftest import Api, Caller, UserOf
from tests.vectors import START

pytestmark = pytest.mark.django_db

NOBODY: dict[str, int] = {str(priority): 0 for priority in range(1, 10)}


@pytest.fixture
def clock() -> Iterator[FrozenTime]:
    with frozen_time(START) as frozen:
        yield frozen


def stats(caller: Caller) -> dict[str, Any]:
    answer = caller.get("stats/")
    assert answer.status_code == 200, answer.content
    shown: dict[str, Any] = answer.json()
    return shown


def test_without_customers_all_is_zero(root: Caller) -> None:
    assert stats(root) == {
        "customers": 0,
        "priorities": NOBODY,
        "counting": 0,
        "at_7_to_9": 0,
        "pinned": 0,
    }


@pytest.fixture
def eleven(clock: FrozenTime) -> None:
    """One at each priority, one that never sent anything, one pinned to 9 for ten minutes."""
    for priority in range(1, 10):
        set_priority(f"at-{priority}", priority)
    services.create_customer("never")
    services.check("pinned")
    services.pin("pinned", priority=9, until=START + timedelta(minutes=10))


@pytest.mark.usefixtures("eleven")
def test_every_customer_is_counted_where_it_stands(root: Caller) -> None:
    assert stats(root) == {
        "customers": 11,
        "priorities": dict.fromkeys(NOBODY, 1) | {"1": 2, "9": 2},
        "counting": 9,
        "at_7_to_9": 4,
        "pinned": 1,
    }


@pytest.mark.usefixtures("eleven")
def test_time_changes_them(root: Caller, clock: FrozenTime) -> None:
    clock.tick(601)
    assert (stats(root)["pinned"], stats(root)["counting"]) == (0, 10)
    clock.tick(1000)
    assert stats(root) == {
        "customers": 11,
        "priorities": NOBODY | {"1": 11},
        "counting": 0,
        "at_7_to_9": 0,
        "pinned": 0,
    }


@pytest.mark.usefixtures("eleven")
def test_they_agree_with_the_live_list(root: Caller) -> None:
    def listed(query: str) -> int:
        return len(root.get(f"customers/?{query}").json()["results"])

    shown = stats(root)
    for priority, count in shown["priorities"].items():
        assert listed(f"priority={priority}") == count
    assert listed("priority_min=7") == shown["at_7_to_9"]
    assert listed("state=counting") == shown["counting"]
    assert listed("state=pinned") == shown["pinned"]
    assert listed("limit=100") == shown["customers"]


def at_seven_and_more(user: User) -> "QuerySet[Customer]":
    return Customer.objects.filter(key__in=["at-7", "at-8", "at-9"])


@pytest.mark.usefixtures("eleven")
def test_only_customers_within_reach_are_counted(api: Api, user_of: UserOf, settings: Any) -> None:
    settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.at_seven_and_more"}
    shown = stats(api(user_of("viewer")))
    assert (shown["customers"], shown["at_7_to_9"], shown["counting"]) == (3, 3, 3)


def test_the_number_of_queries_is_the_same(root: Caller) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            stats(root)
        return len(asked)

    few = queries()
    Customer.objects.bulk_create(Customer(key=f"c{number}") for number in range(500))
    assert queries() == few
