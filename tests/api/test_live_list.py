"""The live list and the stats: everybody once in every order, also while priorities move.

Live values that did not change are not sent again, and any change is seen.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.testing import FrozenTime, set_priority
from tests.api.conftest import MORNING, ORDERINGS, Caller, pages, rows_of
from tests.databases import everything_stored

pytestmark = pytest.mark.django_db

LIMIT = 9
Row = dict[str, Any]


def add_customers(count: int) -> None:
    """Every fifth never sent anything; the others stand anywhere, some pinned, some equal."""
    gold = Policy.objects.create(name="gold", reset_interval=600, recovery="window")
    slow = Policy.objects.create(name="slow", recovery="halving")
    customers = [
        Customer(
            key=f"{'Kk'[number % 2]}{number * 7 % count:04}",
            name="" if number % 10 == 3 else f"{'abcdefgh'[number % 8]}{number % 3}",
            policy=(None, gold, slow)[number % 3],
        )
        for number in range(count)
    ]
    Customer.objects.bulk_create(customers)
    Counter.objects.bulk_create(
        Counter(
            customer_id=customer.key,
            pending_documents=-(number % 31),
            updated_at=MORNING - timedelta(seconds=number * 13 % 2000),
            recovered_at=MORNING - timedelta(seconds=number * 13 % 2000),
            pinned_priority=number % 9 + 1 if number % 11 == 0 else None,
            pinned_until=MORNING + timedelta(seconds=5 * number) if number % 11 == 0 else None,
        )
        for number, customer in enumerate(customers)
        if number % 5
    )


def everybody(root: Caller, **query: object) -> list[Row]:
    return rows_of(root, f"customers/?{urlencode({'limit': 100, **query})}")


def keys(rows: list[Row]) -> list[str]:
    return [row["customer"] for row in rows]


def test_everybody_comes_once_there_and_back_while_time_passes(
    root: Caller, clock: FrozenTime
) -> None:
    """Counters recover from page to page, and nobody moves: a listing shows one moment."""

    def ordered(rows: list[Row], ordering: str) -> list[Row]:
        """By this value, then by key; those without the value come last, either way."""
        column, descending = ordering.removeprefix("-"), ordering.startswith("-")
        by_key = sorted(rows, key=lambda row: row["customer"])
        with_value = [row for row in by_key if row[column] is not None]
        with_value.sort(key=lambda row: row[column], reverse=descending)
        return with_value + [row for row in by_key if row[column] is None]

    add_customers(25)
    now = everybody(root)
    for row in now:
        assert root.get(f"customers/{row['customer']}/").json() == row
    for ordering in ORDERINGS:
        clock.move_to(MORNING)
        expected = ordered(now, ordering)
        assert len({row[ordering.removeprefix("-")] for row in expected}) > 5
        start = f"customers/?limit={LIMIT}&ordering={ordering}"

        there = list(pages(root, start, between=lambda: clock.tick(137)))
        assert [row for page in there for row in page["results"]] == expected, ordering
        assert {len(page["results"]) for page in there[:-1]} == {LIMIT}
        assert there[0]["previous"] is None

        # A new listing shows what time has changed.
        fresh = everybody(root, ordering=ordering)
        assert fresh == ordered(fresh, ordering)
        assert sorted(keys(fresh)) == sorted(keys(expected))
        assert fresh != expected

        last = there[-1]["previous"]
        back = list(pages(root, last, way="previous", between=lambda: clock.tick(137)))
        shown = [row for page in reversed(back) for row in page["results"]]
        assert shown == expected[: LIMIT * (len(there) - 1)], ordering
        assert root.get(back[-1]["next"]).json()["results"] == expected[LIMIT : 2 * LIMIT]


@pytest.mark.parametrize("ordering", ["customer", "-name"])
def test_everybody_comes_once_while_customers_come_and_go(root: Caller, ordering: str) -> None:
    add_customers(80)
    stayed = set(Customer.objects.values_list("key", flat=True))
    turn = 0

    def traffic() -> None:
        nonlocal turn
        turn += 1
        there = sorted(stayed)
        services.check_many([there[turn * 31 % len(there)]] * 9)
        services.reset(there[turn * 17 % len(there)])
        services.create_customer(f"{'0z'[turn % 2]}-new-{turn}")
        gone = there[turn * 53 % len(there)]
        services.forget(gone)
        stayed.remove(gone)

    start = f"customers/?limit={LIMIT}&ordering={ordering}"
    there = list(pages(root, start, between=traffic))
    listed = keys([row for page in there for row in page["results"]])
    assert len(listed) == len(set(listed))
    assert stayed <= set(listed)

    back = pages(root, there[-1]["previous"], way="previous", between=traffic)
    seen = keys([row for page in back for row in page["results"]])
    assert len(seen) == len(set(seen))
    assert stayed <= set(seen) | set(keys(there[-1]["results"]))


@pytest.mark.parametrize("ordering", ["priority", "-pending_documents", "updated_at"])
def test_traffic_breaks_no_page_of_a_live_order(root: Caller, ordering: str) -> None:
    """Who is checked meanwhile may come twice or not at all; whoever nothing happened to comes."""
    add_customers(60)
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


def test_pages_are_as_long_as_asked_and_cost_the_same_for_ten_and_for_a_thousand(
    root: Caller, settings: Any
) -> None:
    def queries(address: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert root.get(address).status_code == 200
        return len(asked)

    query = "limit=100&search=k&policy=gold"
    addresses = [f"customers/?{query}&ordering={ordering}" for ordering in ORDERINGS]
    assert root.get("customers/").json() == {"next": None, "previous": None, "results": []}
    add_customers(10)
    few = [queries(address) for address in (*addresses, "stats/")]
    # The rule is worked out for those alone who may move: the index on the last update finds them.
    for query in ("ordering=-priority", "priority_min=7", "state=idle"):
        with CaptureQueriesContext(connection) as asked:
            root.get(f"customers/?{query}")
        lists = [one["sql"] for one in asked if "pinned_priority" in one["sql"]]
        assert len(lists) == (1 if query == "priority_min=7" else 2)
        assert all(re.search(r"updated_at\W+(>=|<) \d{16}", sql) for sql in lists)

    Customer.objects.all().delete()
    Policy.objects.all().delete()
    add_customers(1000)

    assert [queries(address) for address in (*addresses, "stats/")] == few
    assert set(few[:-1]) == {4, 6}

    def size(query: str) -> int:
        return len(root.get(f"customers/{query}").json()["results"])

    assert (size(""), size("?limit=100")) == (50, 100)
    assert root.get("customers/?limit=101").status_code == 400
    settings.DOC_PRIORITY = {"API_MAX_PAGE_SIZE": 20}
    assert size("") == 20
    assert root.get("customers/?limit=21").json()["errors"][0]["pointer"] == "?limit"


@pytest.mark.parametrize("seconds", [0, 160])
def test_filters_look_at_what_holds_now(root: Caller, clock: FrozenTime, seconds: int) -> None:
    def counting(row: Row) -> bool:
        return not row["pinned"] and row["resets_at"] is not None

    filters: list[tuple[dict[str, object], Callable[[Row], bool]]] = [
        *(({"priority": n}, lambda row, n=n: row["priority"] == n) for n in range(1, 10)),
        *(({"priority_min": n}, lambda row, n=n: row["priority"] >= n) for n in range(1, 10)),
        ({"state": "pinned"}, lambda row: row["pinned"]),
        ({"state": "counting"}, counting),
        ({"state": "idle"}, lambda row: not row["pinned"] and row["resets_at"] is None),
        ({"policy": "gold"}, lambda row: row["policy"] == "gold"),
        ({"search": "k00"}, lambda row: row["customer"].lower().startswith("k00")),
        ({"search": "K01"}, lambda row: row["customer"].lower().startswith("k01")),
        ({"search": "C2"}, lambda row: row["name"] == "c2"),
        (
            {"search": "k", "policy": "slow", "state": "counting", "priority_min": 2},
            lambda row: row["policy"] == "slow" and counting(row) and row["priority"] >= 2,
        ),
    ]
    add_customers(120)
    clock.tick(seconds)
    rows = everybody(root, ordering="-updated_at")

    for query, keep in filters:
        expected = [row for row in rows if keep(row)]
        assert everybody(root, ordering="-updated_at", **query) == expected, query
        assert len(expected) < len(rows) or query == {"priority_min": 1}
        assert expected, query


def test_names_and_searches_are_taken_as_they_stand_and_kept_from_page_to_page(
    root: Caller, clock: FrozenTime
) -> None:
    for number, name in enumerate(["acme", "Acme", "ACME", "äcme", "acmé", "acme ", ""]):
        services.create_customer(f"c{number}", name=name)
    for ordering in ("name", "-name"):
        listed = keys(everybody(root, ordering=ordering, limit=1))
        assert sorted(listed) == [f"c{number}" for number in range(7)]

    Policy.objects.create(name="gold")
    services.create_customer("other", name="aXXb", policy="gold")
    for query in ({"policy": "GOLD"}, {"policy": "gold "}, {"search": "%"}):
        assert everybody(root, **query) == []

    services.create_customer("acme")
    for search in ("%", "_", "\\", "ß&x", "Ł+1 ", "'", "x=y"):
        services.rename_customer("acme", name=f"a{search}b")
        assert keys(everybody(root, search=search)) == ["acme"], search

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


def test_stats(root: Caller, clock: FrozenTime) -> None:
    """One at each priority, one that never sent anything, one pinned to 9 for ten minutes."""
    nobody = {str(priority): 0 for priority in range(1, 10)}
    empty = {"customers": 0, "priorities": nobody, "counting": 0, "at_7_to_9": 0, "pinned": 0}
    assert root.get("stats/").json() == empty
    for priority in range(1, 10):
        set_priority(f"at-{priority}", priority)
    services.create_customer("never")
    services.check("pinned")
    services.pin("pinned", priority=9, until=MORNING + timedelta(minutes=10))

    stats = root.get("stats/").json()

    assert stats == {
        "customers": 11,
        "priorities": dict.fromkeys(nobody, 1) | {"1": 2, "9": 2},
        "counting": 9,
        "at_7_to_9": 4,
        "pinned": 1,
    }
    for priority, count in stats["priorities"].items():
        assert len(everybody(root, priority=priority)) == count
    assert len(everybody(root, priority_min=7)) == stats["at_7_to_9"]
    assert len(everybody(root, state="counting")) == stats["counting"]
    assert len(everybody(root, state="pinned")) == stats["pinned"]

    clock.tick(601)
    stats = root.get("stats/").json()
    assert (stats["pinned"], stats["counting"]) == (0, 10)
    clock.tick(1000)
    assert root.get("stats/").json() == empty | {"customers": 11, "priorities": nobody | {"1": 11}}


CUSTOMER, LIST, STATS = "customers/acme/", "customers/", "stats/"
ADDRESSES = [CUSTOMER, LIST, STATS]


@pytest.fixture
def acme(clock: FrozenTime) -> None:
    """A customer at 7."""
    services.create_customer("acme", name="Acme")
    services.check_many(["acme"] * 14)


def etag_of(root: Caller, address: str, **headers: str) -> str:
    answer = root.get(address, headers=headers)
    assert answer.status_code == 200, answer.content
    return str(answer["ETag"])


def status_with(root: Caller, address: str, if_none_match: str) -> int:
    return int(root.get(address, headers={"If-None-Match": if_none_match}).status_code)


@pytest.mark.usefixtures("acme")
def test_the_same_has_the_same_etag_and_is_not_sent_again(root: Caller, clock: FrozenTime) -> None:
    services.create_customer("other")
    for address in (*ADDRESSES, "customers/?limit=1"):
        first = root.get(address)
        assert first["Cache-Control"] == "private, no-cache"
        varies = {name.strip() for name in first["Vary"].split(",")}
        assert {"Accept-Language", "Authorization", "Cookie"} <= varies

        clock.tick(1)
        again = root.get(address, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        for header in ("ETag", "Cache-Control", "Vary"):
            assert again[header] == first[header]
        assert "Content-Type" not in again

        whole, head = root.get(address), root.request("HEAD", address)
        assert (head.status_code, head.content) == (200, b"")
        for header in ("ETag", "Content-Type", "Cache-Control", "Content-Length"):
            assert head[header] == whole[header]
        head = root.request("HEAD", address, headers={"If-None-Match": whole["ETag"]})
        assert (head.status_code, head.content) == (304, b"")

    etag = etag_of(root, CUSTOMER)

    for named in (etag, f'"old", {etag}', f"W/{etag}", f'W/"old",{etag} , "x"', "*"):
        assert status_with(root, CUSTOMER, named) == 304, named
    for named in ('"old"', 'W/"old", "x"', etag.strip('"'), "", "W/*", "acme"):
        assert status_with(root, CUSTOMER, named) == 200, named

    for address in (CUSTOMER, LIST):
        languages = ("en", "de", "es", "pl", "pt")
        etags = [etag_of(root, address, **{"Accept-Language": one}) for one in languages]
        assert len(set(etags)) == 5
    assert etag_of(root, LIST) != etag_of(root, "customers/?limit=1")
    assert etag_of(root, "customers/?priority=1") != etag_of(root, "customers/?priority=7")


@pytest.mark.usefixtures("acme")
def test_a_change_is_seen_and_a_pin_and_its_end(root: Caller, clock: FrozenTime) -> None:
    Policy.objects.create(name="gold")
    services.create_customer("other")
    until, first_page = MORNING + timedelta(hours=1), "customers/?limit=1"

    for name, change, addresses in (
        ("check", lambda: services.check("acme"), (CUSTOMER, LIST)),
        ("reset", lambda: services.reset("acme"), (CUSTOMER, LIST, STATS)),
        ("pin", lambda: services.pin("acme", priority=7, until=until), (CUSTOMER, LIST, STATS)),
        ("policy", lambda: services.set_policy("acme", policy="gold"), (CUSTOMER, LIST)),
        ("rename", lambda: services.rename_customer("acme", name="Gold"), (CUSTOMER, LIST)),
        ("forget", lambda: services.forget("other"), (LIST, STATS, first_page)),
    ):
        before = {address: etag_of(root, address) for address in addresses}
        change()
        for address, etag in before.items():
            answer = root.get(address, headers={"If-None-Match": etag})
            assert answer.status_code == 200, (name, address)
            assert answer["ETag"] != etag

    services.unpin("acme")
    unpinned = etag_of(root, CUSTOMER)
    services.pin("acme", priority=1, until=MORNING + timedelta(minutes=1))
    before = {address: etag_of(root, address) for address in ADDRESSES}
    assert before[CUSTOMER] != unpinned

    clock.tick(60)

    assert {status_with(root, *one) for one in before.items()} == {200}
    services.unpin("acme")
    assert status_with(root, CUSTOMER, unpinned) == 304


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
def test_time_alone_changes_it(root: Caller, clock: FrozenTime, recovery: str) -> None:
    Policy.objects.create(name="named", recovery=recovery)
    services.set_policy("acme", policy="named")
    before, stored = {one: etag_of(root, one) for one in ADDRESSES}, everything_stored()

    clock.tick(100)
    assert {status_with(root, *one) for one in before.items()} == {304}
    clock.tick(1401)
    assert {status_with(root, *one) for one in before.items()} == {200}
    assert everything_stored() == stored
