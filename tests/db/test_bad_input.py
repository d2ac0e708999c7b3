"""What is not accepted is named with its value and the remedy, and nothing is written."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from doc_priority import services
from doc_priority.exceptions import (
    CustomerNotFound,
    DocPriorityError,
    InvalidDocument,
    InvalidInput,
    InvalidKey,
    InvalidText,
    InvalidTime,
    TooManyItems,
)
from tests.refusals import refuse

pytestmark = pytest.mark.django_db

LATER = datetime.now(UTC) + timedelta(days=1)
NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001
EIGHT = [-1, -2, -3, -4, -5, -6, -7, -8]

BAD_KEYS = [
    *["", " ", "k" * 65, "a b", " acme", "acme ", "a\x00b", "\x00", "acme\n", "\nacme", "a\tb"],
    *["müller", "\uff41cme", "acme\u200b", "\u202eacme", "\ud800", "acme\udfff", "१२", "🙂"],
    *[
        ".",
        "..",
        "a/b",
        "a\\b",
        "a,b",
        "a;b",
        "a|b",
        "a'b",
        'a"b',
        "a%b",
        "a*b",
        "a+b",
        "<b>",
        "{acme}",
    ],
    *[None, 5, 0, -1, 1.5, True, False, b"acme", ["acme"], {"acme"}, {"key": "acme"}, object],
]
BAD_DOCUMENTS = ["a\x00b", "d" * 201, "a\nb", "\x7f", "\ud800", None, 5, True, b"D"]
BAD_TIMES = [
    *[NAIVE, None, "2026-01-01T00:00:00Z", 1_800_000_000, datetime(1969, 12, 31, tzinfo=UTC)],
    datetime(9999, 12, 31, tzinfo=UTC),
]

OF_ONE_CUSTOMER: dict[str, Callable[[Any], object]] = {
    "check": services.check,
    "check with a document": lambda key: services.check(key, document="D"),
    "check_many": lambda key: services.check_many(["other", key]),
    "check_many with documents": lambda key: services.check_many([("other", "D"), (key, "D")]),
    "peek": services.peek,
    "reset": services.reset,
    "reset_many": lambda key: services.reset_many(["acme", key]),
    "pin": lambda key: services.pin(key, priority=2, until=LATER),
    "unpin": services.unpin,
    "forget": services.forget,
    "set_policy": lambda key: services.set_policy(key, policy="named"),
    "create_customer": services.create_customer,
    "rename_customer": lambda key: services.rename_customer(key, name="Acme"),
    "keep_customer": lambda key: services.keep_customer(key, name="Acme"),
    "change_customer": lambda key: services.change_customer(key, name="Acme"),
}
MAKING_THE_CUSTOMER = ("create_customer", "keep_customer")
NEEDING_THE_CUSTOMER = [name for name in OF_ONE_CUSTOMER if name not in MAKING_THE_CUSTOMER]


@pytest.fixture(autouse=True)
def something_stored() -> None:
    services.create_policy("named", reset_interval=10, recovery="idle", thresholds=EIGHT)
    services.check("acme", document="D")


@pytest.mark.parametrize("name", OF_ONE_CUSTOMER)
def test_keys(name: str) -> None:
    for key in BAD_KEYS:
        if name.startswith("check_many") and isinstance(key, (list, set, dict)):
            continue
        if name == "forget" and key in (".", ".."):  # of a customer that version 0.1.0 made
            continue
        message = refuse(InvalidKey, lambda key=key: OF_ONE_CUSTOMER[name](key))
        assert repr(key)[:60] in message
        assert "use 1 to 64 of the characters A-Z a-z 0-9 . _ ~ : @ -" in message


@pytest.mark.parametrize("name", NEEDING_THE_CUSTOMER)
def test_customers_that_do_not_exist(name: str, settings) -> None:
    settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": False}
    message = refuse(CustomerNotFound, lambda: OF_ONE_CUSTOMER[name]("nobody"))
    assert "'nobody'" in message
    assert "first" in message


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        (2, "'nobody-00', 'nobody-01'; create them first."),
        (10, "'nobody-08', 'nobody-09'; create them first."),
        (11, "'nobody-08', 'nobody-09' and 1 more; create them first."),
        (12, "'nobody-08', 'nobody-09' and 2 more; create them first."),
    ],
)
def test_ten_that_do_not_exist_are_named(missing: int, told: str) -> None:
    keys = [f"nobody-{number:02}" for number in range(missing)]
    message = refuse(CustomerNotFound, lambda: services.reset_many(["acme", *keys]))
    assert message.startswith("There are no customers with the keys 'nobody-00', 'nobody-01'")
    assert message.endswith(told)


@pytest.mark.parametrize("name", [name for name in NEEDING_THE_CUSTOMER if "check" not in name])
def test_only_checks_make_customers(name: str) -> None:
    assert "'nobody'" in refuse(CustomerNotFound, lambda: OF_ONE_CUSTOMER[name]("nobody"))


@pytest.mark.parametrize("document", BAD_DOCUMENTS, ids=repr)
def test_documents(document: Any) -> None:
    for call in (
        lambda: services.check("acme", document=document),
        lambda: services.check("new", document=document),
        lambda: services.check_many(["new", ("acme", document)]),
    ):
        message = refuse(InvalidDocument, call)
        assert repr(document)[:60] in message
        assert "200 characters" in message or "leave out" in message


ITEMS: list[tuple[type[DocPriorityError], Any, str]] = [
    (InvalidInput, "acme", "'acme' is text"),
    (InvalidInput, [("acme",)], "('acme',)"),
    (InvalidInput, [("acme", "D", "E")], "('acme', 'D', 'E')"),
    (InvalidInput, ["acme", ()], "()"),
    (InvalidInput, [{"customer": "acme"}], "dict"),
    (InvalidInput, ["acme", {"acme", "D"}], "set"),
    (InvalidInput, [("acme", ["D"])], "list"),
    (InvalidInput, [(["acme"], "D")], "list"),
    (InvalidKey, ["acme", None], "None"),
    (InvalidKey, ["acme", 5], "5"),
    (InvalidKey, [b"acme"], "b'acme'"),
    (InvalidKey, [("a b", "D")], "'a b'"),
    (TooManyItems, ["acme"] * 200_000, "200000 items"),
    (TooManyItems, ["acme"] * 100_001, "100001 items"),
]


@pytest.mark.parametrize(("error", "items", "named"), ITEMS, ids=lambda value: "")
def test_items(error: type[DocPriorityError], items: Any, named: str) -> None:
    assert named in refuse(error, lambda: services.check_many(items))


def test_a_text_is_no_list_of_customers() -> None:
    assert "'acme' is text" in refuse(InvalidInput, lambda: services.reset_many("acme"))


@pytest.mark.parametrize("at", [moment for moment in BAD_TIMES if moment is not None], ids=str)
def test_moments(at: Any) -> None:
    for call in (
        lambda: services.check("acme", at=at),
        lambda: services.check("new", document="D", at=at),
        lambda: services.check_many(["acme", "new"], at=at),
        lambda: services.peek("acme", at=at),
        lambda: services.reset("acme", at=at),
    ):
        assert repr(at) in refuse(InvalidTime, call)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("actor", "a" * 255),
        ("reason", "r" * 501),
        ("reason", "a\x00b"),
        ("reason", "line\r\nforged"),
        ("reason", "\u202ebackwards"),
        ("reason", "\ud800"),
        ("reason", None),
        ("source", "s" * 65),
        ("source", None),
    ],
)
def test_texts_kept_in_events(field: str, value: Any) -> None:
    for call in (services.reset, services.unpin, services.forget):
        message = refuse(InvalidText, lambda call=call: call("acme", **{field: value}))
        assert message.startswith(field)


@pytest.mark.parametrize("name", ["n" * 201, "a\x00b", "\u202ebackwards", 5])
@pytest.mark.parametrize(
    "call",
    [
        lambda name: services.create_customer("new", name=name),
        lambda name: services.rename_customer("acme", name=name),
        lambda name: services.keep_customer("acme", name=name),
        lambda name: services.keep_customer("new", name=name),
        lambda name: services.change_customer("acme", name=name),
    ],
)
def test_names_of_customers(call: Callable[[Any], object], name: Any) -> None:
    assert refuse(InvalidText, lambda: call(name)).startswith("name ")


def test_an_endless_list_is_read_no_further_than_needed() -> None:
    message = refuse(TooManyItems, lambda: services.check_many(itertools.repeat("acme")))
    assert "100001 or more items" in message


@pytest.mark.parametrize("call", [services.check_many, services.reset_many])
@pytest.mark.parametrize("nothing", [None, 5])
def test_no_list_at_all(call: Callable[..., object], nothing: object) -> None:
    of = "items" if call is services.check_many else "keys"
    message = refuse(InvalidInput, lambda: call(nothing))
    assert f"not a list of {of}" in message
