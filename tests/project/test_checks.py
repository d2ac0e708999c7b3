"""What the system checks say about the settings; one test per id."""

import re
from collections import Counter as Tally
from pathlib import Path

import pytest
from django.apps import AppConfig, apps
from django.core.checks import ERROR, WARNING, CheckMessage, Tags, registry, run_checks
from django.core.management import call_command
from django.db import connections
from django.test.utils import override_settings

import doc_priority
from doc_priority.api import throttles
from doc_priority.checks import (
    THROTTLE_SCOPES,
    check_databases,
    check_query_caches,
    check_settings,
    check_throttle_rates,
)
from doc_priority.conf import DEFAULTS

PACKAGE = Path(doc_priority.__file__).parent


def messages(**given: object) -> list[CheckMessage]:
    with override_settings(DOC_PRIORITY=given):
        return check_settings()


def only_message(**given: object) -> CheckMessage:
    (message,) = messages(**given)
    assert message.level == ERROR
    return message


def test_the_defaults_pass() -> None:
    assert messages(**DEFAULTS) == []


def test_nothing_set_passes() -> None:
    assert check_settings() == []


@pytest.mark.parametrize("given", [None, [], "RESET_INTERVAL", [("RESET_INTERVAL", 10)]])
def test_e001_settings_are_a_dict(given: object) -> None:
    with override_settings(DOC_PRIORITY=given):
        (message,) = check_settings()
    assert message.id == "doc_priority.E001"
    assert repr(given) in message.msg
    assert "DOC_PRIORITY = {}" in message.hint


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("RESET_INTERVALL", "RESET_INTERVAL"),
        ("reset_interval", "RESET_INTERVAL"),
        ("API_PAGE_SIZE", "API_MAX_PAGE_SIZE"),
    ],
)
def test_e002_an_unknown_key_names_the_nearest(name: str, nearest: str) -> None:
    message = only_message(**{name: 1})
    assert message.id == "doc_priority.E002"
    assert repr(name) in message.msg
    assert f"Did you mean {nearest!r}?" in message.hint


def test_e002_every_unknown_key_has_its_message() -> None:
    with override_settings(DOC_PRIORITY={7: 1, "nothing like it": 2}):
        found = check_settings()
    assert [message.id for message in found] == ["doc_priority.E002"] * 2
    assert "has no key 7." in found[0].msg


@pytest.mark.parametrize("value", [9, 31_536_001, 10.0, "1500", None, True, 10**30])
def test_e003_reset_interval(value: object) -> None:
    message = only_message(RESET_INTERVAL=value)
    assert message.id == "doc_priority.E003"
    assert repr(value) in message.msg
    assert "1500" in message.hint


@pytest.mark.parametrize("value", [10, 31_536_000])
def test_reset_interval_at_its_limits(value: int) -> None:
    assert messages(RESET_INTERVAL=value) == []


@pytest.mark.parametrize("value", ["Idle", "", None, 1, ["idle"]])
def test_e004_recovery(value: object) -> None:
    message = only_message(RECOVERY=value)
    assert message.id == "doc_priority.E004"
    assert repr(value) in message.msg
    assert "'idle', 'window', 'halving'" in message.hint


@pytest.mark.parametrize("value", ["idle", "window", "halving"])
def test_each_recovery_passes(value: str) -> None:
    assert messages(RECOVERY=value) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([-1, -2, -3], "[-1, -2, -3]"),
        ([-1, -2, -3, -4, -5, -6, -7, -8, -9], "-9]"),
        ([-2, -4, -6, -8, -10, -12, -14, -14], "-14 must be below -14"),
        ([-4, -2, -6, -8, -10, -12, -14, -20], "-2 must be below -4"),
        ([1, -4, -6, -8, -10, -12, -14, -20], "threshold 1 "),
        ([-2, -4, -6, -8, -10, -12, -14, -1_000_000_001], "-1000000001"),
        ([-2, -4, -6, -8, -10, -12, -14, -20.5], "-20.5"),
        ([False, -4, -6, -8, -10, -12, -14, -20], "False"),
        ("-2,-4,-6,-8,-10,-12,-14,-20", "'-2,-4"),
        (None, "None"),
    ],
)
def test_e005_thresholds(value: object, found: str) -> None:
    message = only_message(THRESHOLDS=value)
    assert message.id == "doc_priority.E005"
    assert found in message.msg
    assert "eight whole numbers" in message.hint


