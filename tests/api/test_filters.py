"""The live list narrowed down by what holds now."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from doc_priority import services
from doc_priority.models import Customer
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import Caller
from tests.api.many_customers import add_customers, everybody, keys
from tests.api.paging import Row, pages
from tests.vectors import START

pytestmark = pytest.mark.django_db

CUSTOMERS = 150


@pytest.fixture
def clock() -> Iterator[FrozenTime]:
    with frozen_time(START) as frozen:
        yield frozen


Keep = Callable[[Row], bool]
FILTERS: list[tuple[dict[str, object], Keep]] = [
    *(({"priority": n}, lambda row, n=n: row["priority"] == n) for n in range(1, 10)),
    *(({"priority_min": n}, lambda row, n=n: row["priority"] >= n) for n in range(1, 10)),
    ({"state": "pinned"}, lambda row: row["pinned"]),
    (
        {"state": "counting"},
        lambda row: not row["pinned"] and row["resets_at"] is not None,
    ),
    ({"state": "idle"}, lambda row: not row["pinned"] and row["resets_at"] is None),
    ({"policy": "gold"}, lambda row: row["policy"] == "gold"),
    ({"search": "k00"}, lambda row: row["customer"].lower().startswith("k00")),
    ({"search": "K01"}, lambda row: row["customer"].lower().startswith("k01")),
    ({"search": "C2"}, lambda row: row["name"] == "c2"),
    (
        {"search": "k", "policy": "slow", "state": "counting", "priority_min": 2},
        lambda row: (
            row["policy"] == "slow"
            and not row["pinned"]
            and row["resets_at"] is not None
            and row["priority"] >= 2
        ),
    ),
]


@pytest.mark.parametrize("seconds", [0, 160])
def test_filters_look_at_what_holds_now(root: Caller, clock: FrozenTime, seconds: int) -> None:
    add_customers(CUSTOMERS)
    clock.tick(seconds)
    rows = everybody(root, ordering="-updated_at")
    for query, keep in FILTERS:
        expected = [row for row in rows if keep(row)]
        assert everybody(root, ordering="-updated_at", **query) == expected, query
        assert len(expected) < CUSTOMERS or query == {"priority_min": 1}
        assert expected, query


@pytest.mark.parametrize("query", [{"policy": "GOLD"}, {"policy": "gold "}, {"search": "%"}])
def test_filters_take_the_text_as_it_stands(root: Caller, query: dict[str, str]) -> None:
    add_customers(20)
    assert everybody(root, **query) == []


@pytest.mark.parametrize("search", ["%", "_", "\\", "ß&x", "Ł+1 ", "'", "x=y"])
def test_a_search_finds_any_text(root: Caller, search: str) -> None:
    services.create_customer("acme", name=f"a{search}b")
    services.create_customer("other", name="aXXb")
    assert keys(everybody(root, search=search)) == ["acme"]


def test_search_filters_and_order_are_kept_from_page_to_page(
    root: Caller, clock: FrozenTime
) -> None:
    Customer.objects.bulk_create(
        Customer(key=f"c{n:02}", name=f"Łódź & Söhne {n}") for n in range(9)
    )
    services.pin("c08", priority=1, until=clock.now + timedelta(hours=1))
    query = {
        "search": "Łódź & s",
        "state": "idle",
        "priority": "1",
        "priority_min": "1",
        "ordering": "-name",
        "limit": "3",
    }
    listed = list(pages(root, f"customers/?{urlencode(query)}"))
    assert [keys(page["results"]) for page in listed] == [
        ["c07", "c06", "c05"],
        ["c04", "c03", "c02"],
        ["c01", "c00"],
    ]
    for page in listed:
        for link in filter(None, (page["next"], page["previous"])):
            kept = {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}
            assert kept.pop("cursor")
            assert kept == query
