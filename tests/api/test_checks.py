"""Documents counted over REST: one, many, and one that a retrying client sends again."""

from datetime import timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.api.serializers import DecisionAnswer, decision_json
from doc_priority.models import Counter, Customer, Policy
from doc_priority.testing import FrozenTime
from doc_priority.types import Decision
from tests.api.conftest import MORNING, Caller, assert_problem
from tests.databases import everything_stored

pytestmark = pytest.mark.django_db


def check(root: Caller, key: str = "acme", **body: str) -> dict[str, Any]:
    answer = root.post(f"customers/{key}/check/", body)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/json"
    decision: dict[str, Any] = answer.json()
    return decision


def bulk(root: Caller, items: list[dict[str, str]]) -> list[dict[str, Any]]:
    answer = root.post("checks/", {"items": items})
    assert answer.status_code == 200, answer.content
    assert answer.json().keys() == {"decisions"}
    decisions: list[dict[str, Any]] = answer.json()["decisions"]
    return decisions


def test_a_decision_looks_like_this(root: Caller, clock: FrozenTime) -> None:
    first = check(root, document="INV-2041")
    Policy.objects.create(name="gold", reset_interval=600)
    services.set_policy("acme", policy="gold")
    clock.tick(601)
    services.pin("acme", priority=4, until=clock.now + timedelta(hours=1))
    second = check(root)

    assert first == {
        "customer": "acme",
        "document": "INV-2041",
        "pending_documents": 0,
        "priority": 1,
        "pinned": False,
        "reset": False,
        "repeated": False,
        "decided_at": "2030-01-31T09:41:00.123456Z",
        "resets_at": "2030-01-31T10:06:00.123456Z",
        "policy": "",
    }
    assert second == first | {
        "document": "",
        "priority": 4,
        "pinned": True,
        "reset": True,
        "decided_at": "2030-01-31T09:51:01.123456Z",
        "resets_at": "2030-01-31T10:01:01.123456Z",
        "policy": "gold",
    }


def test_a_document_without_a_name_counts_at_every_call_and_one_with_any_name_once(
    root: Caller,
) -> None:
    bodies = ({}, b"", b" {} ", {})
    answers = [root.post("customers/acme/check/", body).json() for body in bodies]

    assert [one["pending_documents"] for one in answers] == [0, -1, -2, -3]
    assert check(root, "Acme", document="1")["pending_documents"] == 0
    assert not check(root, "acme", document="1")["repeated"]

    names = ("ä", "INV 2041/2", "İ", "🧾" * 200, " ", "INV-2041 ", "{}", "a\u202eb")
    for number, document in enumerate(names):
        key = f"customer-{number}"
        assert check(root, key, document=document)["document"] == document
        assert check(root, key, document=document)["repeated"], document
        assert not check(root, key, document=document[:-1] + "x")["repeated"], document


def test_a_repeated_document_counts_once_and_is_answered_the_same_whatever_happened(
    root: Caller, clock: FrozenTime
) -> None:
    services.check_many(["acme"] * 14)
    first = check(root, document="INV-2041")
    assert (first["priority"], first["repeated"]) == (7, False)
    after = everything_stored()
    for seconds in (0, 60, 6000):
        clock.tick(seconds)
        assert check(root, document="INV-2041") == first | {"repeated": True}
    assert everything_stored() == after

    Policy.objects.create(name="gold")
    check(root, document="INV-2042")
    services.set_policy("acme", policy="gold")
    services.reset("acme")
    services.pin("acme", priority=9, until=clock.now + timedelta(hours=1))
    assert check(root, document="INV-2041") == first | {"repeated": True}


def test_many_are_answered_in_their_order_and_repeats_among_them_count_once(
    root: Caller, clock: FrozenTime
) -> None:
    decisions = bulk(
        root,
        [
            {"customer": "zeta"},
            {"customer": "acme", "document": "1"},
            {"customer": "zeta", "document": "1"},
            {"customer": "acme"},
            {"customer": "zeta"},
        ],
    )

    assert [(one["customer"], one["document"], one["pending_documents"]) for one in decisions] == [
        ("zeta", "", 0),
        ("acme", "1", 0),
        ("zeta", "1", -1),
        ("acme", "", -1),
        ("zeta", "", -2),
    ]

    Customer.objects.all().delete()
    first = check(root, document="1")
    items = [{"customer": "acme", "document": document} for document in ("1", "2", "2", "1")]
    decisions = bulk(root, items)
    again = bulk(root, [{"customer": "acme", "document": "2"}])

    assert [one["repeated"] for one in decisions] == [True, False, True, True]
    assert decisions[0] == decisions[3] == first | {"repeated": True}
    assert decisions[2] == decisions[1] | {"repeated": True}
    assert again == [decisions[2]]
    assert Counter.objects.get().pending_documents == -1


def test_one_call_takes_as_many_as_the_portal_allows_with_the_longest_names(
    root: Caller, settings: Any
) -> None:
    settings.DOC_PRIORITY = {"API_MAX_BULK": 3}

    assert len(bulk(root, [{"customer": "acme"}] * 3)) == 3
    answer = root.post("checks/", {"items": [{"customer": "acme"}] * 4})

    assert "1 to 3" in assert_problem(answer, 400, "invalid", at=["#/items"])["detail"]
    assert Counter.objects.get().pending_documents == -2

    settings.DOC_PRIORITY = {}
    Customer.objects.all().delete()
    # In JSON, each character of theirs that lies outside the first plane becomes twelve.
    items = [
        {"customer": "k" * 64, "document": f"{number:03}" + "🧾" * 197} for number in range(1000)
    ]

    decisions = bulk(root, items)

    assert [one["document"] for one in decisions] == [item["document"] for item in items]
    assert Counter.objects.get().pending_documents == -999
    assert Customer.objects.count() == 1


def test_a_check_answers_what_the_serializer_says() -> None:
    """A check builds its answer without one, which is faster."""
    for resets_at in (None, MORNING):
        decision = Decision("acme", "d", -3, 2, False, True, False, MORNING, resets_at, "gold")
        assert list(decision_json(decision).items()) == list(DecisionAnswer(decision).data.items())