def test_thresholds_at_their_limits() -> None:
    assert messages(THRESHOLDS=(0, -1, -2, -3, -4, -5, -6, -1_000_000_000)) == []


@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_e006_create_customers(value: object) -> None:
    message = only_message(CREATE_CUSTOMERS=value)
    assert message.id == "doc_priority.E006"
    assert repr(value) in message.msg
    assert "True" in message.hint


WHOLE_NUMBERS = [
    ("E007", "LOCK_TIMEOUT_MS", 600_000),
    ("E008", "DOCUMENT_RETENTION_DAYS", None),
    ("E009", "EVENT_RETENTION_DAYS", None),
    ("E011", "API_MAX_PAGE_SIZE", 1000),
    ("E012", "API_MAX_BULK", 10_000),
    ("E013", "LIVE_REFRESH_SECONDS", 3600),
]


@pytest.mark.parametrize(("number", "name", "most"), WHOLE_NUMBERS)
@pytest.mark.parametrize("value", [0, -1, 1.0, "5", None, True, [5]])
def test_e007_to_e013_take_whole_numbers(
    number: str, name: str, most: int | None, value: object
) -> None:
    message = only_message(**{name: value})
    assert message.id == f"doc_priority.{number}"
    assert f"DOC_PRIORITY[{name!r}] is {value!r}," in message.msg
    assert str(DEFAULTS[name]) in message.hint


@pytest.mark.parametrize(("number", "name", "most"), WHOLE_NUMBERS)
def test_e007_to_e013_have_limits(number: str, name: str, most: int | None) -> None:
    assert messages(**{name: 1}) == []
    if most is None:
        assert messages(**{name: 10**30}) == []
        return
    assert messages(**{name: most}) == []
    message = only_message(**{name: most + 1})
    assert message.id == f"doc_priority.{number}"
    assert str(most) in message.hint


@pytest.mark.parametrize("value", [99, 60_001, 0, -1, 3000.0, "3000", None, True])
def test_e017_publish_timeout(value: object) -> None:
    message = only_message(PUBLISH_TIMEOUT_MS=value)
    assert message.id == "doc_priority.E017"
    assert f"DOC_PRIORITY['PUBLISH_TIMEOUT_MS'] is {value!r}," in message.msg
    assert "from 100 to 60000; 3000 is the default" in message.hint


@pytest.mark.parametrize("value", [100, 60_000])
def test_publish_timeout_at_its_limits(value: int) -> None:
    assert messages(PUBLISH_TIMEOUT_MS=value) == []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("no.such.module", "cannot be imported"),
        ("builtins.nothing", "cannot be imported"),
        ("plain", "cannot be imported"),
        ("", "cannot be imported"),
        ("doc_priority.conf.DEFAULTS", "cannot be called"),
        (len, "not a dotted path"),
    ],
)
def test_e010_api_customers(value: object, problem: str) -> None:
    message = only_message(API_CUSTOMERS=value)
    assert message.id == "doc_priority.E010"
    assert repr(value) in message.msg
    assert problem in message.msg
    assert "dotted path" in message.hint


def test_api_customers_takes_a_function() -> None:
    assert messages(API_CUSTOMERS="builtins.len") == []


def throttle_messages(rates: object) -> list[CheckMessage]:
    with override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_RATES": rates}):
        return check_throttle_rates()


