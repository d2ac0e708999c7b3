"""Invalid values: the error names the value and the remedy, and nothing is written."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from doc_priority import exceptions, services
from doc_priority.conf import DEFAULTS
from doc_priority.conf import settings as app_settings
from doc_priority.models import Customer
from tests.databases import everything_stored

pytestmark = pytest.mark.django_db

LATER = datetime.now(UTC) + timedelta(days=1)
EIGHT = [-1, -2, -3, -4, -5, -6, -7, -8]
TERMS: dict[str, Any] = {"reset_interval": 1500, "recovery": "idle", "thresholds": EIGHT}


def refuse(
    error: type[exceptions.DocPriorityError], call: Callable[..., object], *given: Any
) -> str:
    """The message of the call's error."""
    with pytest.raises(exceptions.DocPriorityError) as raised:
        call(*given)
    assert type(raised.value) is error
    assert raised.value.code != exceptions.DocPriorityError.code
    message = str(raised.value)
    message.encode()
    assert 20 < len(message) < 500
    return message


@pytest.fixture(autouse=True)
def stored() -> Iterator[None]:
    """A customer with data, which no refused call may change."""
    services.create_policy("named", **{**TERMS, "reset_interval": 10})
    services.check("acme", document="D")
    before = everything_stored()
    yield
    assert everything_stored() == before


def test_keys_that_are_none_and_customers_that_do_not_exist(settings) -> None:
    of_one_customer: dict[str, Callable[[Any], object]] = {
        "create_customer": services.create_customer,
        "keep_customer": lambda key: services.keep_customer(key, name="Acme"),
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
        "rename_customer": lambda key: services.rename_customer(key, name="Acme"),
        "change_customer": lambda key: services.change_customer(key, name="Acme"),
    }
    of_many: Any = (["acme"], {"acme"}, {"key": "acme"})
    for key in (
        *("", " ", "k" * 65, "a b", " acme", "acme ", "a\x00b", "\x00", "acme\n", "\nacme", "a\tb"),
        *("müller", "\uff41cme", "acme\u200b", "\u202eacme", "\ud800", "acme\udfff", "१२", "🙂"),
        *(".", "..", "a/b", "a\\b", "a,b", "a;b", "a|b", "a'b", 'a"b', "a%b", "a*b", "a+b"),
        *("<b>", "{acme}", None, 5, 0, -1, 1.5, True, False, b"acme", object, *of_many),
    ):
        for name, call in of_one_customer.items():
            if name == "forget" and key in (".", ".."):  # of a customer that version 0.1.0 made
                refuse(exceptions.CustomerNotFound, call, key)
            elif not (name.startswith("check_many") and key in of_many):
                message = refuse(exceptions.InvalidKey, call, key)
                assert repr(key)[:60] in message, name
                assert "use 1 to 64 of the characters A-Z a-z 0-9 . _ ~ : @ -" in message, name

    for create in (False, True):
        settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": create}
        for name, call in of_one_customer.items():
            makes = name in ("create_customer", "keep_customer") or (create and "check" in name)
            if not makes:
                message = refuse(exceptions.CustomerNotFound, call, "nobody")
                assert "'nobody'" in message, name
                assert "first" in message, name


def test_ten_that_do_not_exist_are_named() -> None:
    for missing, told in [
        (2, "'nobody-00', 'nobody-01'; create them first."),
        (10, "'nobody-08', 'nobody-09'; create them first."),
        (11, "'nobody-08', 'nobody-09' and 1 more; create them first."),
        (12, "'nobody-08', 'nobody-09' and 2 more; create them first."),
    ]:
        keys = ["acme", *(f"nobody-{number:02}" for number in range(missing))]
        message = refuse(exceptions.CustomerNotFound, services.reset_many, keys)
        assert message.startswith("There are no customers with the keys 'nobody-00', 'nobody-01'")
        assert message.endswith(told)


