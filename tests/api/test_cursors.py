"""Pages of history, newest first; and cursors, which lead on if a page gave them out."""

import base64
import json
from datetime import timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.api.live_list import LONGEST_LISTING
from doc_priority.api.pages import LARGEST, LAST_MOMENT
from doc_priority.models import Policy
from doc_priority.selectors import database_now
from doc_priority.testing import FrozenTime, frozen_time
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds
from tests.api.conftest import MORNING, Caller, assert_problem, pages, rows_of
from tests.databases import everything_stored
from tests.factories import (
    CounterFactory,
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)

pytestmark = pytest.mark.django_db

EVENTS, DOCUMENTS = "customers/acme/events/", "customers/acme/documents/"
COLUMNS = ("customer", "name", "priority", "pending_documents", "updated_at", "resets_at")
ORDERINGS = [f"{sign}{column}" for column in COLUMNS for sign in ("", "-")]


def test_everything_that_is_done_to_a_customer_is_kept_newest_first(
    root: Caller, clock: FrozenTime
) -> None:
    Policy.objects.create(name="gold")
    services.check_many(["acme"] * 4)
    until = (MORNING + timedelta(hours=1)).isoformat()
    root.patch("customers/acme/", {"policy": "gold", "reason": "1"})
    root.put("customers/acme/pin/", {"priority": 2, "until": until, "reason": "2"})
    services.check("other")
    root.post("customers/other/reset/", {"reason": "another customer"})
    clock.tick(1)
    root.delete("customers/acme/pin/", {"reason": "3"})
    root.post("customers/acme/reset/", {"reason": "Their import ran twice"})

    events = rows_of(root, EVENTS)

    assert [event["kind"] for event in events] == ["reset", "unpin", "pin", "policy"]
    for kind in ("reset", "unpin", "pin", "policy"):
        assert [event["kind"] for event in rows_of(root, f"{EVENTS}?kind={kind}")] == [kind]
    assert rows_of(root, f"{EVENTS}?kind=forget") == []
    assert isinstance(events[0].pop("id"), int)
    assert events[0] == {
        "customer": "acme",
        "kind": "reset",
        "actor": "superuser",
        "reason": "Their import ran twice",
        "source": "api",
        "before": {"pending_documents": -3, "priority": 2},
        "after": {"pending_documents": 0, "priority": 1},
        "created_at": "2030-01-31T09:41:01.123456Z",
    }


def test_a_document_shows_what_was_decided_when_it_was_counted(
    root: Caller, clock: FrozenTime
) -> None:
    names = ("D-1", "d-1", "D-10", "a/b ü&x=1", "🧾", "%", "D-1 ")
    decided = []
    for name in names:
        clock.tick(1)
        decided.append(root.post("customers/acme/check/", {"document": name}).json())
    root.post("customers/acme/check/", {"document": "D-1"})
    root.post("customers/acme/check/", {})
    root.post("customers/other/check/", {"document": "D-1"})
    clock.tick(5000)
    services.reset("acme")

    assert rows_of(root, DOCUMENTS) == decided[::-1]
    for name, decision in zip(names, decided, strict=True):
        answer = root.client.get(f"/api/v1/{DOCUMENTS}", {"document": name}, headers=root.headers)
        assert answer.json()["results"] == [decision]

    EventFactory(customer="nobody")
    services.create_customer("birch")
    for history in ("events", "documents"):
        assert_problem(root.get(f"customers/nobody/{history}/"), 404, "customer_not_found")
        page = root.get(f"customers/birch/{history}/").json()
        assert page == {"next": None, "previous": None, "results": []}


