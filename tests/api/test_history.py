"""A customer's events and documents over REST, newest first."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Policy
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import Caller
from tests.api.paging import Row, page_at, pages, rows_of
from tests.factories import CustomerFactory, DocumentDecisionFactory, EventFactory
from tests.stored import everything_stored
from tests.vectors import START

pytestmark = pytest.mark.django_db

EVENTS, DOCUMENTS = "customers/acme/events/", "customers/acme/documents/"
each_history = pytest.mark.parametrize("address", [EVENTS, DOCUMENTS])


@pytest.fixture
def clock() -> Iterator[FrozenTime]:
    with frozen_time(START) as frozen:
        yield frozen


def test_an_event_looks_like_this(root: Caller, clock: FrozenTime) -> None:
    services.check_many(["acme"] * 4)
    root.post("customers/acme/reset/", {"reason": "Their import ran twice"})
    (event,) = rows_of(root, EVENTS)
    assert isinstance(event.pop("id"), int)
    assert event == {
        "customer": "acme",
        "kind": "reset",
        "actor": "superuser",
        "reason": "Their import ran twice",
        "source": "api",
        "before": {"pending_documents": -3, "priority": 2},
        "after": {"pending_documents": 0, "priority": 1},
        "created_at": "2026-03-29T00:30:00.000000Z",
    }


def test_everything_that_is_done_to_a_customer_is_kept_newest_first(
    root: Caller, clock: FrozenTime
) -> None:
    Policy.objects.create(name="gold")
    services.check_many(["acme", "other"])
    until = (START + timedelta(hours=1)).isoformat()
    root.patch("customers/acme/", {"policy": "gold", "reason": "1"})
    root.put("customers/acme/pin/", {"priority": 2, "until": until, "reason": "2"})
    root.post("customers/other/reset/", {"reason": "another customer"})
    clock.tick(1)
    root.delete("customers/acme/pin/", {"reason": "3"})
    root.post("customers/acme/reset/", {"reason": "4"})
    told = [(event["kind"], event["reason"]) for event in rows_of(root, EVENTS)]
    assert told == [("reset", "4"), ("unpin", "3"), ("pin", "2"), ("policy", "1")]
    for kind in ("reset", "unpin", "pin", "policy"):
        assert [event["kind"] for event in rows_of(root, f"{EVENTS}?kind={kind}")] == [kind]
    assert rows_of(root, f"{EVENTS}?kind=forget") == []


def test_a_document_shows_what_was_decided_when_it_was_counted(
    root: Caller, clock: FrozenTime
) -> None:
    decided = [
        root.post("customers/acme/check/", {"document": f"D-{number}"}).json()
        for number in range(4)
    ]
    root.post("customers/acme/check/", {"document": "D-0"})
    root.post("customers/acme/check/", {})
    root.post("customers/other/check/", {"document": "D-0"})
    clock.tick(5000)
    services.reset("acme")
    assert rows_of(root, DOCUMENTS) == decided[::-1]


@pytest.mark.parametrize("document", ["D-1", "a/b ü&x=1", "🧾", "%", "D-1 "])
def test_one_document_can_be_asked_for(root: Caller, document: str) -> None:
    for name in ("D-1", "d-1", "D-10", document):
        root.post("customers/acme/check/", {"document": name})
    answer = root.client.get(f"/api/v1/{DOCUMENTS}", {"document": document}, headers=root.headers)
    assert [one["document"] for one in answer.json()["results"]] == [document]


def add_history(moments: list[datetime]) -> None:
    acme = CustomerFactory(key="acme")
    for number, moment in enumerate(moments):
        kind = "pin" if number % 3 else "reset"
        EventFactory(customer="acme", created_at=moment, kind=kind, reason=f"{number:02}")
        DocumentDecisionFactory(customer=acme, decided_at=moment, document=f"{number:02}")
    EventFactory(customer="other")
    DocumentDecisionFactory()


MOMENTS = [START + timedelta(microseconds=number // 4) for number in range(40)]
"""Four at each moment."""


def names(rows: list[Row]) -> list[str]:
    return [row.get("reason") or row["document"] for row in rows]


@each_history
def test_pages_there_and_back(root: Caller, address: str) -> None:
    add_history(MOMENTS)
    expected = [f"{number:02}" for number in reversed(range(40))]
    there = [names(page["results"]) for page in pages(root, f"{address}?limit=7")]
    assert [len(page) for page in there] == [7, 7, 7, 7, 7, 5]
    assert [name for page in there for name in page] == expected

    last = page_at(root, f"{address}?limit=35")["next"]
    back = [
        names(page["results"])
        for page in pages(root, page_at(root, last)["previous"], way="previous")
    ]
    assert [name for page in reversed(back) for name in page] == expected[:35]


@each_history
def test_what_is_new_does_not_move_the_pages(root: Caller, address: str) -> None:
    add_history(MOMENTS)
    first = page_at(root, f"{address}?limit=10")
    with frozen_time(START + timedelta(hours=1)):
        services.reset("acme")
        services.check("acme", document="new")
    second = page_at(root, first["next"])
    assert names(second["results"]) == [f"{number:02}" for number in range(29, 19, -1)]
    assert names(page_at(root, second["previous"])["results"]) == names(first["results"])


def test_a_filter_is_kept_from_page_to_page(root: Caller) -> None:
    add_history(MOMENTS)
    listed = [names(page["results"]) for page in pages(root, f"{EVENTS}?kind=reset&limit=5")]
    expected = [f"{number:02}" for number in range(39, -1, -3)]
    assert [name for page in listed for name in page] == expected


@each_history
def test_without_history_the_page_is_empty(root: Caller, address: str) -> None:
    services.create_customer("acme")
    assert page_at(root, address) == {"next": None, "previous": None, "results": []}


@each_history
def test_nobody_has_no_history(root: Caller, address: str) -> None:
    EventFactory(customer="acme")
    answer = root.get(address)
    assert (answer.status_code, answer.json()["code"]) == (404, "customer_not_found")


@each_history
def test_looking_back_changes_nothing(root: Caller, address: str) -> None:
    add_history(MOMENTS)
    before = everything_stored()
    rows_of(root, address)
    assert everything_stored() == before


@each_history
def test_the_number_of_queries_is_the_same(
    root: Caller, address: str, django_assert_max_num_queries: Any
) -> None:
    add_history(MOMENTS)
    with django_assert_max_num_queries(10) as asked:
        page_at(root, f"{address}?limit=1")
        few = len(asked)
        page_at(root, f"{address}?limit=40")
        assert len(asked) == 2 * few
