"""Pages of history, newest first; and cursors, which lead on if a page gave them out."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.core.signing import TimestampSigner, b64_decode, b64_encode
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from doc_priority import services
from doc_priority.models import Policy
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import MORNING, ORDERINGS, Caller, assert_problem, pages, rows_of
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


@pytest.fixture
def acme() -> None:
    """Every list has two rows; the customer is under the policy with the most to calculate."""
    policy = PolicyFactory(name="gold", recovery="halving", reset_interval=10)
    PolicyFactory(name="silver")
    customer = CustomerFactory(key="acme", policy=policy)
    CounterFactory(customer=customer, pending_documents=-1_000_000_000)
    for _ in range(2):
        DocumentDecisionFactory(customer=customer)
        EventFactory(customer="acme")
    for key in ("birch", "never-checked"):
        CustomerFactory(key=key, name="")


@pytest.mark.usefixtures("acme")
def test_a_cursor_leads_on_in_its_own_listing_alone(root: Caller) -> None:
    def cursor_of(address: str) -> str:
        return parse_qs(urlsplit(root.get(address).json()["next"]).query)["cursor"][0]

    lists = [*(f"customers/?ordering={ordering}" for ordering in ORDERINGS)]
    lists += [f"{address}?" for address in (EVENTS, DOCUMENTS, "policies/")]
    for address, other in pairwise([*lists, lists[0]]):
        cursor = cursor_of(f"{address}&limit=1")
        assert root.get(f"{address}&cursor={cursor}").status_code == 200, address
        with CaptureQueriesContext(connection) as queries:
            answer = root.get(f"{other}&cursor={cursor}")
        problem = assert_problem(answer, 404, "invalid_cursor", at=["?cursor"])
        assert "begin again" in problem["detail"]
        assert not any("doc_priority" in query["sql"] for query in queries), other


@pytest.mark.usefixtures("acme")
def test_nobody_else_can_make_a_cursor(root: Caller, settings: Any) -> None:
    right = parse_qs(urlsplit(root.get("customers/?limit=1").json()["next"]).query)["cursor"][0]
    content, moment, signature = b64_decode(right.encode()).decode().rsplit(":", 2)
    with override_settings(SECRET_KEY="that of another portal"):
        foreign = TimestampSigner(salt="doc_priority.api.customers.customer").sign(content)
    signed = (
        *(content, f"{content}:{moment}", foreign, f"{content} :{moment}:{signature}", ":", "::"),
        *(f"{content}:1{moment}:{signature}", f"{content}:{moment}:{signature}A", "[", "\N{BOMB}"),
    )
    for text in (
        *(b64_encode(one.encode()).decode() for one in signed),
        *("x", "abcd", right[1:], right[:-2], f"A{right}", right.swapcase(), "_" * 2000, "__79"),
    ):
        for address in ("customers/", EVENTS, DOCUMENTS, "policies/"):
            answer = root.get(f"{address}?cursor={text}")
            assert_problem(answer, 404, "invalid_cursor", at=["?cursor"])

    # A portal that changes its key lets listings end that began before.
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the next one"
    assert root.get(f"customers/?cursor={right}").status_code == 200


@pytest.mark.usefixtures("acme")
def test_a_cursor_holds_for_an_hour(root: Caller) -> None:
    """Its listing, too: of the live list, in which time stands still."""
    now = datetime.now(UTC)
    with time_machine.travel(now, tick=False) as clock:
        links = [
            root.get(f"{address}?limit=1").json()["next"]
            for address in ("customers/", EVENTS, DOCUMENTS, "policies/")
        ]
        for seconds, status in ((3599, 200), (2, 404)):
            clock.shift(seconds)
            for link in links:
                assert root.get(link).status_code == status, link

    with frozen_time(MORNING) as frozen:
        link = root.get("customers/?limit=1").json()["next"]
        frozen.tick(3600)
        link = root.get(link).json()["next"]
        frozen.tick(1)
        assert_problem(root.get(link), 404, "invalid_cursor", at=["?cursor"])


def test_the_longest_names_fit_into_a_cursor(root: Caller) -> None:
    for number, letter in enumerate("xyz"):
        name = ("\N{BOMB}" * 199 + str(number), "Żółć \N{BOMB}\"\\/'&=+", "")[number]
        services.create_customer(letter * 64, name=name)

    for ordering in ("name", "-name"):
        listed = list(pages(root, f"customers/?limit=1&ordering={ordering}"))
        assert len({page["results"][0]["customer"] for page in listed}) == len(listed) == 3
