"""Counters put right by hand over REST, each time with who did it and why."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Customer, Event
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import Api, Caller, UserOf, assert_problem
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db

MORNING = datetime(2030, 1, 31, 9, 41, tzinfo=UTC)
PIN = {"priority": 2, "until": "2030-01-31T12:00:00Z", "reason": "Audit at the customer's"}
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "reset", {"reason": "Why"}),
    ("PUT", "pin", PIN),
    ("DELETE", "pin", {"reason": "Why"}),
]


@pytest.fixture(autouse=True)
def clock() -> Iterator[FrozenTime]:
    """A morning on which Acme has sent 14 documents."""
    with frozen_time(MORNING) as frozen:
        services.check_many(["acme"] * 14)
        frozen.tick(60)
        yield frozen


@pytest.fixture
def support(api: Api, user_of: UserOf) -> Caller:
    return api(user_of("support"))


def done(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 200, answer.content
    decision: dict[str, Any] = answer.json()
    return decision


def the_event(kind: str) -> Event:
    event: Event = Event.objects.get(kind=kind)
    assert (event.customer, event.actor, event.source) == ("acme", "support", "api")
    assert event.created_at == MORNING + timedelta(seconds=60)
    return event


def test_a_reset(support: Caller) -> None:
    decision = done(support.post("customers/acme/reset/", {"reason": "Their import ran twice"}))

    assert decision == {
        "customer": "acme",
        "document": "",
        "pending_documents": 0,
        "priority": 1,
        "pinned": False,
        "reset": False,
        "repeated": False,
        "decided_at": "2030-01-31T09:42:00.000000Z",
        "resets_at": "2030-01-31T10:07:00.000000Z",
        "policy": "",
    }
    event = the_event("reset")
    assert event.reason == "Their import ran twice"
    assert event.before == {"pending_documents": -13, "priority": 7}
    assert event.after == {"pending_documents": 0, "priority": 1}
    assert services.check("acme").pending_documents == -1


def test_each_reset_is_kept_with_its_reason_as_it_was_said(support: Caller) -> None:
    for reason in ("once", "  Größe → „ö“ 🧾 <b> 'x' \" "):
        done(support.post("customers/acme/reset/", {"reason": reason}))

    kept = list(Event.objects.values_list("reason", flat=True))
    assert kept == ["Größe → „ö“ 🧾 <b> 'x' \"", "once"]


def test_a_pin(support: Caller, clock: FrozenTime) -> None:
    decision = done(support.put("customers/acme/pin/", PIN))

    assert (decision["priority"], decision["pinned"]) == (2, True)
    assert decision["pending_documents"] == -13
    event = the_event("pin")
    assert event.reason == "Audit at the customer's"
    assert event.before == {"pending_documents": -13, "priority": 7}
    assert event.after == {
        "pending_documents": -13,
        "priority": 2,
        "pinned_priority": 2,
        "pinned_until": "2030-01-31T12:00:00.000000Z",
    }
    assert services.check("acme").priority == 2
    clock.move_to(datetime(2030, 1, 31, 12, tzinfo=UTC))
    assert not services.peek("acme").pinned


def test_a_pin_without_an_end(support: Caller) -> None:
    decision = done(support.put("customers/acme/pin/", PIN | {"until": None}))

    assert (decision["priority"], decision["pinned"]) == (2, True)
    assert the_event("pin").after["pinned_until"] is None
    shown = support.get("customers/acme/").json()
    assert (shown["pinned"], shown["pinned_until"]) == (True, None)
    assert shown["explanation"].startswith(
        "acme is pinned to priority 2 without an end. The counter alone would say: 13 documents"
    )


def test_a_pin_put_again_is_the_new_one(support: Caller) -> None:
    done(support.put("customers/acme/pin/", PIN))

    assert done(support.put("customers/acme/pin/", PIN | {"priority": 9}))["priority"] == 9

    assert Event.objects.count() == 2
    assert Event.objects.first().before["pinned_priority"] == 2


def test_a_pin_ends_at_one_moment_however_it_is_written(support: Caller) -> None:
    for until in (
        "2030-01-31T12:00:00Z",
        "2030-01-31t12:00:00z",
        "2030-01-31T13:00:00+01:00",
        "2030-01-31T06:30:00.0-05:30",
        "2030-01-31T12:00:00.000000-00:00",
        "2030-01-31T12:00:00.0000004Z",
    ):
        done(support.put("customers/acme/pin/", PIN | {"until": until}))
        shown = support.get("customers/acme/").json()
        assert shown["pinned_until"] == "2030-01-31T12:00:00.000000Z", until
        done(support.delete("customers/acme/pin/"))


def test_a_pin_ends_later_than_now_and_says_whether_it_ends(support: Caller) -> None:
    before = everything_stored()

    for until in ("2030-01-31T09:42:00Z", "2030-01-31T09:41:59.999999Z"):
        answer = support.put("customers/acme/pin/", PIN | {"until": until})
        assert_problem(answer, 400, "invalid_pin", at=["#/until"])
    answer = support.put("customers/acme/pin/", {"priority": 2, "reason": "Audit"})
    assert answer.json()["errors"] == [
        {"pointer": "#/until", "code": "required", "detail": "This is missing."}
    ]
    assert everything_stored() == before


def test_without_the_pin_the_counter_decides(support: Caller) -> None:
    services.pin("acme", priority=2, until=MORNING + timedelta(hours=1), actor="somebody")

    decision = done(support.delete("customers/acme/pin/", {"reason": "The audit is over"}))

    assert (decision["priority"], decision["pinned"]) == (7, False)
    event = the_event("unpin")
    assert event.reason == "The audit is over"
    assert event.before["pinned_priority"] == 2
    assert event.after == {"pending_documents": -13, "priority": 7}


@pytest.mark.parametrize("body", [b"", {}, {"reason": ""}])
def test_a_pin_may_be_taken_off_without_a_reason(support: Caller, body: object) -> None:
    services.pin("acme", priority=2, until=MORNING + timedelta(hours=1))

    done(support.delete("customers/acme/pin/", body))

    assert the_event("unpin").reason == ""


def test_where_there_is_no_pin_nothing_is_done(support: Caller) -> None:
    before = everything_stored()

    assert done(support.delete("customers/acme/pin/"))["priority"] == 7

    assert everything_stored() == before


def test_nobody_is_made_by_being_put_right(support: Caller) -> None:
    for method, call, body in CALLS:
        answer = support.request(method, f"customers/nobody/{call}/", body)
        assert_problem(answer, 404, "customer_not_found")
    assert not Customer.objects.filter(key="nobody").exists()


def test_nobody_says_who_did_it_but_the_one_who_is_signed_in(support: Caller) -> None:
    before = everything_stored()

    for method, call, body in CALLS:
        for name in ("actor", "source", "at"):
            answer = support.request(method, f"customers/acme/{call}/", body | {name: "boss"})
            assert_problem(answer, 400, "invalid", at=[f"#/{name}"])
    assert everything_stored() == before
