"""What the system checks say about settings, databases and query caches; a test for each id."""

import pytest
from django.apps import AppConfig, apps
from django.core.checks import ERROR, WARNING, CheckMessage, Tags, registry, run_checks
from django.core.management import call_command
from django.db import connection, connections
from django.test.utils import override_settings

import doc_priority
from doc_priority.api import views
from doc_priority.checks import (
    THROTTLE_SCOPES,
    check_connections,
    check_databases,
    check_query_caches,
    check_settings,
    check_throttle_rates,
)
from doc_priority.conf import DEFAULTS

EIGHT = [-2, -4, -6, -8, -10, -12, -14, -20]


def messages(**given: object) -> list[CheckMessage]:
    with override_settings(DOC_PRIORITY=given):
        return check_settings()


def assert_only(found: list[CheckMessage], number: str, msg: str, hint: str) -> None:
    """One message of this id, whose level is that of the id, with these words in it."""
    (message,) = found
    level = {"E": ERROR, "W": WARNING}[number[0]]
    assert (message.id, message.level) == (f"doc_priority.{number}", level), message
    assert msg in message.msg
    assert hint in message.hint


def test_good_settings_pass() -> None:
    assert messages(**DEFAULTS) == []
    assert check_settings() == []
    for name, *values in (
        ("RESET_INTERVAL", 10, 31_536_000),
        ("RECOVERY", "idle", "window", "halving"),
        ("THRESHOLDS", (0, -1, -2, -3, -4, -5, -6, -1_000_000_000)),
        ("LOCK_TIMEOUT_MS", 1, 600_000),
        ("DOCUMENT_RETENTION_DAYS", 1, 10**30),
        ("EVENT_RETENTION_DAYS", 1, 10**30),
        ("API_CUSTOMERS", "builtins.len"),
        ("API_MAX_PAGE_SIZE", 1, 1000),
        ("API_MAX_BULK", 1, 10_000),
        ("LIVE_REFRESH_SECONDS", 1, 3600),
        ("PUBLISH_TIMEOUT_MS", 100, 60_000),
    ):
        for value in values:
            assert messages(**{name: value}) == [], (name, value)


def test_e001_settings_are_a_dict() -> None:
    for given in (None, [], "RESET_INTERVAL", [("RESET_INTERVAL", 10)]):
        with override_settings(DOC_PRIORITY=given):
            assert_only(check_settings(), "E001", repr(given), "DOC_PRIORITY = {}")


def test_e002_an_unknown_key_names_the_nearest() -> None:
    for name, nearest in (
        ("RESET_INTERVALL", "RESET_INTERVAL"),
        ("reset_interval", "RESET_INTERVAL"),
        ("API_PAGE_SIZE", "API_MAX_PAGE_SIZE"),
    ):
        assert_only(messages(**{name: 1}), "E002", repr(name), f"Did you mean {nearest!r}?")
    with override_settings(DOC_PRIORITY={7: 1, "nothing like it": 2}):
        found = check_settings()
    assert [message.id for message in found] == ["doc_priority.E002"] * 2
    assert "has no key 7." in found[0].msg


def test_a_wrong_value_is_named_with_what_may_be_there() -> None:
    no_count = [0, -1, 1.0, "5", None, True, [5]]
    for number, name, wanted, hint, values in (
        (
            "E003",
            "RESET_INTERVAL",
            "10 to 31536000",
            "1500",
            [9, 31_536_001, 10.0, "1500", None, True, 10**30],
        ),
        ("E004", "RECOVERY", "idle, window, halving", "'idle'", ["Idle", "", None, 1, ["idle"]]),
        ("E006", "CREATE_CUSTOMERS", "neither True nor False", "True", [0, 1, "yes", None]),
        ("E007", "LOCK_TIMEOUT_MS", "1 to 600000", "2000", [*no_count, 600_001]),
        ("E008", "DOCUMENT_RETENTION_DAYS", "from 1.", "30", no_count),
        ("E009", "EVENT_RETENTION_DAYS", "from 1.", "730", no_count),
        ("E011", "API_MAX_PAGE_SIZE", "1 to 1000", "100", [*no_count, 1001]),
        ("E012", "API_MAX_BULK", "1 to 10000", "1000", [*no_count, 10_001]),
        ("E013", "LIVE_REFRESH_SECONDS", "1 to 3600", "5", [*no_count, 3601]),
        ("E017", "PUBLISH_TIMEOUT_MS", "100 to 60000", "3000", [*no_count, 99, 60_001, 3e3]),
    ):
        for value in values:
            found = messages(**{name: value})
            assert_only(found, number, repr(value), hint)
            assert found[0].msg.startswith(f"DOC_PRIORITY[{name!r}]")
            assert wanted in found[0].msg


