"""Bad input to every call is refused with a message that helps, and nothing is done."""

import pytest
from rest_framework.exceptions import ValidationError

from doc_priority.api.bodies import BulkBody
from tests.api.attempts import KINDS, REQUIRED, Kind, with_value
from tests.api.calls import CALLS, TERMS, WITH_BODY, Call
from tests.api.conftest import Caller
from tests.api.refusals import Refusals, make_acme


@pytest.fixture(autouse=True)
def acme(db: None) -> None:
    make_acme()


@pytest.fixture
def refusals(root: Caller) -> Refusals:
    return Refusals(root)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        pytest.param(kind, call, id=f"{kind.__name__} {call}")
        for kind in KINDS
        for call in CALLS
        if any(kind(call))
    ],
)
def test_what_no_call_takes(refusals: Refusals, kind: Kind, call: Call) -> None:
    for attempt in kind(call):
        refusals.attempt(attempt)

    refusals.check()


@pytest.mark.parametrize("reason", ['""', '" "', r'"\u00a0\u2003"'])
def test_a_correction_says_why(refusals: Refusals, root: Caller, reason: str) -> None:
    for call in WITH_BODY:
        if "reason" in REQUIRED.get((call.method, call.route), ()):
            answer = root.request(*call.to()[:2], with_value(call, "reason", reason))
            refusals.expect(str(call), answer, [400], at="#/reason")

    refusals.check()


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_new_policy_has_a_name_with_an_address(
    refusals: Refusals, root: Caller, name: str
) -> None:
    answer = root.post("policies/", {**TERMS, "name": name})

    refusals.expect(name, answer, [400], at="#/name")
    refusals.check()


def test_a_body_just_over_the_limit(refusals: Refusals, root: Caller) -> None:
    body = b"{}".ljust(64 * 1024 + 1)
    for call in WITH_BODY:
        if call.route != "checks":
            answer = root.request(*call.to()[:2], body)
            refusals.expect(str(call), answer, [413], says="65536 bytes")

    refusals.check()


def test_wrong_items_are_told_apart(root: Caller) -> None:
    items = [{"customer": "acme"}, {"customer": "a b"}, {"customer": "acme", "document": 5}]

    problem = root.post("checks/", {"items": items}).json()

    pointers = [error["pointer"] for error in problem["errors"]]
    assert pointers == ["#/items/1/customer", "#/items/2/document"]


TOO_MANY = {
    "items": {"items": [{}] * 1_000},
    "names": {f"n{number}": 1 for number in range(150_000)},
    "names of one item": {"items": [{f"n{number}": 1 for number in range(150_000)}]},
}


@pytest.mark.parametrize("body", TOO_MANY.values(), ids=TOO_MANY)
def test_of_very_many_errors_some_are_named(root: Caller, body: object) -> None:
    problem = root.post("checks/", body).json()

    assert len(problem["errors"]) == 20
    assert problem["detail"].endswith("(These are the first 20 errors; there are more.)")


def test_a_few_errors_are_counted(root: Caller) -> None:
    problem = root.post("checks/", {"items": [{}] * 20}).json()

    assert len(problem["errors"]) == 20
    assert problem["detail"].endswith("(20 errors in all.)")


def test_errors_are_not_collected_beyond_those_that_are_named() -> None:
    with pytest.raises(ValidationError) as raised:
        BulkBody.read(TOO_MANY["names"])
    assert len(raised.value.detail) < 30

    with pytest.raises(ValidationError) as raised:
        BulkBody.read(TOO_MANY["items"])
    assert len(raised.value.detail["items"]) < 30


@pytest.mark.timeout(30)
def test_a_name_twice_is_found_in_one_pass(root: Caller) -> None:
    """To compare every name with every other would take a quarter of an hour."""
    names = [b'"n%06d":1' % number for number in range(200_000)]

    problem = root.post("checks/", b"{" + b",".join([*names, names[-1]]) + b"}").json()

    assert "'n199999' stands twice" in problem["detail"]


def test_a_refusal_is_short_whatever_it_refuses(refusals: Refusals, root: Caller) -> None:
    for member in ("reset_interval", "recovery", "thresholds", "name"):
        for value in ("x" * 50_000, [*range(-1, -8, -1), "x" * 50_000]):
            answer = root.post("policies/", {"name": "new", **TERMS, member: value})
            refusals.expect(member, answer, [400], at=f"#/{member}")

    refusals.check()