@pytest.mark.parametrize("rate", ["10/fortnight", "10", "ten/min", "0/min", "-1/min", 5, ""])
def test_e016_a_rate_that_cannot_be_read(rate: object) -> None:
    (message,) = throttle_messages({"doc_priority_check": rate, "doc_priority_read": None})
    assert (message.id, message.level) == ("doc_priority.E016", ERROR)
    assert repr(rate) in message.msg
    assert "600/min" in message.hint


@pytest.mark.parametrize(
    ("scope", "nearest"),
    [
        ("doc_priority_checks", "doc_priority_check"),
        ("doc_priority_reads", "doc_priority_read"),
        ("doc_priority_chnage", "doc_priority_change"),
        ("DOC_PRIORITY_READ", "doc_priority_read"),
        ("doc_priority.check", "doc_priority_check"),
        ("doc_priority", "doc_priority_read"),
    ],
)
def test_e015_a_rate_for_an_unknown_scope(scope: str, nearest: str) -> None:
    (message,) = throttle_messages({scope: "10/min", "doc_priority_check": "10/min"})
    assert (message.id, message.level) == ("doc_priority.E015", ERROR)
    assert repr(scope) in message.msg
    assert f"Did you mean {nearest!r}?" in message.hint


@pytest.mark.parametrize(
    "rates",
    [
        {},
        None,
        "10/min",
        {"anon": "10/min", "user": None, "priority": "1/s", 7: "1/s"},
        {"doc_priority_check": "1/s", "doc_priority_read": None, "doc_priority_change": "9/m"},
    ],
)
def test_other_rates_are_the_portals_own(rates: object) -> None:
    assert throttle_messages(rates) == []


@pytest.mark.parametrize("given", [{}, None, []])
def test_there_may_be_no_rates(given: object) -> None:
    with override_settings(REST_FRAMEWORK=given):
        assert check_throttle_rates() == []


def cached(monkeypatch: pytest.MonkeyPatch, library: str, **given: object) -> list[CheckMessage]:
    """With a query cache among the installed apps, and its settings."""
    monkeypatch.setitem(apps.app_configs, library, AppConfig(library, doc_priority))
    with override_settings(**given):
        return check_query_caches()


SOME = ["doc_priority_event", "auth_user"]
ALL = [model._meta.db_table for model in apps.get_app_config("doc_priority").get_models()]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"CACHALOT_UNCACHABLE_APPS": ["auth"], "CACHALOT_UNCACHABLE_TABLES": SOME},
        {"CACHALOT_ONLY_CACHABLE_APPS": ["auth", "doc_priority"]},
        {"CACHALOT_ONLY_CACHABLE_TABLES": SOME},
        {"CACHALOT_ONLY_CACHABLE_APPS": ["auth"], "CACHALOT_ONLY_CACHABLE_TABLES": SOME},
        {"CACHALOT_DATABASES": ["default"]},
    ],
)
def test_w005_cachalot(monkeypatch: pytest.MonkeyPatch, given: dict[str, object]) -> None:
    (message,) = cached(monkeypatch, "cachalot", **given)
    assert (message.id, message.level) == ("doc_priority.W005", WARNING)
    assert "django-cachalot" in message.msg
    assert "CACHALOT_UNCACHABLE_APPS" in message.hint


@pytest.mark.parametrize(
    "given",
    [
        {"CACHALOT_ENABLED": False},
        {"CACHALOT_UNCACHABLE_APPS": frozenset(["auth", "doc_priority"])},
        {"CACHALOT_UNCACHABLE_APPS": ["doc_priority"], "CACHALOT_ONLY_CACHABLE_TABLES": ALL},
        {"CACHALOT_UNCACHABLE_TABLES": frozenset(ALL)},
        {"CACHALOT_UNCACHABLE_TABLES": SOME, "CACHALOT_ONLY_CACHABLE_TABLES": SOME},
        {"CACHALOT_ONLY_CACHABLE_APPS": ["auth"]},
        {"CACHALOT_DATABASES": {"replica"}},
    ],
)
def test_cachalot_that_leaves_the_app_alone(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, object]
) -> None:
    assert cached(monkeypatch, "cachalot", **given) == []


