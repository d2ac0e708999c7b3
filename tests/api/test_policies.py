"""Policies over REST, by whatever name they have."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from doc_priority import services
from doc_priority.models import Event, Policy
from tests.api.conftest import TERMS, Caller, assert_problem, pages
from tests.databases import everything_stored
from tests.factories import PolicyFactory

pytestmark = pytest.mark.django_db

GOLD: dict[str, Any] = {"name": "gold", **TERMS}
NAMES = [
    *("gold", "Gold", "gold/silver", "/gold", "gold/", "//", "two words", " gold ", "100 %", "%2F"),
    *("Größe „ö“", "a?b#c&d=e;f", "🧾", "ø" * 64, "check", "...", 'it\'s "quoted" \\'),
]


@pytest.fixture
def admin(caller_as: Callable[[str], Caller]) -> Caller:
    return caller_as("policy admin")


def address_of(name: str) -> str:
    return f"policies/{quote(name, safe='')}/"


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


def test_a_policy_is_found_under_its_name(admin: Caller, root: Caller) -> None:
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


def test_names_are_told_apart_byte_by_byte_and_a_slash_needs_no_escape(admin: Caller) -> None:
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

    PolicyFactory(name="gold")
    services.create_customer("acme", policy="gold")
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
