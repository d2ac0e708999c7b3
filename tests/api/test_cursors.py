"""A cursor is read if a page gave it out, and leads nowhere otherwise."""

import base64
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from doc_priority.api.live_list import LONGEST_LISTING
from doc_priority.api.pages import LARGEST, LAST_MOMENT, Cursor
from doc_priority.api.problems import InvalidCursor
from doc_priority.api.queries import ORDERED_BY
from doc_priority.selectors import database_now
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds
from tests.api.conftest import Caller
from tests.factories import (
    CounterFactory,
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)
from tests.stored import everything_stored

ORDERINGS = tuple(f"{sign}{name}" for name in ORDERED_BY for sign in ("", "-"))
TEXTS = ("customer", "name")


def forged(*parts: Any) -> str:
    """A cursor with anything in it."""
    return encoded(json.dumps(parts).encode())


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def values_of(ordering: str, value: Any, key: str = "m") -> list[Any]:
    """What a cursor of the live list holds for a row with this value and this key."""
    return [key] if ordering.endswith("customer") else [value, key]


@pytest.mark.parametrize(
    ("cursor", "kinds"),
    [
        (Cursor("customer", ("acme",), backward=False, begun_at=0), [str]),
        (Cursor("-name", ("Żółć \N{BOMB}\"\\/'&=+", "a:b@c"), True, LAST_MOMENT), [str, str]),
        (Cursor("", (LARGEST, -LARGEST), backward=True), [int, int]),
        (Cursor("name", ("\N{BOMB}" * 200, "x" * 64)), [str, str]),
        (Cursor("-updated_at", (-1, ""), begun_at=1), [int, str]),
    ],
)
def test_a_cursor_given_out_is_read_as_it_was(cursor: Cursor, kinds: list[type]) -> None:
    text = str(cursor)

    assert Cursor.read(text, ordering=cursor.ordering, kinds=kinds) == cursor
    assert len(text) <= 2_000
    assert text.isascii()


GARBAGE = {
    "nothing": "",
    "a letter": "x",
    "no base64": "!!!!",
    "standard base64": "+/+/",
    "padding": "W10=",
    "not ASCII": "\N{BOMB}",
    "a NUL": "\0",
    "bytes that are not UTF-8": encoded(b"\xff\xfe\xfd"),
    "no JSON": encoded(b"[1"),
    "a number": encoded(b"1"),
    "null": encoded(b"null"),
    "a text of four letters": encoded(b'"abcd"'),
    "an object of four members": encoded(b'{"a":1,"b":2,"c":3,"d":4}'),
    "no parts": encoded(b"[]"),
    "a long number": encoded(b"[" + b"9" * 5_000 + b",[1],false,0]"),
    "lists 100,000 deep": encoded(b"[" * 100_000),
}


@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_no_cursor(text: str) -> None:
    with pytest.raises(InvalidCursor):
        Cursor.read(text, ordering="name", kinds=[int, str])


FORGED: dict[str, tuple[Any, ...]] = {
    "too few parts": ("name", [1, "a"], False),
    "too many parts": ("name", [1, "a"], False, 0, 0),
    "another ordering": ("-name", [1, "a"], False, 0),
    "no ordering": ("", [1, "a"], False, 0),
    "an ordering that is no text": (["name"], [1, "a"], False, 0),
    "an ordering that is null": (None, [1, "a"], False, 0),
    "no values": ("name", [], False, 0),
    "a value too few": ("name", [1], False, 0),
    "a value too many": ("name", [1, "a", "b"], False, 0),
    "values that are null": ("name", None, False, 0),
    "values that are a number": ("name", 1, False, 0),
    "values that are an object": ("name", {"1": 1, "a": 1}, False, 0),
    "values that are a text": ("name", "1a", False, 0),
    "a text for a number": ("name", ["1", "a"], False, 0),
    "a number for a text": ("name", [1, 1], False, 0),
    "null for a number": ("name", [None, "a"], False, 0),
    "null for a text": ("name", [1, None], False, 0),
    "true for a number": ("name", [True, "a"], False, 0),
    "a point in a number": ("name", [1.0, "a"], False, 0),
    "NaN": ("name", [float("nan"), "a"], False, 0),
    "Infinity": ("name", [float("inf"), "a"], False, 0),
    "a list for a number": ("name", [[1], "a"], False, 0),
    "an object for a text": ("name", [1, {"a": 1}], False, 0),
    "a number of 64 bits": ("name", [2**63, "a"], False, 0),
    "a number below 64 bits": ("name", [-(2**63), "a"], False, 0),
    "a number of 25 digits": ("name", [10**25, "a"], False, 0),
    "a NUL": ("name", [1, "a\0"], False, 0),
    "a lone surrogate": ("name", [1, "a\ud800"], False, 0),
    "a number for a direction": ("name", [1, "a"], 1, 0),
    "null for a direction": ("name", [1, "a"], None, 0),
    "a text for a direction": ("name", [1, "a"], "false", 0),
    "a time before 1970": ("name", [1, "a"], False, -1),
    "a time after 9998": ("name", [1, "a"], False, LAST_MOMENT + 1),
    "a time of 25 digits": ("name", [1, "a"], False, 10**25),
    "a time with a point": ("name", [1, "a"], False, 0.0),
    "a text for a time": ("name", [1, "a"], False, "0"),
    "null for a time": ("name", [1, "a"], False, None),
    "true for a time": ("name", [1, "a"], False, True),
    "NaN for a time": ("name", [1, "a"], False, float("nan")),
}