def test_a_long_value_is_cut_at_a_word() -> None:
    for name in ("RESET_INTERVAL", "RECOVERY", "CREATE_CUSTOMERS", "API_MAX_BULK"):
        (message,) = messages(**{name: "word " * 2000})
        assert "word word…'" in message.msg
        assert len(message.msg) < 350


def test_e005_thresholds() -> None:
    for value, said in (
        ([-1, -2, -3], "[-1, -2, -3]"),
        ([*EIGHT, -21], "-21]"),
        ([*EIGHT[:7], -14], "-14 must be below -14"),
        ([-4, -2, *EIGHT[2:]], "-2 must be below -4"),
        ([1, *EIGHT[1:]], "threshold 1 "),
        ([*EIGHT[:7], -1_000_000_001], "-1000000001"),
        ([*EIGHT[:7], -20.5], "-20.5"),
        ([False, *EIGHT[1:]], "False"),
        ("-2,-4,-6,-8,-10,-12,-14,-20", "'-2,-4"),
        (None, "None"),
    ):
        assert_only(messages(THRESHOLDS=value), "E005", said, "eight whole numbers")


def test_e010_api_customers() -> None:
    for value, problem in (
        ("no.such.module", "cannot be imported"),
        ("builtins.nothing", "cannot be imported"),
        ("plain", "cannot be imported"),
        ("", "cannot be imported"),
        ("doc_priority.conf.DEFAULTS", "cannot be called"),
        (len, "not a dotted path"),
    ):
        found = messages(API_CUSTOMERS=value)
        assert_only(found, "E010", problem, "dotted path")
        assert repr(value) in found[0].msg


def throttle_messages(rates: object) -> list[CheckMessage]:
    with override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_RATES": rates}):
        return check_throttle_rates()


def test_e015_a_rate_for_an_unknown_scope() -> None:
    assert THROTTLE_SCOPES == (views.CHECK, views.READ, views.CHANGE)
    for scope, nearest in (
        ("doc_priority_checks", "doc_priority_check"),
        ("doc_priority_reads", "doc_priority_read"),
        ("doc_priority_chnage", "doc_priority_change"),
        ("DOC_PRIORITY_READ", "doc_priority_read"),
        ("doc_priority.check", "doc_priority_check"),
        ("doc_priority", "doc_priority_read"),
    ):
        found = throttle_messages({scope: "10/min", "doc_priority_check": "10/min"})
        assert_only(found, "E015", repr(scope), f"Did you mean {nearest!r}?")


def test_e016_a_rate_that_cannot_be_read() -> None:
    for rate in ("10/fortnight", "10", "ten/min", "0/min", "-1/min", 5, ""):
        found = throttle_messages({"doc_priority_check": rate, "doc_priority_read": None})
        assert_only(found, "E016", repr(rate), "600/min")
    ours = {"doc_priority_check": "1/s", "doc_priority_read": None, "doc_priority_change": "9/m"}
    others = {"anon": "10/min", "user": None, "priority": "1/s", 7: "1/s"}
    for rates in ({}, None, "10/min", ours, others):
        assert throttle_messages(rates) == [], rates
    for given in ({}, None, []):
        with override_settings(REST_FRAMEWORK=given):
            assert check_throttle_rates() == [], given


