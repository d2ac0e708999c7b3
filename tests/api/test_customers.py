"""Customers and policies over REST: made, looked at, changed, put right by hand, deleted."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db.models import ProtectedError, RestrictedError
from django.db.models.signals import pre_delete

from doc_priority import services
from doc_priority.models import Customer, Event, Policy
from doc_priority.testing import FrozenTime, frozen_time
from tests.api.conftest import MORNING, TERMS, Caller, assert_problem, pages
from tests.databases import everything_stored
from tests.factories import PolicyFactory

pytestmark = pytest.mark.django_db

PIN = {"priority": 2, "until": "2030-01-31T12:00:00Z", "reason": "Audit at the customer's"}
NEW = {
    "customer": "acme",
    "name": "",
    "policy": "",
    "pending_documents": 0,
    "priority": 1,
    "pinned": False,
    "pinned_until": None,
    "updated_at": None,
    "resets_at": None,
    "explanation": "acme has priority 1: no document has been counted yet.",
}


def done(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def shown(caller: Caller) -> dict[str, Any]:
    return done(caller.get("customers/acme/"))


def test_a_new_customer_needs_only_a_key(root: Caller) -> None:
    Policy.objects.create(name="gold", reset_interval=600)
    answer = root.post("customers/", {"customer": "acme"})
    assert answer.status_code == 201
    assert answer["Location"] == "http://testserver/api/v1/customers/acme/"
    assert answer.json() == shown(root) == NEW

    answer = root.post("customers/", {"customer": "other", "name": "Łódź", "policy": "gold"})
    assert answer.json() == NEW | {
        "customer": "other",
        "name": "Łódź",
        "policy": "gold",
        "explanation": ("Łódź has priority 1: no document has been counted yet. Policy: “gold”."),
    }
    for number, policy in enumerate((None, "")):
        answer = root.post("customers/", {"customer": f"acme-{number}", "policy": policy})
        assert (answer.status_code, answer.json()["policy"]) == (201, "")
        services.set_policy(f"acme-{number}", policy="gold")
        answer = root.patch(f"customers/acme-{number}/", {"policy": policy})
        assert answer.json()["policy"] == ""


def test_who_exists_already_or_would_have_a_missing_policy_stays_as_it_is(root: Caller) -> None:
    answer = root.post("customers/", {"customer": "acme", "policy": "none"})
    assert_problem(answer, 404, "policy_not_found", at=["#/policy"])
    assert not Customer.objects.exists()

    services.create_customer("acme", name="Acme")
    before = everything_stored()
    answer = root.post("customers/", {"customer": "acme", "name": "Other"})
    assert_problem(answer, 409, "customer_exists", at=[])
    answer = root.patch("customers/acme/", {"name": "Other", "policy": "none"})
    assert_problem(answer, 404, "policy_not_found", at=["#/policy"])
    for body in ({}, {"reason": "none"}, b""):
        answer = root.patch("customers/acme/", body)
        assert (answer.status_code, answer.json()["name"]) == (200, "Acme")
    assert everything_stored() == before


def test_looking_shows_everything_that_has_not_passed_and_counts_nothing(
    root: Caller,
) -> None:
    Policy.objects.create(name="gold", reset_interval=600)
    with frozen_time(MORNING) as clock:
        services.create_customer("acme", name="Acme", policy="gold")
        services.check_many(["acme"] * 14)
        services.pin("acme", priority=2, until=MORNING + timedelta(minutes=7))
        clock.tick(60)
        before = everything_stored()
        first, second = shown(root), shown(root)
        clock.tick(1501)
        later = shown(root)

    assert everything_stored() == before
    assert later == NEW | {
        "name": "Acme",
        "policy": "gold",
        "updated_at": "2030-01-31T09:41:00.123456Z",
        "explanation": (
            "Acme has priority 1: nothing sent since 2030-01-31 09:41 UTC, "
            "and the counter is back at 0. Policy: “gold”."
        ),
    }
    assert first == second
    assert first == {
        "customer": "acme",
        "name": "Acme",
        "policy": "gold",
        "pending_documents": -13,
        "priority": 2,
        "pinned": True,
        "pinned_until": "2030-01-31T09:48:00.123456Z",
        "updated_at": "2030-01-31T09:41:00.123456Z",
        "resets_at": "2030-01-31T09:51:00.123456Z",
        "explanation": (
            "Acme is pinned to priority 2 until 2030-01-31 09:48 UTC. Without the pin: "
            "13 documents since 2030-01-31 09:41 UTC moved Acme from priority 1 to 7. "
            "If nothing new arrives, the priority is back at 1 at 2030-01-31 09:51 UTC. "
            "Policy: “gold”."
        ),
    }


def test_keys_are_told_apart_byte_by_byte_and_the_location_leads_to_each(root: Caller) -> None:
    services.create_customer("aCME")

    for key in ("acme", "ACME", "Acme", "a", "x:y@z~.-_", "K" * 64, "...", "@", "~"):
        assert root.get(f"customers/{key}/").status_code == 404
        answer = root.post("customers/", {"customer": key})
        assert root.get(answer["Location"]).json()["customer"] == key


def test_another_policy_and_another_name_with_it(root: Caller) -> None:
    Policy.objects.create(name="gold", reset_interval=600)
    services.check("acme")

    body = {"name": "Acme & Söhne", "policy": "gold", "reason": "New contract"}
    answer = root.patch("customers/acme/", body)

    assert answer.status_code == 200
    assert answer.json() == shown(root)
    assert (answer.json()["name"], answer.json()["policy"]) == ("Acme & Söhne", "gold")
    assert answer.json()["explanation"].startswith("Acme & Söhne has")
    event = Event.objects.get()
    assert (event.kind, event.actor, event.source) == ("policy", "superuser", "api")
    assert event.reason == "New contract"
    assert root.patch("customers/acme/", {"name": "Acme"}).json()["name"] == "Acme"


def test_a_customer_whom_the_portal_does_not_protect_is_forgotten_and_begins_anew(
    root: Caller,
) -> None:
    services.check("acme", document="1")
    services.check("other", document="1")
    services.reset("acme")
    before = everything_stored()
    for error in (ProtectedError, RestrictedError):

        def forbid(instance: Customer, error: Any = error, **_: Any) -> None:
            """As a foreign key of the portal does, with PROTECT or RESTRICT."""
            raise error("An invoice refers to it.", {instance})

        pre_delete.connect(forbid, sender=Customer)
        try:
            assert_problem(root.delete("customers/acme/"), 409, "protected", at=[])
        finally:
            pre_delete.disconnect(forbid, sender=Customer)
        assert everything_stored() == before

    answer = root.delete("customers/acme/", {"reason": "Contract ended"})

    assert (answer.status_code, answer.content) == (204, b"")
    event = Event.objects.get()
    assert (event.kind, event.actor, event.source) == ("forget", "superuser", "api")
    assert event.reason == "Contract ended"
    stored = everything_stored()
    del stored["Event"]
    assert "acme" not in str(stored)
    assert {len(rows) for model, rows in stored.items() if model != "Policy"} == {1}
    assert root.get("customers/acme/").status_code == 404
    decision = root.post("customers/acme/check/", {"document": "1"}).json()
    assert (decision["pending_documents"], decision["repeated"]) == (0, False)


@pytest.fixture
def support(caller_as: Callable[[str], Caller], clock: FrozenTime) -> Caller:
    """On a morning on which Acme has sent 14 documents."""
    services.check_many(["acme"] * 14)
    clock.tick(60)
    return caller_as("support")


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
        "decided_at": "2030-01-31T09:42:00.123456Z",
        "resets_at": "2030-01-31T10:07:00.123456Z",
        "policy": "",
    }
    event = the_event("reset")
    assert event.reason == "Their import ran twice"
    assert event.before == {"pending_documents": -13, "priority": 7}
    assert event.after == {"pending_documents": 0, "priority": 1}
    assert services.check("acme").pending_documents == -1
    done(support.post("customers/acme/reset/", {"reason": "  Größe → „ö“ 🧾 <b> 'x' \" "}))
    assert Event.objects.count() == 2
    assert Event.objects.first().reason == "Größe → „ö“ 🧾 <b> 'x' \""


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


def test_a_pin_without_an_end_and_another_after_it(support: Caller) -> None:
    decision = done(support.put("customers/acme/pin/", PIN | {"until": None}))

    assert (decision["priority"], decision["pinned"]) == (2, True)
    assert the_event("pin").after["pinned_until"] is None
    customer = shown(support)
    assert (customer["pinned"], customer["pinned_until"]) == (True, None)
    assert customer["explanation"].startswith(
        "acme is pinned to priority 2 without an end. Without the pin: 13 documents"
    )
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
        assert shown(support)["pinned_until"] == "2030-01-31T12:00:00.000000Z", until
        done(support.delete("customers/acme/pin/"))

    before = everything_stored()

    for until in ("2030-01-31T09:42:00.123456Z", "2030-01-31T09:42:00Z"):
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

    before = everything_stored()
    assert done(support.delete("customers/acme/pin/"))["priority"] == 7
    assert everything_stored() == before
    for body in (b"", {}, {"reason": ""}):
        services.pin("acme", priority=2, until=MORNING + timedelta(hours=1))
        done(support.delete("customers/acme/pin/", body))
        assert Event.objects.filter(kind="unpin").first().reason == ""


GOLD: dict[str, Any] = {"name": "gold", **TERMS}
NAMES = [
    *("gold", "Gold", "gold/silver", "/gold", "gold/", "//", "two words", " gold ", "100 %", "%2F"),
    *("Größe „ö“", "a?b#c&d=e;f", "🧾", "ø" * 64, "check", "...", 'it\'s "quoted" \\'),
]


@pytest.fixture
def admin(caller_as: Callable[[str], Caller]) -> Caller:
    return caller_as("policy admin")


def test_a_policy_is_made_and_deleted(admin: Caller) -> None:
    made = admin.post("policies/", GOLD | {"reason": "Gold contracts"})
    assert (made.status_code, made.json()) == (201, GOLD)
    assert made["Location"] == "http://testserver/api/v1/policies/gold/"
    assert admin.get("policies/gold/").json() == GOLD

    gone = admin.delete("policies/gold/", {"reason": "No contract has it any more"})
    assert (gone.status_code, gone.content) == (204, b"")
    assert not Policy.objects.exists()

    last, first = Event.objects.all()
    for event in (first, last):
        assert (event.customer, event.kind, event.source) == ("", "policy", "api")
        assert event.actor == "policy admin"
    assert (first.reason, last.reason) == ("Gold contracts", "No contract has it any more")
    assert (first.before, last.after) == ({}, {})
    assert first.after == last.before == {"policy": "gold", **TERMS}


def test_a_policy_is_found_under_its_name_byte_by_byte(admin: Caller, root: Caller) -> None:
    def address_of(name: str) -> str:
        return f"policies/{quote(name, safe='')}/"

    for name in NAMES:
        made = admin.post("policies/", GOLD | {"name": name})
        assert (made.status_code, made.json()["name"]) == (201, name)
        address = made["Location"].removeprefix("http://testserver/api/v1/")
        assert address == address_of(name)
        assert admin.get(address).json() == GOLD | {"name": name}
        assert admin.patch(address, {"reset_interval": 10}).json()["reset_interval"] == 10

        customer = {"customer": "acme", "policy": name}
        assert root.post("customers/", customer).json()["policy"] == name
        listed = root.get(f"customers/?policy={quote(name, safe='')}").json()["results"]
        assert [row["customer"] for row in listed] == ["acme"]
        assert_problem(admin.delete(address), 409, "policy_in_use", at=[])
        services.forget("acme")
        assert admin.delete(address).status_code == 204
        assert_problem(admin.get(address), 404, "policy_not_found", at=["{name}"])

    PolicyFactory(name="gold/silver")
    assert admin.get("policies/gold/silver/").json()["name"] == "gold/silver"

    for name in ("Gold", "gold ", "göld", "gold"):
        assert admin.get(address_of(name)).status_code == 404
        assert admin.post("policies/", GOLD | {"name": name}).status_code == 201


def test_what_is_left_out_stays_and_without_a_change_nothing_is_kept(admin: Caller) -> None:
    current = admin.post("policies/", GOLD).json()

    for member, value in (
        ("reset_interval", 900),
        ("recovery", "window"),
        ("thresholds", [-2, -4, -6, -8, -10, -12, -14, -20]),
    ):
        changed = admin.patch("policies/gold/", {member: value, "reason": f"Less {member}"})
        current[member] = value
        assert changed.status_code == 200
        assert changed.json() == admin.get("policies/gold/").json() == current
        event = Event.objects.first()
        assert (event.reason, event.before[member]) == (f"Less {member}", GOLD[member])
        assert event.after[member] == value

    before = everything_stored()
    for body in ({}, {"reason": "none"}, {"reset_interval": 900}, b""):
        assert admin.patch("policies/gold/", body).status_code == 200
    assert everything_stored() == before


def test_everyone_who_has_it_moves_with_it_and_it_can_be_neither_replaced_nor_deleted(
    admin: Caller, root: Caller
) -> None:
    PolicyFactory(name="gold")
    services.create_customer("acme", policy="gold")
    services.check_many(["acme"] * 14)
    assert root.get("customers/acme/").json()["priority"] == 7

    admin.patch("policies/gold/", {"thresholds": GOLD["thresholds"]})

    assert root.get("customers/acme/").json()["priority"] == 4

    before = everything_stored()

    assert_problem(admin.post("policies/", GOLD), 409, "policy_exists", at=[])
    problem = assert_problem(admin.delete("policies/gold/"), 409, "policy_in_use", at=[])

    assert "is in use; give its customers another one first." in problem["detail"]
    assert everything_stored() == before


def test_policies_come_in_pages_by_name(admin: Caller) -> None:
    assert admin.get("policies/").json() == {"next": None, "previous": None, "results": []}
    for name in reversed(NAMES):
        PolicyFactory(name=name)

    there = list(pages(admin, "policies/?limit=4"))
    back = list(pages(admin, there[-1]["previous"], way="previous"))

    assert [policy["name"] for page in there for policy in page["results"]] == sorted(NAMES)
    assert [page["results"] for page in reversed(back)] == [page["results"] for page in there[:-1]]
    assert there[0]["results"][0].keys() == GOLD.keys()