def test_documents_and_moments() -> None:
    for document in ("a\x00b", "d" * 201, "a\nb", "\x7f", "\ud800", None, 5, True, b"D"):
        for call in (
            lambda document: services.check("acme", document=document),
            lambda document: services.check("new", document=document),
            lambda document: services.check_many(["new", ("acme", document)]),
        ):
            message = refuse(exceptions.InvalidDocument, call, document)
            assert repr(document)[:60] in message
            assert "200 characters" in message or "leave out" in message

    for at in (
        *(datetime(2026, 1, 1), "2026-01-01T00:00:00Z", 1_800_000_000, False),  # noqa: DTZ001
        *(datetime(1969, 12, 31, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)),
    ):
        for call in (
            lambda at: services.check("acme", at=at),
            lambda at: services.check("new", document="D", at=at),
            lambda at: services.check_many(["acme", "new"], at=at),
            lambda at: services.peek("acme", at=at),
            lambda at: services.reset("acme", at=at),
            lambda at: services.pin("acme", priority=2, until=at),
        ):
            assert repr(at) in refuse(exceptions.InvalidTime, call, at)


def test_items() -> None:
    for error, items, named in [
        (exceptions.InvalidInput, "acme", "'acme' is text"),
        (exceptions.InvalidInput, None, "not a list of items"),
        (exceptions.InvalidInput, 5, "not a list of items"),
        (exceptions.InvalidInput, [("acme",)], "('acme',)"),
        (exceptions.InvalidInput, [("acme", "D", "E")], "('acme', 'D', 'E')"),
        (exceptions.InvalidInput, ["acme", ()], "()"),
        (exceptions.InvalidInput, [{"customer": "acme"}], "dict"),
        (exceptions.InvalidInput, ["acme", {"acme", "D"}], "set"),
        (exceptions.InvalidInput, [("acme", ["D"])], "list"),
        (exceptions.InvalidInput, [(["acme"], "D")], "list"),
        (exceptions.InvalidKey, ["acme", None], "None"),
        (exceptions.InvalidKey, ["acme", 5], "5"),
        (exceptions.InvalidKey, [b"acme"], "b'acme'"),
        (exceptions.InvalidKey, [("a b", "D")], "'a b'"),
        (exceptions.TooManyItems, ["acme"] * 200_000, "200000 items"),
        (exceptions.TooManyItems, ["acme"] * 100_001, "100001 items"),
        # Endless: it is read no further than needed.
        (exceptions.TooManyItems, itertools.repeat("acme"), "100001 or more items"),
    ]:
        assert named in refuse(error, services.check_many, items)
    for keys, named in [("acme", "'acme' is text"), (None, "list of keys"), (5, "list of keys")]:
        assert named in refuse(exceptions.InvalidInput, services.reset_many, keys)


def test_texts_kept_in_events_and_names_of_customers() -> None:
    for field, value in [
        ("actor", "a" * 255),
        ("actor", "a\u202eb"),
        ("reason", "r" * 501),
        ("reason", "a\x00b"),
        ("reason", "line\r\nforged"),
        ("reason", "\u202ebackwards"),
        ("reason", "\ud800"),
        ("reason", None),
        ("source", "s" * 65),
        ("source", "\ud800"),
        ("source", None),
    ]:
        for call in (services.reset, services.unpin, services.forget):
            message = refuse(exceptions.InvalidText, partial(call, "acme", **{field: value}))
            assert message.startswith(field)

    for name in ("n" * 201, "a\x00b", "\u202ebackwards", 5):
        for call in (
            lambda name: services.create_customer("new", name=name),
            lambda name: services.rename_customer("acme", name=name),
            lambda name: services.keep_customer("acme", name=name),
            lambda name: services.keep_customer("new", name=name),
            lambda name: services.change_customer("acme", name=name),
        ):
            message = refuse(exceptions.InvalidText, call, name)
            assert message.startswith("name ")


def test_terms_of_policies() -> None:
    intervals: list[Any] = [0, 9, -1500, 31_536_001, 1500.0, "1500", True, 10**30]
    no_thresholds: list[Any] = [1, -1.0, -1.5, "-1", None, False]
    bad: list[tuple[str, list[Any], str]] = [
        ("reset_interval", intervals, "from 10 to 31536000"),
        ("recovery", ["", "IDLE", "never", 5], "idle, window, halving"),
        ("thresholds", [EIGHT[:7], [*EIGHT, -9], [], sorted(EIGHT)], "threshold"),
        ("thresholds", [[-1, *EIGHT[:7]], [*EIGHT[:7], -1_000_000_001]], "threshold"),
        ("thresholds", [[wrong, *EIGHT[1:]] for wrong in no_thresholds], "threshold"),
    ]
    for field, values, remedy in bad:
        for value in values:
            given = {field: value}
            for call in (
                partial(services.create_policy, "new", **{**TERMS, **given}),
                partial(services.change_policy, "named", **given),
            ):
                message = refuse(exceptions.InvalidPolicy, call)
                assert remedy in message, given
                assert field == "thresholds" or f"{field} {value!r}" in message