def test_cachalot_leaves_databases_alone_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = "django_tenants.postgresql_backend"
    monkeypatch.setitem(connections["default"].settings_dict, "ENGINE", engine)
    assert cached(monkeypatch, "cachalot") == []
    assert cached(monkeypatch, "cachalot", CACHALOT_USE_UNSUPPORTED_DATABASE=True) != []
    assert cached(monkeypatch, "cachalot", CACHALOT_ADDITIONAL_SUPPORTED_DATABASES=[engine]) != []
    assert cached(monkeypatch, "cachalot", CACHALOT_DATABASES=["default"]) != []


@pytest.mark.parametrize(
    "given",
    [
        {"CACHEOPS": {"*.*": {"ops": "all", "timeout": 60}}},
        {"CACHEOPS": {"*.*": {}}, "CACHEOPS_DEFAULTS": {"ops": {"get"}, "timeout": 60}},
        {"CACHEOPS": {"doc_priority.*": {"ops": "get", "timeout": 60}}},
        {"CACHEOPS": {"doc_priority.*": None, "doc_priority.Counter": {"ops": ["fetch"]}}},
    ],
)
def test_w005_cacheops(monkeypatch: pytest.MonkeyPatch, given: dict[str, object]) -> None:
    (message,) = cached(monkeypatch, "cacheops", **given)
    assert (message.id, message.level) == ("doc_priority.W005", WARNING)
    assert "django-cacheops" in message.msg
    assert "'doc_priority.*': None" in message.hint


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"CACHEOPS": {"*.*": {"ops": "all", "timeout": 60}}, "CACHEOPS_ENABLED": False},
        {"CACHEOPS": {"*.*": {"ops": "all", "timeout": 60}, "doc_priority.*": None}},
        {"CACHEOPS": {"*.*": {"timeout": 60}}},
        {"CACHEOPS": {"*.*": {"ops": (), "timeout": 60}}, "CACHEOPS_DEFAULTS": {"ops": "all"}},
        {"CACHEOPS": {"auth.*": {"ops": "all", "timeout": 60}}},
    ],
)
def test_cacheops_that_leaves_the_app_alone(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, object]
) -> None:
    assert cached(monkeypatch, "cacheops", **given) == []


def test_without_a_query_cache_its_settings_say_nothing() -> None:
    with override_settings(CACHEOPS={"*.*": {"ops": "all", "timeout": 60}}, CACHALOT_ENABLED=True):
        assert check_query_caches() == []


def test_the_api_has_the_scopes_that_e015_knows() -> None:
    assert THROTTLE_SCOPES == (throttles.CHECK, throttles.READ, throttles.CHANGE)


def test_a_long_value_is_cut() -> None:
    assert len(only_message(CREATE_CUSTOMERS="x" * 10_000).msg) < 300


def test_the_checks_are_registered() -> None:
    registered = registry.registry.get_checks()
    plain = {check_settings, check_throttle_rates, check_query_caches}
    assert {*plain, check_databases} <= set(registered)
    assert Tags.database in check_databases.tags
    assert [one for one in plain if Tags.database in one.tags] == []


def test_manage_py_check_finds_them() -> None:
    with override_settings(DOC_PRIORITY={"RECOVERY": "never"}):
        assert [message.id for message in run_checks(tags=["doc_priority"])] == [
            "doc_priority.E004"
        ]


def test_manage_py_check_is_silent_when_all_is_well(db: None) -> None:
    call_command("check", tags=["doc_priority"], databases=["default"], fail_level="WARNING")


def test_no_id_is_used_twice() -> None:
    pattern = re.compile(r'"((?:doc_priority\.)?[EW]\d{3})"')
    ids = Tally(
        found.removeprefix("doc_priority.")
        for path in PACKAGE.rglob("*.py")
        for found in pattern.findall(path.read_text(encoding="utf-8"))
    )
    assert ids
    assert [found for found, count in ids.items() if count > 1] == []