@pytest.mark.parametrize("address", [EVENTS, DOCUMENTS])
def test_pages_there_and_back(
    root: Caller, address: str, django_assert_max_num_queries: Any
) -> None:
    acme = CustomerFactory(key="acme")
    for number in range(40):
        # Four at each moment.
        moment = MORNING + timedelta(microseconds=number // 4)
        reason, kind = f"{number:02}", "pin" if number % 3 else "reset"
        EventFactory(customer="acme", created_at=moment, kind=kind, reason=reason)
        DocumentDecisionFactory(customer=acme, decided_at=moment, document=reason)
    EventFactory(customer="other")
    DocumentDecisionFactory()
    expected = [f"{number:02}" for number in reversed(range(40))]
    before = everything_stored()

    there = list(pages(root, f"{address}?limit=7"))
    back = list(pages(root, there[-1]["previous"], way="previous"))

    assert [len(page["results"]) for page in there] == [7, 7, 7, 7, 7, 5]
    assert [row.get("reason") or row["document"] for row in rows_of(root, address)] == expected
    rows = [row for page in there for row in page["results"]]
    assert rows == rows_of(root, address)
    assert [row for page in reversed(back) for row in page["results"]] == rows[:35]
    assert everything_stored() == before
    assert [row["reason"] for row in rows_of(root, f"{EVENTS}?kind=reset&limit=5")] == [
        f"{number:02}" for number in range(39, -1, -3)
    ]
    with django_assert_max_num_queries(10) as asked:
        root.get(f"{address}?limit=1")
        few = len(asked)
        root.get(f"{address}?limit=40")
        assert len(asked) == 2 * few

    # What is new does not move the pages.
    with frozen_time(MORNING + timedelta(hours=1)):
        services.reset("acme")
        services.check("acme", document="new")
    second = root.get(there[0]["next"]).json()
    assert second["results"] == there[1]["results"]
    assert root.get(second["previous"]).json()["results"] == there[0]["results"]


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def forged(*parts: Any) -> str:
    """A cursor with anything in it."""
    return encoded(json.dumps(parts).encode())


@pytest.fixture
def acme() -> None:
    """A customer in every list, under the policy with the most to calculate."""
    policy = PolicyFactory(name="gold", recovery="halving", reset_interval=10)
    customer = CustomerFactory(key="acme", policy=policy)
    CounterFactory(customer=customer, pending_documents=-1_000_000_000)
    DocumentDecisionFactory(customer=customer)
    EventFactory(customer="acme")
    CustomerFactory(key="never-checked", name="")


@pytest.mark.usefixtures("acme")
def test_what_is_no_cursor_or_of_another_ordering_is_named_and_asks_no_list(root: Caller) -> None:
    now = to_microseconds(database_now())
    address = "customers/?ordering=updated_at&cursor="
    right = ("updated_at", [1, "a"], False, now)
    assert root.get(address + forged(*right)).status_code == 200

    ordering, values, backward, _ = right
    wrong: list[tuple[Any, ...]] = [
        right[:3],
        (*right, 0),
        *((other, *right[1:]) for other in ("-updated_at", "name", "", ["updated_at"], None)),
        *((ordering, other, backward, now) for other in ([], [1], [1, "a", "b"], None, 1, "1a")),
        (ordering, {"1": 1, "a": 1}, backward, now),
        *(
            (ordering, [number, "a"], backward, now)
            for number in ("1", None, True, 1.0, float("nan"), float("inf"), [1])
        ),
        *((ordering, [number, "a"], backward, now) for number in (2**63, -(2**63), 10**25)),
        *((ordering, [1, text], backward, now) for text in (1, None, {"a": 1}, "a\0", "a\ud800")),
        *((ordering, values, other, now) for other in (1, None, "false")),
        *((ordering, values, backward, moment) for moment in (-1, LAST_MOMENT + 1, 10**25)),
        *((ordering, values, backward, moment) for moment in (float(now), str(now), None, True)),
        (ordering, values, backward, float("nan")),
        # A listing ends after an hour.
        *((ordering, values, backward, moment) for moment in (0, now - LONGEST_LISTING - SECOND)),
        *((ordering, values, backward, moment) for moment in (now + 60 * SECOND, LAST_MOMENT)),
    ]
    garbage = (
        *("x", "abcd", encoded(b"\xff\xfe\xfd"), encoded(b"[1"), encoded(b"1"), encoded(b"null")),
        *(encoded(b'"abcd"'), encoded(b'{"a":1,"b":2,"c":3,"d":4}'), encoded(b"[]")),
        *(encoded(b"[" + b"9" * 1_400 + b",[1],false,0]"), encoded(b"[" * 1_400)),
    )
    for text in (*(forged(*parts) for parts in wrong), *garbage):
        with CaptureQueriesContext(connection) as queries:
            answer = root.get(address + text)
        problem = assert_problem(answer, 404, "invalid_cursor", at=["?cursor"])
        assert "begin again" in problem["detail"]
        assert not any("doc_priority" in query["sql"] for query in queries), text

    for list_address in (EVENTS, DOCUMENTS, "policies/"):
        for text in (*garbage, forged(*right)):
            answer = root.get(f"{list_address}?cursor={text}")
            assert_problem(answer, 404, "invalid_cursor", at=["?cursor"])

    for ordering, other in pairwise([*ORDERINGS, "customer"]):
        page = root.get(f"customers/?ordering={ordering}&limit=1").json()
        cursor = parse_qs(urlsplit(page["next"]).query)["cursor"][0]
        for address, status in (
            (f"customers/?ordering={ordering}&", 200),
            (f"customers/?ordering={other}&", 404),
            *((f"{history}?", 404) for history in (EVENTS, DOCUMENTS, "policies/")),
        ):
            assert root.get(f"{address}cursor={cursor}").status_code == status, address


def test_the_longest_names_fit_into_a_cursor(root: Caller) -> None:
    for number, letter in enumerate("xyz"):
        name = ("\N{BOMB}" * 199 + str(number), "Żółć \N{BOMB}\"\\/'&=+", "")[number]
        services.create_customer(letter * 64, name=name)

    for ordering in ("name", "-name"):
        listed = list(pages(root, f"customers/?limit=1&ordering={ordering}"))
        assert len({page["results"][0]["customer"] for page in listed}) == len(listed) == 3


@pytest.mark.usefixtures("acme")
def test_a_well_made_cursor_finds_a_page_wherever_it_points(root: Caller) -> None:
    texts = ("", "\x01", "\x7f", "a" * 300, "\N{BOMB}", "\uffff", "\u202e", "%_\\'\"", "\U0010ffff")
    numbers = (0, LARGEST, -LARGEST, 2**31, -(2**31) - 1, 2**53 + 1)
    lists = [
        ("customers/", "customer", [[text] for text in texts]),
        ("customers/", "name", [[text, text] for text in texts]),
        *(("customers/", column, [[one, "m"] for one in numbers]) for column in COLUMNS[2:]),
        (EVENTS, "events", [[one, other] for one in numbers for other in numbers]),
        (DOCUMENTS, "documents", [[one, text] for one in numbers for text in texts]),
        ("policies/", "policies", [[text] for text in texts]),
    ]
    before, now = everything_stored(), to_microseconds(database_now())

    for address, column, all_values in lists:
        for number, values in enumerate(all_values):
            # Half of them backward, a third in a listing that is about to end.
            began = now if number % 3 else now - LONGEST_LISTING + 60 * SECOND
            for ordering in (column, f"-{column}") if address == "customers/" else ("",):
                backward = bool(number % 2) == (ordering == column)
                cursor = forged(ordering or column, values, backward, began if ordering else 0)
                query = f"ordering={ordering}&cursor={cursor}" if ordering else f"cursor={cursor}"
                answer = root.get(f"{address}?{query}")
                assert answer.status_code == 200, (address, values, ordering, backward)
                assert len(answer.json()["results"]) <= 2
    assert everything_stored() == before
