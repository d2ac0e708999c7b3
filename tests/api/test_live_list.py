"""The live list: everybody once in every order, also while priorities move."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.models import Customer, Policy
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import Caller
from tests.api.many_customers import add_customers, everybody, keys
from tests.api.paging import Row, page_at, pages
from tests.vectors import START

pytestmark = pytest.mark.django_db

CUSTOMERS = 120
LIMIT = 7
COLUMNS = ["customer", "name", "priority", "pending_documents", "updated_at", "resets_at"]
ORDERINGS = [f"{sign}{column}" for column in COLUMNS for sign in ("", "-")]


@pytest.fixture
def clock() -> Iterator[FrozenTime]:
    with frozen_time(START) as frozen:
        yield frozen


def ordered(rows: list[Row], ordering: str) -> list[Row]:
    """By this value, then by key; those without the value come last, either way."""
    column, descending = ordering.removeprefix("-"), ordering.startswith("-")
    by_key = sorted(rows, key=lambda row: row["customer"])
    with_value = [row for row in by_key if row[column] is not None]
    with_value.sort(key=lambda row: row[column], reverse=descending)
    return with_value + [row for row in by_key if row[column] is None]


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_everybody_comes_once_there_and_back_while_time_passes(
    root: Caller, clock: FrozenTime, ordering: str
) -> None:
    """Counters recover from page to page, and nobody moves: a listing shows one moment."""
    add_customers(CUSTOMERS)
    expected = ordered(everybody(root), ordering)
    assert len({row[ordering.removeprefix("-")] for row in expected}) > 5
    start = f"customers/?limit={LIMIT}&ordering={ordering}"

    there = list(pages(root, start, between=lambda: clock.tick(37)))
    assert [row for page in there for row in page["results"]] == expected
    assert {len(page["results"]) for page in there[:-1]} == {LIMIT}
    assert there[0]["previous"] is None

    back = list(pages(root, there[-1]["previous"], way="previous", between=lambda: clock.tick(37)))
    shown = [row for page in reversed(back) for row in page["results"]]
    assert shown == expected[: LIMIT * (len(there) - 1)]
    assert page_at(root, back[-1]["next"])["results"] == expected[LIMIT : 2 * LIMIT]


def test_a_new_listing_shows_what_time_has_changed(root: Caller, clock: FrozenTime) -> None:
    add_customers(CUSTOMERS)
    before = everybody(root, ordering="-priority")
    clock.tick(1400)
    after = everybody(root, ordering="-priority")
    assert sorted(keys(before)) == sorted(keys(after))
    assert keys(before) != keys(after)
    assert after == ordered(after, "-priority")


class Traffic:
    """What happens from page to page: checks, resets, customers that come and go."""

    def __init__(self) -> None:
        self.stayed = set(Customer.objects.values_list("key", flat=True))
        self.turn = 0

    def __call__(self) -> None:
        self.turn += 1
        there = sorted(self.stayed)
        services.check_many([there[self.turn * 31 % len(there)]] * 9)
        services.reset(there[self.turn * 17 % len(there)])
        services.create_customer(f"{'0z'[self.turn % 2]}-new-{self.turn}")
        gone = there[self.turn * 53 % len(there)]
        services.forget(gone)
        self.stayed.remove(gone)


@pytest.mark.parametrize("ordering", ["customer", "-name"])
def test_everybody_comes_once_while_customers_come_and_go(root: Caller, ordering: str) -> None:
    add_customers(150)
    traffic = Traffic()
    start = f"customers/?limit={LIMIT}&ordering={ordering}"
    there = list(pages(root, start, between=traffic))
    listed = keys([row for page in there for row in page["results"]])
    assert len(listed) == len(set(listed))
    assert traffic.stayed <= set(listed)

    remaining = set(traffic.stayed)
    back = pages(root, there[-1]["previous"], way="previous", between=traffic)
    seen = keys([row for page in back for row in page["results"]])
    assert len(seen) == len(set(seen))
    last_page = set(keys(there[-1]["results"]))
    assert traffic.stayed & remaining <= set(seen) | last_page


@pytest.mark.parametrize("ordering", ["priority", "-pending_documents", "updated_at"])
def test_traffic_breaks_no_page_of_a_live_order(root: Caller, ordering: str) -> None:
    """Who is checked meanwhile may come twice or not at all; whoever nothing happened to comes."""
    add_customers(100)
    touched: set[str] = set()
    untouched = set(Customer.objects.values_list("key", flat=True))

    def between() -> None:
        key = sorted(untouched)[len(touched) * 7 % len(untouched)]
        services.check_many([key] * 12)
        touched.add(key)
        untouched.discard(key)

    start = f"customers/?limit={LIMIT}&ordering={ordering}"
    listed = [row for page in pages(root, start, between=between) for row in page["results"]]
    calm = [key for key in keys(listed) if key in untouched]
    assert len(calm) == len(set(calm)) == len(untouched)


def test_names_that_differ_in_case_alone_all_come(root: Caller) -> None:
    for number, name in enumerate(["acme", "Acme", "ACME", "äcme", "acmé", "acme ", ""]):
        services.create_customer(f"c{number}", name=name)
    for ordering in ("name", "-name"):
        assert sorted(keys(everybody(root, ordering=ordering, limit=1))) == [
            f"c{number}" for number in range(7)
        ]


def test_a_page_is_as_long_as_asked_and_allowed(root: Caller, settings: Any) -> None:
    add_customers(130)
    assert len(page_at(root, "customers/")["results"]) == 50
    assert len(page_at(root, "customers/?limit=100")["results"]) == 100
    assert root.get("customers/?limit=101").status_code == 400
    settings.DOC_PRIORITY = {"API_MAX_PAGE_SIZE": 20}
    assert len(page_at(root, "customers/")["results"]) == 20
    assert root.get("customers/?limit=21").json()["errors"][0]["pointer"] == "?limit"


def test_nobody_is_a_page_too(root: Caller) -> None:
    assert page_at(root, "customers/") == {"next": None, "previous": None, "results": []}


def test_a_row_is_what_a_look_at_the_customer_shows(root: Caller, clock: FrozenTime) -> None:
    add_customers(30)
    for row in everybody(root):
        assert page_of_one(root, row["customer"]) == row


def page_of_one(root: Caller, key: str) -> Row:
    shown: Row = root.get(f"customers/{key}/").json()
    return shown


def test_the_list_costs_the_same_for_ten_and_for_a_thousand(root: Caller) -> None:
    def queries(ordering: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            page_at(root, f"customers/?limit=100&search=k&policy=gold&ordering={ordering}")
        return len(asked)

    add_customers(10)
    few = [queries(ordering) for ordering in ORDERINGS]
    Customer.objects.all().delete()
    Policy.objects.all().delete()
    add_customers(1000)
    assert [queries(ordering) for ordering in ORDERINGS] == few
    assert set(few) == {4, 6}


def test_without_a_frozen_clock_it_is_now(root: Caller) -> None:
    services.check("acme")
    (row,) = everybody(root)
    assert row["resets_at"] == row_time(row["updated_at"], seconds=1500)


def row_time(text: str, *, seconds: int) -> str:
    moved = datetime.fromisoformat(text) + timedelta(seconds=seconds)
    return moved.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.mark.parametrize("query", ["ordering=-priority", "priority_min=7", "state=idle"])
def test_the_rule_is_worked_out_for_those_alone_who_may_move(root: Caller, query: str) -> None:
    """However many others there are, they are asked for by the index on the last update."""
    add_customers(30)
    with CaptureQueriesContext(connection) as asked:
        page_at(root, f"customers/?{query}")
    lists = [one["sql"] for one in asked if "pinned_priority" in one["sql"]]
    assert len(lists) == (1 if query == "priority_min=7" else 2)
    assert all(re.search(r"updated_at\W+(>=|<) \d{16}", sql) for sql in lists)
