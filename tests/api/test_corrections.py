"""Counters put right by hand over REST, each time with who did it and why."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.models import Customer, Event
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import Api, Caller, UserOf
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db

MORNING = datetime(2030, 1, 31, 9, 41, tzinfo=UTC)
NOON = "2030-01-31T12:00:00Z"
PIN = {"priority": 2, "until": NOON, "reason": "Audit at the customer's"}


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


def test_each_reset_is_kept(support: Caller) -> None:
    for reason in ("once", "twice"):
        done(support.post("customers/acme/reset/", {"reason": reason}))
    assert list(Event.objects.values_list("reason", flat=True)) == ["twice", "once"]


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
    assert the_event("pin").after == {
        "pending_documents": -13,
        "priority": 2,
        "pinned_priority": 2,
        "pinned_until": None,
    }
    shown = support.get("customers/acme/").json()
    assert (shown["pinned"], shown["pinned_until"]) == (True, None)
    assert shown["explanation"].startswith(
        "acme is pinned to priority 2 without an end. The counter alone would say: 13 documents"
    )


def test_whether_a_pin_ends_is_said(support: Caller) -> None:
    answer = support.put("customers/acme/pin/", {"priority": 2, "reason": "Audit"})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"pointer": "#/until", "code": "required", "detail": "This is missing."}
    ]


def test_a_pin_put_again_is_the_new_one(support: Caller) -> None:
    done(support.put("customers/acme/pin/", PIN))
    decision = done(support.put("customers/acme/pin/", PIN | {"priority": 9}))
    assert decision["priority"] == 9
    assert Event.objects.count() == 2
    assert Event.objects.first().before["pinned_priority"] == 2


@pytest.mark.parametrize(
    "until",
    [
        "2030-01-31T12:00:00Z",
        "2030-01-31t12:00:00z",
        "2030-01-31T13:00:00+01:00",
        "2030-01-31T06:30:00.0-05:30",
        "2030-01-31T12:00:00.000000-00:00",
        "2030-01-31T12:00:00.0000004Z",
    ],
)
def test_a_pin_ends_at_one_moment_however_it_is_written(support: Caller, until: str) -> None:
    done(support.put("customers/acme/pin/", PIN | {"until": until}))
    shown = support.get("customers/acme/").json()
    assert shown["pinned_until"] == "2030-01-31T12:00:00.000000Z"


@pytest.mark.parametrize("until", ["2030-01-31T09:42:00Z", "2030-01-31T09:41:59.999999Z"])
def test_a_pin_ends_later_than_now(support: Caller, until: str) -> None:
    before = everything_stored()
    answer = support.put("customers/acme/pin/", PIN | {"until": until})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "invalid_pin")
    assert [error["pointer"] for error in problem["errors"]] == ["#/until"]
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


CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "reset": ("POST", "reset", {"reason": "Why"}),
    "pin": ("PUT", "pin", PIN),
    "unpin": ("DELETE", "pin", {"reason": "Why"}),
}


@pytest.mark.parametrize(("method", "call", "body"), CALLS.values(), ids=CALLS)
def test_nobody_is_made_by_being_put_right(
    support: Caller, method: str, call: str, body: dict[str, Any]
) -> None:
    answer = support.request(method, f"customers/nobody/{call}/", body)
    assert (answer.status_code, answer.json()["code"]) == (404, "customer_not_found")
    assert not Customer.objects.filter(key="nobody").exists()


@pytest.mark.parametrize("reason", ["", "   ", "\u3000", None])
@pytest.mark.parametrize(("method", "call"), [("POST", "reset"), ("PUT", "pin")])
def test_no_reason_no_correction(
    support: Caller, method: str, call: str, reason: str | None
) -> None:
    body: dict[str, Any] = {**(PIN if call == "pin" else {}), "reason": reason}
    if reason is None:
        del body["reason"]
    before = everything_stored()
    answer = support.request(method, f"customers/acme/{call}/", body)
    problem = answer.json()
    assert answer.status_code == 400
    assert [error["pointer"] for error in problem["errors"]] == ["#/reason"]
    assert "say why" in problem["detail"]
    assert everything_stored() == before


def test_a_reason_is_kept_as_it_was_said(support: Caller) -> None:
    done(support.post("customers/acme/reset/", {"reason": "  Größe → „ö“ 🧾 <b> 'x' \" "}))
    assert the_event("reset").reason == "Größe → „ö“ 🧾 <b> 'x' \""


@pytest.mark.parametrize(("method", "call", "body"), CALLS.values(), ids=CALLS)
def test_nobody_says_who_did_it_but_the_one_who_is_signed_in(
    support: Caller, method: str, call: str, body: dict[str, Any]
) -> None:
    before = everything_stored()
    for name in ("actor", "source", "at"):
        answer = support.request(method, f"customers/acme/{call}/", body | {name: "boss"})
        assert answer.status_code == 400
        assert [error["pointer"] for error in answer.json()["errors"]] == [f"#/{name}"]
    assert everything_stored() == before