def cached(monkeypatch: pytest.MonkeyPatch, library: str, **given: object) -> list[CheckMessage]:
    """With a query cache among the installed apps, and its settings."""
    monkeypatch.setitem(apps.app_configs, library, AppConfig(library, doc_priority))
    with override_settings(**given):
        return check_query_caches()


def test_w005_cachalot(monkeypatch: pytest.MonkeyPatch) -> None:
    some = ["doc_priority_event", "auth_user"]
    tables = [model._meta.db_table for model in apps.get_app_config("doc_priority").get_models()]
    for given in (
        {},
        {"UNCACHABLE_APPS": ["auth"], "UNCACHABLE_TABLES": some},
        {"ONLY_CACHABLE_APPS": ["auth", "doc_priority"]},
        {"ONLY_CACHABLE_TABLES": some},
        {"ONLY_CACHABLE_APPS": ["auth"], "ONLY_CACHABLE_TABLES": some},
        {"DATABASES": ["default"]},
    ):
        settings = {f"CACHALOT_{name}": value for name, value in given.items()}
        found = cached(monkeypatch, "cachalot", **settings)
        assert_only(found, "W005", "django-cachalot", "CACHALOT_UNCACHABLE_APPS")
    for left_alone in (
        {"ENABLED": False},
        {"UNCACHABLE_APPS": frozenset(["auth", "doc_priority"])},
        {"UNCACHABLE_APPS": ["doc_priority"], "ONLY_CACHABLE_TABLES": tables},
        {"UNCACHABLE_TABLES": frozenset(tables)},
        {"UNCACHABLE_TABLES": some, "ONLY_CACHABLE_TABLES": some},
        {"ONLY_CACHABLE_APPS": ["auth"]},
        {"DATABASES": {"replica"}},
    ):
        settings = {f"CACHALOT_{name}": value for name, value in left_alone.items()}
        assert cached(monkeypatch, "cachalot", **settings) == [], left_alone

    # It caches databases that it does not know only where it is told to.
    engine = "django_tenants.postgresql_backend"
    monkeypatch.setitem(connections["default"].settings_dict, "ENGINE", engine)
    assert cached(monkeypatch, "cachalot") == []
    assert cached(monkeypatch, "cachalot", CACHALOT_USE_UNSUPPORTED_DATABASE=True) != []
    assert cached(monkeypatch, "cachalot", CACHALOT_ADDITIONAL_SUPPORTED_DATABASES=[engine]) != []
    assert cached(monkeypatch, "cachalot", CACHALOT_DATABASES=["default"]) != []


def test_w005_cacheops(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = {"*.*": {"ops": "all", "timeout": 60}}
    with override_settings(CACHEOPS=everything, CACHALOT_ENABLED=True):
        assert check_query_caches() == []  # Neither is installed.
    for given in (
        {"CACHEOPS": everything},
        {"CACHEOPS": {"*.*": {}}, "CACHEOPS_DEFAULTS": {"ops": {"get"}, "timeout": 60}},
        {"CACHEOPS": {"doc_priority.*": {"ops": "get", "timeout": 60}}},
        {"CACHEOPS": {"doc_priority.*": None, "doc_priority.Counter": {"ops": ["fetch"]}}},
    ):
        found = cached(monkeypatch, "cacheops", **given)
        assert_only(found, "W005", "django-cacheops", "'doc_priority.*': None")
    for left_alone in (
        {},
        {"CACHEOPS": everything, "CACHEOPS_ENABLED": False},
        {"CACHEOPS": {**everything, "doc_priority.*": None}},
        {"CACHEOPS": {"*.*": {"timeout": 60}}},
        {"CACHEOPS": {"*.*": {"ops": (), "timeout": 60}}, "CACHEOPS_DEFAULTS": {"ops": "all"}},
        {"CACHEOPS": {"auth.*": {"ops": "all", "timeout": 60}}},
    ):
        assert cached(monkeypatch, "cacheops", **left_alone) == [], left_alone


def test_the_database_of_the_tests_passes(db: None) -> None:
    assert check_databases(databases=["default"]) == []
    for databases in (None, [], ["another"]):  # It is checked only when asked for.
        assert check_databases(databases=databases) == []
    call_command("check", tags=["doc_priority"], databases=["default"], fail_level="WARNING")


def test_e014_an_unknown_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections["default"], "vendor", "oracle")
    monkeypatch.setattr(connections["default"], "display_name", "Oracle")
    assert_only(
        check_databases(databases=["default"]), "E014", "Oracle", "PostgreSQL, MariaDB or SQLite"
    )