def test_names_of_policies() -> None:
    calls: dict[str, Callable[[Any], object]] = {
        "create_policy": lambda name: services.create_policy(name, **TERMS),
        "change_policy": lambda name: services.change_policy(name, reset_interval=1500),
        "delete_policy": services.delete_policy,
        "set_policy": lambda name: services.set_policy("acme", policy=name),
        "create_customer": lambda name: services.create_customer("new", policy=name),
        "change_customer": lambda name: services.change_customer("acme", policy=name),
    }
    for way, call in calls.items():
        for name in (5, "n" * 65, "a\x00b", "a\nb", "\u202egold", "\ud800"):
            message = refuse(exceptions.InvalidText, call, name)
            assert message.startswith("name " if way == "create_policy" else "policy ")
            assert repr(name) in message
        for name in ("", "nothing", "Named", "named "):
            if way != "create_policy" and (name or way != "change_customer"):
                assert repr(name) in refuse(exceptions.PolicyNotFound, call, name)
    for name in (".", ".."):
        message = refuse(exceptions.InvalidPolicy, calls["create_policy"], name)
        assert f"name {name!r}" in message
        assert "use another name" in message
    assert "A policy needs a name" in refuse(exceptions.InvalidPolicy, calls["create_policy"], "")


def test_pins() -> None:
    def pin(priority: Any, until: Any) -> None:
        services.pin("acme", priority=priority, until=until)

    for priority in (0, 10, -1, True, 1.0, "1", None):
        message = refuse(exceptions.InvalidPin, pin, priority, LATER)
        assert f"priority {priority!r}" in message
        assert "from 1 to 9" in message
    for ago in (timedelta(seconds=1), timedelta(days=365)):
        until = datetime.now(UTC) - ago
        message = refuse(exceptions.InvalidPin, pin, 2, until)
        assert f"{until} has passed; pin until a later time" in message
    with pytest.raises(TypeError, match="until"):
        services.pin("acme", priority=2)


def test_settings_that_cannot_be_used_are_named_with_the_way_to_learn_more(settings) -> None:
    for given, named in [
        (None, "None, not a dict"),
        (["RESET_INTERVAL"], "not a dict"),
        ({"RESET_INTERVAL": 0}, "reset_interval 0"),
        ({"RESET_INTERVAL": 1500.0}, "reset_interval 1500.0"),
        ({"RESET_INTERVAL": []}, "unhashable"),
        ({"RECOVERY": "never"}, "recovery 'never'"),
        ({"THRESHOLDS": None}, "not iterable"),
        ({"THRESHOLDS": [-1, -2]}, "eight"),
        ({"LOCK_TIMEOUT_MS": "soon"}, "'soon'"),
    ]:
        settings.DOC_PRIORITY = given
        with pytest.raises(ImproperlyConfigured, match=named) as raised:
            services.check("new")
        assert "manage.py check" in str(raised.value)
    assert not Customer.objects.filter(key="new").exists()

    for name in ("API_MAX_PAGE_SIZE", "API_MAX_BULK", "EVENT_RETENTION_DAYS"):
        settings.DOC_PRIORITY = {name: None}
        with pytest.raises(ImproperlyConfigured, match=rf"DOC_PRIORITY\['{name}'\] is None"):
            getattr(app_settings, name.lower())
    for path in ("portal.nowhere.customers_of", "builtins.nothing", 5):
        settings.DOC_PRIORITY = {"API_CUSTOMERS": path}
        with pytest.raises(ImproperlyConfigured, match=r"DOC_PRIORITY\['API_CUSTOMERS'\] is"):
            _ = app_settings.api_customers


def test_every_key_has_a_default_and_is_read_when_used(settings) -> None:
    assert app_settings.document_retention_days == DEFAULTS["DOCUMENT_RETENTION_DAYS"]
    settings.DOC_PRIORITY = {"DOCUMENT_RETENTION_DAYS": 3}
    assert app_settings.document_retention_days == 3
    settings.DOC_PRIORITY["DOCUMENT_RETENTION_DAYS"] = 4
    assert app_settings.document_retention_days == 4
