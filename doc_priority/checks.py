"""Django's system checks of the settings, and of the databases the app writes to.

All of them carry the tag `doc_priority`, so `manage.py check --tag doc_priority` runs them alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from django.apps import apps
from django.conf import settings as django_settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.utils.module_loading import import_string

from doc_priority.conf import DEFAULTS, settings
from doc_priority.exceptions import InvalidPolicy
from doc_priority.models import Counter
from doc_priority.shortening import shortened
from doc_priority.types import PolicyTerms, Recovery
from doc_priority.validation import terms_of

TAG = "doc_priority"
CONNECTIONS_TAG = "doc_priority_connections"
"""By which the doctor asks for a check that otherwise waits for a deployment."""

MAX_LOCK_TIMEOUT_MS = 600_000
MAX_PAGE_SIZE = 1000
MAX_BULK = 10_000
MAX_REFRESH_SECONDS = 3600
MIN_PUBLISH_TIMEOUT_MS, MAX_PUBLISH_TIMEOUT_MS = 100, 60_000
SERVERS = ("postgresql", "mysql")
VENDORS = (*SERVERS, "sqlite")
CACHALOT_ENGINES = (
    "django.db.backends.",
    "django.contrib.gis.db.backends.",
    "django_prometheus.db.backends.",
    "transaction_hooks.backends.",
)
"""Of the databases that django-cachalot caches unless it is told which."""
THROTTLE_SCOPES = ("doc_priority_check", "doc_priority_read", "doc_priority_change")
"""As the API calls them, which needs Django REST framework and so is not asked."""

Check = Callable[[Any], Iterator[CheckMessage]]


@register(TAG)
def check_settings(**kwargs: Any) -> list[CheckMessage]:
    """Every key of DOC_PRIORITY is known and has a value that the app can use."""
    given = settings.raw
    if not isinstance(given, dict):
        return [
            _error(
                "E001",
                f"DOC_PRIORITY is {shortened(given)}, not a dict.",
                "Write DOC_PRIORITY = {} in the settings, or leave it out; "
                "every key has a default.",
            )
        ]
    messages = list(_check_names(given))
    for name, check in _CHECKS.items():
        if name in given:
            messages.extend(check(given[name]))
    return messages


@register(TAG)
def check_throttle_rates(**kwargs: Any) -> list[CheckMessage]:
    """Every rate that is meant for this app's API is one that it looks for."""
    rates = _of_dict(getattr(django_settings, "REST_FRAMEWORK", None)).get("DEFAULT_THROTTLE_RATES")
    ours = {
        scope: rate for scope, rate in _of_dict(rates).items() if str(scope).lower().startswith(TAG)
    }
    return [
        *(_unknown_scope(scope) for scope in ours if scope not in THROTTLE_SCOPES),
        *(_no_rate(scope, rate) for scope, rate in ours.items() if not _is_rate(rate)),
    ]


@register(TAG, CONNECTIONS_TAG, deploy=True)
def check_connections(**kwargs: Any) -> list[CheckMessage]:
    """The server that counters are written to is not connected to anew for each request.

    Only for a deployment and in `doctor`: 0 is Django's default, and every command would say so.
    """
    connection = connections[router.db_for_write(Counter)]
    given = connection.settings_dict
    kept = given["CONN_MAX_AGE"] != 0 or given["OPTIONS"].get("pool")
    if connection.vendor not in SERVERS or kept:
        return []
    return [
        _warning(
            "W004",
            f"DATABASES[{connection.alias!r}] has CONN_MAX_AGE 0 and no pool: every request opens "
            "a connection, which takes many times longer than a check.",
            "Under WSGI set 'CONN_MAX_AGE': 60 and 'CONN_HEALTH_CHECKS': True; under ASGI, "
            "on PostgreSQL, set 'OPTIONS': {'pool': True}.",
        )
    ]


@register(TAG)
def check_query_caches(**kwargs: Any) -> list[CheckMessage]:
    """No query cache keeps what the counters were: it does not see who counts, nor time passing."""
    messages = []
    if apps.is_installed("cachalot") and _is_cached_by_cachalot():
        messages.append(
            _cached(
                "django-cachalot",
                "Set CACHALOT_UNCACHABLE_APPS = ['doc_priority'], beside the apps that are in it.",
            )
        )
    if apps.is_installed("cacheops") and _is_cached_by_cacheops():
        messages.append(
            _cached(
                "django-cacheops",
                "Put 'doc_priority.*': None into CACHEOPS, and nothing else of doc_priority.",
            )
        )
    return messages