@pytest.mark.parametrize("parts", FORGED.values(), ids=FORGED.keys())
def test_a_forged_cursor_is_none(parts: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidCursor):
        Cursor.read(forged(*parts), ordering="name", kinds=[int, str])


@pytest.fixture
def acme(db: None) -> None:
    """A customer in every list, under the policy with the most to calculate."""
    policy = PolicyFactory(name="gold", recovery="halving", reset_interval=10)
    customer = CustomerFactory(key="acme", policy=policy)
    CounterFactory(customer=customer, pending_documents=-1_000_000_000)
    DocumentDecisionFactory(customer=customer)
    EventFactory(customer="acme")
    CustomerFactory(key="never-checked", name="")


LISTS = ("customers/", "customers/acme/events/", "customers/acme/documents/", "policies/")


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("address", LISTS)
def test_what_is_no_cursor_is_named_and_asks_no_list(root: Caller, address: str) -> None:
    texts = [text for text in GARBAGE.values() if 0 < len(text) <= 2_000]
    texts += [forged(*parts) for parts in FORGED.values()]
    for text in filter(_is_taken, texts):
        with CaptureQueriesContext(connection) as queries:
            response = root.get(f"{address}?cursor={text}")

        assert response.status_code == 404, text
        problem = response.json()
        assert problem["code"] == "invalid_cursor"
        assert [error["pointer"] for error in problem["errors"]] == ["?cursor"]
        assert "begin again" in problem["detail"]
        assert not any("doc_priority" in query["sql"] for query in queries)


def _is_taken(text: str) -> bool:
    """Made of a cursor's characters; others are refused as wrong parameters."""
    return text.isascii() and text.replace("-", "a").replace("_", "a").isalnum()


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_a_cursor_is_taken_with_its_ordering_only(root: Caller, ordering: str) -> None:
    page = root.get(f"customers/?ordering={ordering}&limit=1").json()
    cursor = parse_qs(urlsplit(page["next"]).query)["cursor"][0]

    for other in ORDERINGS:
        response = root.get(f"customers/?ordering={other}&cursor={cursor}")
        assert response.status_code == (200 if other == ordering else 404), other
    for address in LISTS[1:]:
        assert root.get(f"{address}?cursor={cursor}").status_code == 404


TEXT_VALUES = (
    "",
    "\x01",
    "\x7f",
    "a" * 300,
    "\N{BOMB}",
    "\uffff",
    "\u202e",
    "%_\\'\"",
    "\U0010ffff",
)
NUMBERS = (0, LARGEST, -LARGEST, 2**31, -(2**31) - 1, 2**53 + 1)


@pytest.mark.usefixtures("acme")
def test_a_listing_ends_after_an_hour(root: Caller) -> None:
    now = to_microseconds(database_now())
    for moment in (0, now - LONGEST_LISTING - SECOND, now + 60 * SECOND, LAST_MOMENT):
        response = root.get(f"customers/?cursor={forged('customer', ['a'], False, moment)}")
        assert (response.status_code, response.json()["code"]) == (404, "invalid_cursor")


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_a_well_made_cursor_finds_a_page_wherever_it_points(
    root: Caller, ordering: str, backward: bool
) -> None:
    before = everything_stored()
    now = to_microseconds(database_now())
    is_text = ordering.removeprefix("-") in TEXTS
    for value in TEXT_VALUES if is_text else NUMBERS:
        for moment in (now, now - LONGEST_LISTING + 60 * SECOND):
            key = value if isinstance(value, str) else "m"
            cursor = forged(ordering, values_of(ordering, value, key), backward, moment)
            response = root.get(f"customers/?ordering={ordering}&cursor={cursor}")
            assert response.status_code == 200, (value, moment)
            assert {row["customer"] for row in response.json()["results"]} <= {
                "acme",
                "never-checked",
            }

    assert everything_stored() == before


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("address", LISTS[1:])
def test_a_well_made_cursor_finds_a_page_of_history(
    root: Caller, address: str, backward: bool
) -> None:
    values: Any = [[text] for text in TEXT_VALUES]
    if address.endswith("events/"):
        values = [[one, other] for one in NUMBERS for other in NUMBERS]
    elif address.endswith("documents/"):
        values = [[one, text] for one in NUMBERS for text in TEXT_VALUES]
    for some in values:
        ordering = address.rstrip("/").rpartition("/")[2]
        response = root.get(f"{address}?cursor={forged(ordering, some, backward, 0)}")
        assert response.status_code == 200, some
        assert len(response.json()["results"]) <= 1
