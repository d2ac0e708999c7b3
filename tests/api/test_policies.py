"""Policies over REST, by whatever name they have."""

from typing import Any
from urllib.parse import quote

import pytest

from doc_priority import services
from doc_priority.models import Event, Policy
from tests.api.conftest import Api, Caller, UserOf
from tests.api.problems import assert_refused
from tests.factories import PolicyFactory
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db

GOLD: dict[str, Any] = {
    "name": "gold",
    "reset_interval": 600,
    "recovery": "halving",
    "thresholds": [-10, -11, -12, -13, -14, -15, -16, -17],
}
NAMES = [
    "gold",
    "Gold",
    "gold/silver",
    "/gold",
    "gold/",
    "//",
    "two words",
    " gold ",
    "Größe „ö“",
    "100 %",
    "%2F",
    "a?b#c&d=e;f",
    "🧾",
    "ø" * 64,
    "check",
    "...",
    'it\'s "quoted" \\',
]


@pytest.fixture
def admin(api: Api, user_of: UserOf) -> Caller:
    return api(user_of("policy admin"))


def address_of(name: str) -> str:
    return f"policies/{quote(name, safe='')}/"


def the_event(reason: str) -> Event:
    event: Event = Event.objects.get()
    assert (event.customer, event.kind, event.source) == ("", "policy", "api")
    assert (event.actor, event.reason) == ("policy admin", reason)
    return event


def test_a_policy_is_made(admin: Caller) -> None:
    answer = admin.post("policies/", GOLD | {"reason": "Gold contracts"})
    assert (answer.status_code, answer.json()) == (201, GOLD)
    assert answer["Location"] == "http://testserver/api/v1/policies/gold/"
    assert admin.get("policies/gold/").json() == GOLD
    event = the_event("Gold contracts")
    assert event.before == {}
    assert event.after == {"policy": "gold", **{key: GOLD[key] for key in GOLD if key != "name"}}


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_is_found_under_its_name(admin: Caller, root: Caller, name: str) -> None:
    made = admin.post("policies/", GOLD | {"name": name})
    assert (made.status_code, made.json()["name"]) == (201, name)
    address = made["Location"].removeprefix("http://testserver/api/v1/")
    assert address == address_of(name)
    assert admin.get(address).json() == GOLD | {"name": name}
    assert admin.patch(address, {"reset_interval": 10}).json()["reset_interval"] == 10

    customer = {"customer": "acme", "policy": name}
    assert root.post("customers/", customer).json()["policy"] == name
    listed = root.client.get("/api/v1/customers/", {"policy": name}, headers=root.headers)
    assert [row["customer"] for row in listed.json()["results"]] == ["acme"]
    assert_refused(admin.delete(address), 409, "policy_in_use")
    services.forget("acme")
    assert admin.delete(address).status_code == 204
    assert_refused(admin.get(address), 404, "policy_not_found", "{name}")


def test_a_name_with_a_slash_needs_no_escape(admin: Caller) -> None:
    PolicyFactory(name="gold/silver")
    assert admin.get("policies/gold/silver/").json()["name"] == "gold/silver"


def test_names_are_told_apart_byte_by_byte(admin: Caller) -> None:
    PolicyFactory(name="gold")
    for name in ("Gold", "gold ", "göld"):
        assert admin.get(address_of(name)).status_code == 404
        assert admin.post("policies/", GOLD | {"name": name}).status_code == 201


def test_a_policy_that_exists_stays_as_it_is(admin: Caller) -> None:
    PolicyFactory(name="gold")
    before = everything_stored()
    assert_refused(admin.post("policies/", GOLD), 409, "policy_exists")
    assert everything_stored() == before