@register(TAG, Tags.database)
def check_databases(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """The database that counters are written to keeps the promises the app relies on."""
    alias = router.db_for_write(Counter)
    if alias not in (databases or ()):
        return []
    return list(_check_database(connections[alias]))


def _cached(library: str, hint: str) -> CheckMessage:
    return _warning(
        "W005",
        f"{library} caches the queries of doc_priority: peek, the lists, the admin and REST show "
        "counters and priorities as they were.",
        hint,
    )


def _is_cached_by_cachalot() -> bool:
    """Whether it caches any table of the app, by its settings and their defaults."""

    def given(name: str, default: Any = ()) -> Any:
        return getattr(django_settings, f"CACHALOT_{name}", default)

    if not given("ENABLED", True) or TAG in given("UNCACHABLE_APPS"):
        return False
    databases = given("DATABASES", "supported_only")
    if databases == "supported_only" and not given("USE_UNSUPPORTED_DATABASE", False):
        databases = [
            connection.alias
            for connection in connections.all()
            if connection.settings_dict["ENGINE"].startswith(CACHALOT_ENGINES)
            or connection.settings_dict["ENGINE"] in given("ADDITIONAL_SUPPORTED_DATABASES")
        ]
    used = {router.db_for_read(Counter), router.db_for_write(Counter)}
    if databases != "supported_only" and used.isdisjoint(databases):
        return False
    tables = {model._meta.db_table for model in _models()}
    only_tables, only_apps = set(given("ONLY_CACHABLE_TABLES")), given("ONLY_CACHABLE_APPS")
    if TAG not in only_apps and (only_tables or only_apps):
        tables &= only_tables
    return not tables <= set(given("UNCACHABLE_TABLES"))


def _is_cached_by_cacheops() -> bool:
    """Whether it caches a query of any model without being asked to."""
    if not getattr(django_settings, "CACHEOPS_ENABLED", True):
        return False
    defaults = getattr(django_settings, "CACHEOPS_DEFAULTS", {})
    profiles = {
        name.lower(): {"ops": (), **defaults, **profile} if profile is not None else {"ops": ()}
        for name, profile in getattr(django_settings, "CACHEOPS", {}).items()
    }
    for model in _models():
        # The most particular one holds alone.
        names = (model._meta.label_lower, f"{TAG}.*", "*.*")
        found = [profiles[name]["ops"] for name in names if name in profiles]
        if found and found[0]:
            return True
    return False


def _models() -> Iterable[type[Model]]:
    return apps.get_app_config(TAG).get_models()


def _error(number: str, message: str, hint: str) -> CheckMessage:
    return checks.Error(message, hint=hint, id=f"doc_priority.{number}")


def _warning(number: str, message: str, hint: str) -> CheckMessage:
    return checks.Warning(message, hint=hint, id=f"doc_priority.{number}")


def _of_dict(value: Any) -> dict[Any, Any]:
    """A dict; nothing in place of what is none."""
    return value if isinstance(value, dict) else {}


def _is_rate(rate: object) -> bool:
    """What Django REST framework can read as a rate; None is no limit."""
    return rate is None or re.fullmatch(r"[1-9]\d*/[smhd]\w*", str(rate), re.ASCII) is not None


def _no_rate(scope: object, rate: object) -> CheckMessage:
    return _error(
        "E016",
        f"REST_FRAMEWORK['DEFAULT_THROTTLE_RATES'][{shortened(scope)}] is "
        f"{shortened(rate)}, not a rate.",
        "Write it as '600/min': a number, and s, min, hour or day; None is no limit.",
    )


def _unknown_scope(scope: object) -> CheckMessage:
    nearest = get_close_matches(str(scope).lower(), THROTTLE_SCOPES, n=1, cutoff=0)[0]
    return _error(
        "E015",
        f"REST_FRAMEWORK['DEFAULT_THROTTLE_RATES'] has a rate for {shortened(scope)}, a scope that "
        "doc_priority does not have; it limits nothing.",
        f"Did you mean {nearest!r}? The scopes are {', '.join(THROTTLE_SCOPES)}.",
    )


def _check_names(given: dict[Any, Any]) -> Iterator[CheckMessage]:
    for name in given:
        if name not in DEFAULTS:
            nearest = get_close_matches(str(name).upper(), DEFAULTS, n=1, cutoff=0)[0]
            yield _error(
                "E002",
                f"DOC_PRIORITY has no key {shortened(name)}.",
                f"Did you mean {nearest!r}? The keys are {', '.join(DEFAULTS)}.",
            )


def _require_terms(terms: PolicyTerms) -> None:
    """Refuse what the app would not accept as a policy."""
    terms_of(terms.reset_interval, terms.recovery, terms.thresholds)


def _check_reset_interval(value: Any) -> Iterator[CheckMessage]:
    try:
        _require_terms(PolicyTerms(reset_interval=value))
    except InvalidPolicy as error:
        yield _error(
            "E003",
            f"DOC_PRIORITY['RESET_INTERVAL']: {error}",
            "Give the interval as a whole number of seconds; 1500 is the default.",
        )


def _check_recovery(value: Any) -> Iterator[CheckMessage]:
    try:
        _require_terms(PolicyTerms(recovery=value))
    except InvalidPolicy as error:
        yield _error(
            "E004",
            f"DOC_PRIORITY['RECOVERY']: {error}",
            f"Choose one of {', '.join(map(repr, map(str, Recovery)))}; 'idle' is the default.",
        )


def _check_thresholds(value: Any) -> Iterator[CheckMessage]:
    try:
        _require_terms(PolicyTerms(thresholds=value))
    except InvalidPolicy as error:
        yield _error(
            "E005",
            f"DOC_PRIORITY['THRESHOLDS']: {error}",
            "Give a list of eight whole numbers, each below the one before; "
            f"{DEFAULTS['THRESHOLDS']} is the default.",
        )


def _check_create_customers(value: Any) -> Iterator[CheckMessage]:
    if not isinstance(value, bool):
        yield _error(
            "E006",
            f"DOC_PRIORITY['CREATE_CUSTOMERS'] is {shortened(value)}, neither True nor False.",
            "True: a check makes a customer that is new; False: it refuses.",
        )


def _whole(number: str, name: str, *, least: int = 1, most: int | None = None) -> Check:
    """A check of one key that takes a whole number within limits."""
    wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")

    def check(value: Any) -> Iterator[CheckMessage]:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or value < least or (most is not None and value > most):
            yield _error(
                number,
                f"DOC_PRIORITY[{name!r}] is {shortened(value)}, not {wanted}.",
                f"Give {wanted}; {DEFAULTS[name]} is the default.",
            )

    return check


def _check_api_customers(value: Any) -> Iterator[CheckMessage]:
    if value is None:
        return
    problem = _problem_with_function(value)
    if problem:
        yield _error(
            "E010",
            f"DOC_PRIORITY['API_CUSTOMERS'] is {shortened(value)}: {problem}",
            "Give the dotted path of a function that takes a user and returns the queryset of "
            "customers that user may reach, such as 'portal.access.customers_of'; or None.",
        )


def _problem_with_function(path: Any) -> str:
    if not isinstance(path, str):
        return "this is not a dotted path."
    try:
        function = import_string(path)
    except ImportError as error:
        return f"it cannot be imported: {error}."
    return "" if callable(function) else "this cannot be called."


_CHECKS: dict[str, Check] = {
    "RESET_INTERVAL": _check_reset_interval,
    "RECOVERY": _check_recovery,
    "THRESHOLDS": _check_thresholds,
    "CREATE_CUSTOMERS": _check_create_customers,
    "LOCK_TIMEOUT_MS": _whole("E007", "LOCK_TIMEOUT_MS", most=MAX_LOCK_TIMEOUT_MS),
    "DOCUMENT_RETENTION_DAYS": _whole("E008", "DOCUMENT_RETENTION_DAYS"),
    "EVENT_RETENTION_DAYS": _whole("E009", "EVENT_RETENTION_DAYS"),
    "API_CUSTOMERS": _check_api_customers,
    "API_MAX_PAGE_SIZE": _whole("E011", "API_MAX_PAGE_SIZE", most=MAX_PAGE_SIZE),
    "API_MAX_BULK": _whole("E012", "API_MAX_BULK", most=MAX_BULK),
    "LIVE_REFRESH_SECONDS": _whole("E013", "LIVE_REFRESH_SECONDS", most=MAX_REFRESH_SECONDS),
    "PUBLISH_TIMEOUT_MS": _whole(
        "E017", "PUBLISH_TIMEOUT_MS", least=MIN_PUBLISH_TIMEOUT_MS, most=MAX_PUBLISH_TIMEOUT_MS
    ),
}


def _check_database(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    if connection.vendor not in VENDORS:
        yield _error(
            "E014",
            f"DATABASES[{connection.alias!r}] is {connection.display_name}, "
            "for which doc_priority has no check.",
            "Route doc_priority to PostgreSQL, MariaDB or SQLite (DATABASE_ROUTERS).",
        )
    elif connection.vendor == "sqlite":
        yield from _check_sqlite(connection)
    elif connection.vendor == "mysql":
        yield from _check_mysql(connection)


def _check_sqlite(connection: BaseDatabaseWrapper) -> Iterator[CheckMessage]:
    mode = connection.settings_dict["OPTIONS"].get("transaction_mode")
    if str(mode).upper() not in ("IMMEDIATE", "EXCLUSIVE"):
        yield _warning(
            "W001",
            f"DATABASES[{connection.alias!r}] begins its transactions with transaction_mode "
            f"{shortened(mode)}; two at once fail with “database is locked”.",
            "Set 'OPTIONS': {'transaction_mode': 'IMMEDIATE'}.",
        )


def _check_mysql(connection: Any) -> Iterator[CheckMessage]:
    if not connection.mysql_is_mariadb:
        yield _warning(
            "W002",
            f"DATABASES[{connection.alias!r}] is MySQL itself, on which doc_priority is untested.",
            "Use MariaDB or PostgreSQL, or run the test suite on this server first.",
        )
    modes = connection.sql_mode
    if not modes & {"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES"}:
        yield _warning(
            "W003",
            f"DATABASES[{connection.alias!r}] has sql_mode {','.join(sorted(modes))!r}, which is "
            "not strict; the server cuts values that do not fit without a word.",
            "Set 'OPTIONS': {'init_command': \"SET sql_mode = 'STRICT_TRANS_TABLES'\"}.",
        )
