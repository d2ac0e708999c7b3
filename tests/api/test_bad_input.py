"""Bad input to every call is refused with a message that helps, and nothing is done."""

import json
from typing import Any

import pytest

from tests.api.bad_inputs import BODIES, KEYS, NAMES, PARAMETERS, QUERIES, VALUES, BadBody
from tests.api.calls import CALLS, TERMS, WITH_BODY, WITH_KEY, WITH_NAME, Call
from tests.api.conftest import Caller
from tests.api.refusals import Refusals, make_acme

FILTERS = {
    "customers": ("priority", "priority_min", "state", "policy", "search", "ordering"),
    "events": ("kind",),
    "documents": ("document",),
    "policies": (),
}
LISTS = tuple(call for call in CALLS if call.method == "GET" and call.route in FILTERS)


@pytest.fixture(autouse=True)
def acme(db: None) -> None:
    make_acme()


@pytest.fixture
def refusals(root: Caller) -> Refusals:
    return Refusals(root)


def sent(caller: Caller, call: Call, bad: BadBody) -> Any:
    method, address, _ = call.to()
    return caller.request(
        method, address, bad.body, content_type=bad.content_type, headers=bad.headers
    )


@pytest.mark.parametrize("call", WITH_BODY, ids=str)
def test_bad_bodies(refusals: Refusals, call: Call) -> None:
    for name, bad in BODIES.items():
        refusals.expect(name, sent(refusals.caller, call, bad), [bad.status], says=bad.says)

    refusals.check()


@pytest.mark.parametrize("call", WITH_BODY, ids=str)
def test_bad_values(refusals: Refusals, call: Call) -> None:
    for member in call.body:
        for value in VALUES[member]:
            answer = sent(refusals.caller, call, BadBody(with_value(call, member, value), ""))
            refusals.expect(f"{member} {value}", answer, [400], says=member, at="#/" + member)

    refusals.check()


def with_value(call: Call, member: str, value: str) -> bytes:
    text = json.dumps({**call.body_for("acme"), member: "<here>"})
    return text.replace('"<here>"', value).encode()


OPTIONAL = {"name", "policy", "document"}
REQUIRED = {
    ("POST", "customers"): {"customer"},
    ("POST", "reset"): {"reason"},
    ("PUT", "pin"): {"priority", "until", "reason"},
    ("POST", "checks"): {"items"},
    ("POST", "policies"): {"name", "reset_interval", "recovery", "thresholds"},
}


@pytest.mark.parametrize("call", WITH_BODY, ids=str)
def test_missing_values(refusals: Refusals, root: Caller, call: Call) -> None:
    required = REQUIRED.get((call.method, call.route), set())
    for member in required:
        rest = {name: value for name, value in call.body_for("acme").items() if name != member}
        response = root.request(*call.to()[:2], rest)
        refusals.expect(f"without {member}", response, [400], at=f"#/{member}")
    if required:
        refusals.expect("empty", root.request(*call.to()[:2], b""), [400], at="#/")
        refusals.check()


@pytest.mark.parametrize("reason", ['""', '" "', r'"\u00a0\u2003"'])
def test_a_correction_says_why(refusals: Refusals, root: Caller, reason: str) -> None:
    for call in WITH_BODY:
        if "reason" in REQUIRED.get((call.method, call.route), set()):
            bad = BadBody(with_value(call, "reason", reason), "")
            refusals.expect(str(call), sent(root, call, bad), [400], at="#/reason")

    refusals.check()


def test_a_new_policy_has_a_name(refusals: Refusals, root: Caller) -> None:
    answer = root.post("policies/", {**TERMS, "name": ""})

    refusals.expect("no name", answer, [400], at="#/name")
    refusals.check()


def test_a_body_just_over_the_limit(refusals: Refusals, root: Caller) -> None:
    body = b"{}".ljust(64 * 1024 + 1)
    for call in WITH_BODY:
        if call.route != "checks":
            answer = sent(root, call, BadBody(body, ""))
            refusals.expect(str(call), answer, [413], says="65536 bytes")

    refusals.check()


def test_wrong_items_are_told_apart(root: Caller) -> None:
    items = [{"customer": "acme"}, {"customer": "a b"}, {"customer": "acme", "document": 5}]

    problem = root.post("checks/", {"items": items}).json()

    pointers = [error["pointer"] for error in problem["errors"]]
    assert pointers == ["#/items/1/customer", "#/items/2/document"]


def test_of_very_many_errors_some_are_named(root: Caller) -> None:
    problem = root.post("checks/", {"items": [{}] * 1_000}).json()

    assert len(problem["errors"]) == 20
    assert "(1000 errors in all.)" in problem["detail"]


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_parameters_that_no_call_takes(refusals: Refusals, root: Caller, call: Call) -> None:
    method, address, body = call.to(key="acme")
    for query in QUERIES:
        answer = root.request(method, f"{address}?{query}", body)
        refusals.expect(query, answer, [400], at="?")

    refusals.check()


@pytest.mark.parametrize("call", LISTS, ids=str)
def test_bad_parameters(refusals: Refusals, root: Caller, call: Call) -> None:
    for parameter in ("limit", "cursor", *FILTERS[call.route]):
        for value in PARAMETERS[parameter]:
            query = f"{parameter}={value}"
            answer = root.get(f"{call.to()[1]}?{query}")
            refusals.expect(query, answer, [400], says=f"?{parameter}", at=f"?{parameter}")

    refusals.check()


@pytest.mark.parametrize("bytes_", ["%ff", "%ED%A0%80", "%C0%80", "%80a", "a%F0%9F%92"])
def test_parameters_are_utf8(refusals: Refusals, root: Caller, bytes_: str) -> None:
    for query in ("customers/?search", "customers/?policy", "customers/acme/documents/?document"):
        answer = root.get(f"{query}={bytes_}")
        refusals.expect(query, answer, [400], says="not UTF-8", at="?")

    refusals.check()


@pytest.mark.parametrize("accept", ["*/*", "application/json, */*"])
def test_a_format_in_the_address_is_unknown(refusals: Refusals, root: Caller, accept: str) -> None:
    for call in CALLS:
        for value in ("json", "xml", "api", "%00"):
            address = f"{call.to()[1]}?format={value}"
            answer = root.request(call.method, address, call.to()[2], headers={"Accept": accept})
            refusals.expect(address, answer, [400], says="'format' is not known", at="?format")

    refusals.check()


@pytest.mark.parametrize("call", WITH_KEY, ids=str)
def test_bad_keys_in_the_address(refusals: Refusals, root: Caller, call: Call) -> None:
    for key in KEYS:
        answer = root.request(call.method, call.address.replace("{key}", key), call.to()[2])
        refusals.expect(key, answer, [400], at="{key}")

    refusals.check()


@pytest.mark.parametrize("call", WITH_NAME, ids=str)
def test_bad_names_in_the_address(refusals: Refusals, root: Caller, call: Call) -> None:
    for name in NAMES:
        answer = root.request(call.method, call.address.replace("{name}", name), call.to()[2])
        refusals.expect(name, answer, [400], at="{name}")
    for name in ("%ff", "%ED%A0%80", "nope", "..", "a%2Fb", "'%20OR%201=1--", "%3Cb%3E"):
        answer = root.request(call.method, call.address.replace("{name}", name), call.to()[2])
        refusals.expect(name, answer, [404], at="{name}")

    for name in ("%0A", "gold%0A", "%E2%80%A8%0A"):
        answer = root.request(call.method, call.address.replace("{name}", name), call.to()[2])
        refusals.expect(name, answer, [404])

    refusals.check()