@pytest.mark.parametrize("member", ["reset_interval", "recovery", "thresholds"])
def test_what_is_left_out_stays(admin: Caller, member: str) -> None:
    before = admin.post("policies/", GOLD).json()
    other = PolicyFactory.build(name="other", reset_interval=900)
    value = {
        "reset_interval": 900,
        "recovery": "window",
        "thresholds": other.thresholds,
    }[member]
    changed = admin.patch("policies/gold/", {member: value, "reason": "Less room"})
    assert changed.status_code == 200
    assert changed.json() == admin.get("policies/gold/").json() == before | {member: value}
    event = Event.objects.first()
    assert (event.reason, event.before[member]) == ("Less room", GOLD[member])
    assert event.after[member] == value


@pytest.mark.parametrize("body", [{}, {"reason": "none"}, {"reset_interval": 600}, b""])
def test_without_a_change_nothing_is_kept(admin: Caller, body: object) -> None:
    PolicyFactory(name="gold", reset_interval=600)
    before = everything_stored()
    assert admin.patch("policies/gold/", body).status_code == 200
    assert everything_stored() == before


def test_everyone_who_has_it_moves_with_it(admin: Caller, root: Caller) -> None:
    PolicyFactory(name="gold")
    services.create_customer("acme", policy="gold")
    services.check_many(["acme"] * 14)
    assert root.get("customers/acme/").json()["priority"] == 7
    admin.patch("policies/gold/", {"thresholds": GOLD["thresholds"]})
    assert root.get("customers/acme/").json()["priority"] == 4


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"thresholds": [-2, -2, -6, -8, -10, -12, -14, -20]}, "#/thresholds"),
        ({"thresholds": [-2]}, "#/thresholds"),
        ({"reset_interval": 9}, "#/reset_interval"),
        ({"recovery": "never"}, "#/recovery"),
        ({"name": "other"}, "#/name"),
    ],
)
def test_a_wrong_change_is_refused(admin: Caller, body: dict[str, Any], pointer: str) -> None:
    PolicyFactory(name="gold")
    before = everything_stored()
    answer = admin.patch("policies/gold/", {"reset_interval": 900, **body})
    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert everything_stored() == before


def test_a_policy_is_deleted(admin: Caller) -> None:
    PolicyFactory(name="gold")
    answer = admin.delete("policies/gold/", {"reason": "No contract has it any more"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert not Policy.objects.exists()
    event = the_event("No contract has it any more")
    assert (event.before["policy"], event.after) == ("gold", {})


def test_a_policy_that_customers_have_stays(admin: Caller) -> None:
    PolicyFactory(name="gold")
    services.create_customer("acme", policy="gold")
    before = everything_stored()
    answer = admin.delete("policies/gold/")
    assert_refused(answer, 409, "policy_in_use")
    assert "is in use; give its customers another one first." in answer.json()["detail"]
    assert everything_stored() == before


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_there_is_no_such_policy(admin: Caller, method: str) -> None:
    answer = admin.request(method, "policies/none/")
    assert_refused(answer, 404, "policy_not_found", "{name}")


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
@pytest.mark.parametrize("name", ["x" * 65, "a\0", "a\u202eb", "\u200b"])
def test_no_policy_can_have_this_name(admin: Caller, method: str, name: str) -> None:
    answer = admin.request(method, address_of(name))
    assert_refused(answer, 400, "invalid_text", "{name}")


def test_policies_come_in_pages_by_name(admin: Caller) -> None:
    for name in reversed(NAMES):
        PolicyFactory(name=name)
    listed, link = [], "policies/?limit=4"
    while link:
        page = admin.get(link.removeprefix("http://testserver/api/v1/")).json()
        listed.append([policy["name"] for policy in page["results"]])
        link = page["next"]
    assert [name for names in listed for name in names] == sorted(NAMES)
    back = admin.get(page["previous"].removeprefix("http://testserver/api/v1/")).json()
    assert [policy["name"] for policy in back["results"]] == listed[-2]
    assert back["results"][0].keys() == GOLD.keys()


def test_without_policies_the_page_is_empty(admin: Caller) -> None:
    assert admin.get("policies/").json() == {"next": None, "previous": None, "results": []}