@pytest.mark.sqlite
def test_w001_sqlite_begins_without_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    for mode in (None, "DEFERRED", "deferred"):
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", mode)
        assert_only(check_databases(databases=["default"]), "W001", repr(mode), "IMMEDIATE")
    for mode in ("IMMEDIATE", "immediate", "EXCLUSIVE"):
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", mode)
        assert check_databases(databases=["default"]) == [], mode
    # It may open its file for each request.
    assert connection.settings_dict["CONN_MAX_AGE"] == 0
    assert check_connections() == []


@pytest.mark.mariadb
def test_w002_and_w003_a_server_that_is_mysql_or_not_strict(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    usual = connection.mysql_server_data
    wrapper = connections["default"]
    for changes, said in (
        ({"version": "8.4.3"}, ("W002", "untested", "MariaDB or PostgreSQL")),
        ({"sql_mode": ""}, ("W003", repr(""), "STRICT_TRANS_TABLES")),
        ({"sql_mode": "ANSI_QUOTES"}, ("W003", repr("ANSI_QUOTES"), "STRICT_TRANS_TABLES")),
        ({"sql_mode": "STRICT_ALL_TABLES"}, None),
    ):
        with monkeypatch.context() as patch:
            # Django remembers what it asked the server.
            for name in ("mysql_is_mariadb", "mysql_server_info", "sql_mode"):
                patch.delitem(wrapper.__dict__, name, raising=False)
            patch.setitem(wrapper.__dict__, "mysql_server_data", {**usual, **changes})
            found = check_databases(databases=["default"])
        if said:
            assert_only(found, *said)
        else:
            assert found == []


@pytest.mark.parametrize("vendor", ["postgresql", "mysql"])
def test_w004_a_connection_per_request(monkeypatch: pytest.MonkeyPatch, vendor: str) -> None:
    """Told of a deployment, and without connecting: this test may not use the database."""
    given = {**connection.settings_dict, "CONN_MAX_AGE": 0, "OPTIONS": {}}
    monkeypatch.setattr(connections["default"], "vendor", vendor)
    monkeypatch.setattr(connections["default"], "settings_dict", given)
    said = "DATABASES['default'] has CONN_MAX_AGE 0"
    for databases in (None, ["default"]):
        found = check_connections(databases=databases)
        assert_only(found, "W004", said, "'CONN_MAX_AGE': 60 and 'CONN_HEALTH_CHECKS': True")
        assert "'OPTIONS': {'pool': True}" in found[0].hint
    for pool in (True, {"min_size": 2}):
        given["OPTIONS"] = {"pool": pool}
        assert check_connections() == [], pool
    given["OPTIONS"] = {}
    for seconds in (1, 60, None):
        given["CONN_MAX_AGE"] = seconds
        assert check_connections() == [], seconds


def test_the_checks_are_registered() -> None:
    plain = {check_settings, check_throttle_rates, check_query_caches}
    registered = registry.registry.get_checks()
    assert {*plain, check_databases} <= set(registered)
    assert Tags.database in check_databases.tags
    assert [one for one in plain if Tags.database in one.tags] == []
    # CONN_MAX_AGE 0 is Django's default; other commands than a deployment's need not say so.
    assert check_connections not in registered
    assert check_connections in registry.registry.get_checks(include_deployment_checks=True)
    with override_settings(DOC_PRIORITY={"RECOVERY": "never"}):
        (message,) = run_checks(tags=["doc_priority"])
    assert message.id == "doc_priority.E004"
