"""Django's system checks of the settings, and of the databases the app writes to.

A new check is a `SystemCheck` with the next free number, here or in the `checks` of the package it
belongs to; a function with `@register(TAG)` that gives its message; and a section in
`docs/reference/checks.md`, which a test compares.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from django.apps import apps
from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Tags, register
from django.db import connections, router
from django.utils.module_loading import import_string

from doc_priority.check_messages import CONNECTIONS_TAG, TAG, SystemCheck
from doc_priority.conf import DEFAULTS
from doc_priority.models import Counter
from doc_priority.querysets import alias_for_write
from doc_priority.types import PolicyTerms
from doc_priority.validation import is_whole, shortened, terms_of

APP = "doc_priority"
CACHALOT_ENGINES = (
    "django.db.backends.",
    "django.contrib.gis.db.backends.",
    "django_prometheus.db.backends.",
    "transaction_hooks.backends.",
)
"""The databases that django-cachalot caches if its settings name none."""
THROTTLE_SCOPES = ("doc_priority_check", "doc_priority_read", "doc_priority_change")
"""The scopes of `api.views`, which cannot be imported without Django REST framework."""
WHOLE_NUMBERS: dict[str, tuple[str, int, int | None]] = {
    "LOCK_TIMEOUT_MS": ("E007", 1, 600_000),
    "DOCUMENT_RETENTION_DAYS": ("E008", 1, None),
    "EVENT_RETENTION_DAYS": ("E009", 1, None),
    "API_MAX_PAGE_SIZE": ("E011", 1, 1000),
    "API_MAX_BULK": ("E012", 1, 10_000),
    "LIVE_REFRESH_SECONDS": ("E013", 1, 3600),
    "PUBLISH_TIMEOUT_MS": ("E017", 100, 60_000),
}
"""The id of the check of each of these settings, and the least and the most that it may be."""


def _of_whole_number(name: str) -> SystemCheck:
    number, least, most = WHOLE_NUMBERS[name]
    wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")
    return SystemCheck(
        number,
        f"DOC_PRIORITY['{name}'] is {{value}}, not {wanted}.",
        f"The default is {DEFAULTS[name]}.",
    )


WITH_DATABASES = "With `migrate` and `check --database default`."

E001 = SystemCheck(
    "E001",
    "DOC_PRIORITY is {value}, not a dict.",
    "Write DOC_PRIORITY = {{}}, or leave it out.",
)
E002 = SystemCheck(
    "E002",
    "DOC_PRIORITY has no key {name}.",
    f"Did you mean {{nearest!r}}? The keys are {', '.join(DEFAULTS)}.",
)
OF_SETTINGS = {
    "RESET_INTERVAL": SystemCheck(
        "E003",
        "DOC_PRIORITY['RESET_INTERVAL']: {problem}",
        f"The default is {DEFAULTS['RESET_INTERVAL']}.",
    ),
    "RECOVERY": SystemCheck(
        "E004",
        "DOC_PRIORITY['RECOVERY']: {problem}",
        f"The default is {DEFAULTS['RECOVERY']!r}.",
    ),
    "THRESHOLDS": SystemCheck(
        "E005",
        "DOC_PRIORITY['THRESHOLDS']: {problem}",
        "Give eight whole numbers, each below the one before. "
        f"The default is {DEFAULTS['THRESHOLDS']}.",
    ),
    "CREATE_CUSTOMERS": SystemCheck(
        "E006",
        "DOC_PRIORITY['CREATE_CUSTOMERS'] is {value}, neither True nor False.",
        "True: a check creates new customers. False: it refuses them.",
    ),
    "API_CUSTOMERS": SystemCheck(
        "E010",
        "DOC_PRIORITY['API_CUSTOMERS'] is {value}: {problem}",
        "Give the dotted path of a function that takes a user and returns a queryset of customers, "
        "such as 'portal.access.customers_of', or None.",
    ),
    **{name: _of_whole_number(name) for name in WHOLE_NUMBERS},
}
"""The check of each setting's value."""
E014 = SystemCheck(
    "E014",
    "DATABASES[{alias!r}] is {name}, which doc_priority does not support.",
    "Route doc_priority to PostgreSQL, MariaDB or SQLite (DATABASE_ROUTERS).",
    WITH_DATABASES,
)
E015 = SystemCheck(
    "E015",
    "REST_FRAMEWORK['DEFAULT_THROTTLE_RATES'] has a rate for {scope}, which is not a scope of "
    "doc_priority; it limits nothing.",
    f"Did you mean {{nearest!r}}? The scopes are {', '.join(THROTTLE_SCOPES)}.",
)
E016 = SystemCheck(
    "E016",
    "REST_FRAMEWORK['DEFAULT_THROTTLE_RATES'][{scope}] is {rate}, not a rate.",
    "Write it as '600/min': a number per s, min, hour or day. None is no limit.",
)
W001 = SystemCheck(
    "W001",
    "DATABASES[{alias!r}] has transaction_mode {mode}: transactions that run at the same time fail "
    "with “database is locked”.",
    "Set 'OPTIONS': {{'transaction_mode': 'IMMEDIATE'}}.",
    WITH_DATABASES,
)
W002 = SystemCheck(
    "W002",
    "DATABASES[{alias!r}] is MySQL, on which doc_priority is untested.",
    "Use MariaDB or PostgreSQL, or run the test suite on this server first.",
    WITH_DATABASES,
)
W003 = SystemCheck(
    "W003",
    "DATABASES[{alias!r}] has sql_mode {modes!r}, which is not strict: the server cuts values that "
    "do not fit, without an error.",
    "Set 'OPTIONS': {{'init_command': \"SET sql_mode = 'STRICT_TRANS_TABLES'\"}}.",
    WITH_DATABASES,
)
W004 = SystemCheck(
    "W004",
    "DATABASES[{alias!r}] has CONN_MAX_AGE 0 and no pool: every request opens a connection, which "
    "takes many times longer than a check.",
    "Under WSGI set 'CONN_MAX_AGE': 60 and 'CONN_HEALTH_CHECKS': True; under ASGI, on PostgreSQL, "
    "set 'OPTIONS': {{'pool': True}}.",
    "With `check --deploy` and `doctor`.",
)
_IS_CACHED = (
    " caches the queries of doc_priority: peek, lists, the admin and REST show old counters and "
    "priorities."
)
W005_CACHALOT = SystemCheck(
    "W005",
    f"django-cachalot{_IS_CACHED}",
    "Add 'doc_priority' to CACHALOT_UNCACHABLE_APPS.",
)
W005_CACHEOPS = SystemCheck(
    "W005",
    f"django-cacheops{_IS_CACHED}",
    "Put 'doc_priority.*': None into CACHEOPS, and no other entry for doc_priority.",
)


@register(TAG)
def check_settings(**kwargs: Any) -> list[CheckMessage]:
    """Every key of DOC_PRIORITY is known and has a value that the app can use."""
    given = getattr(django_settings, "DOC_PRIORITY", {})
    if not isinstance(given, dict):
        return [E001(value=shortened(given))]
    messages = []
    for name in given:
        if name not in DEFAULTS:
            nearest = get_close_matches(str(name).upper(), DEFAULTS, n=1, cutoff=0)[0]
            messages.append(E002(name=shortened(name), nearest=nearest))
    for name, check in OF_SETTINGS.items():
        if name in given:
            try:
                _require_fit(name, given[name])
            except ValueError as problem:
                messages.append(check(value=shortened(given[name]), problem=problem))
    return messages


def _require_fit(name: str, value: Any) -> None:
    """Raise ValueError for a value that this setting cannot have.

    What it says is shown if the check's message has a place for a problem.
    """
    if name in WHOLE_NUMBERS:
        _, least, most = WHOLE_NUMBERS[name]
        if not is_whole(value) or value < least or (most is not None and value > most):
            raise ValueError
    elif name == "CREATE_CUSTOMERS":
        if not isinstance(value, bool):
            raise ValueError
    elif name == "API_CUSTOMERS":
        if value is not None:
            _require_function(value)
    else:
        # One of the three of a policy; the other two are the defaults.
        terms = PolicyTerms(**{name.lower(): value})
        terms_of(terms.reset_interval, terms.recovery, terms.thresholds)


def _require_function(path: Any) -> None:
    if not isinstance(path, str):
        raise ValueError("it is not a dotted path.")
    try:
        function = import_string(path)
    except ImportError as error:
        raise ValueError(f"it cannot be imported: {error}.") from error
    if not callable(function):
        raise ValueError("it cannot be called.")


@register(TAG)
def check_throttle_rates(**kwargs: Any) -> list[CheckMessage]:
    """Throttle rates for scopes that begin with doc_priority are for known scopes, and valid."""
    of_framework = getattr(django_settings, "REST_FRAMEWORK", None)
    rates = of_framework.get("DEFAULT_THROTTLE_RATES") if isinstance(of_framework, dict) else None
    messages = []
    for scope, rate in rates.items() if isinstance(rates, dict) else ():
        if not str(scope).lower().startswith(APP):
            continue
        if scope not in THROTTLE_SCOPES:
            nearest = get_close_matches(str(scope).lower(), THROTTLE_SCOPES, n=1, cutoff=0)[0]
            messages.append(E015(scope=shortened(scope), nearest=nearest))
        # The pattern is what Django REST framework can read; None is no limit.
        if rate is not None and not re.fullmatch(r"[1-9]\d*/[smhd]\w*", str(rate), re.ASCII):
            messages.append(E016(scope=shortened(scope), rate=shortened(rate)))
    return messages


@register(TAG, CONNECTIONS_TAG, deploy=True)
def check_connections(**kwargs: Any) -> list[CheckMessage]:
    """The connection to the database of the counters outlives a request.

    Only for a deployment and in `doctor`: with Django's default every command would warn.
    """
    connection = connections[alias_for_write()]
    given = connection.settings_dict
    kept = given["CONN_MAX_AGE"] != 0 or given["OPTIONS"].get("pool")
    if connection.vendor not in ("postgresql", "mysql") or kept:
        return []
    return [W004(alias=connection.alias)]


@register(TAG)
def check_query_caches(**kwargs: Any) -> list[CheckMessage]:
    """No query cache keeps counters: it does not notice checks, nor that time passes."""
    messages = []
    if apps.is_installed("cachalot") and _is_cached_by_cachalot():
        messages.append(W005_CACHALOT())
    if apps.is_installed("cacheops") and _is_cached_by_cacheops():
        messages.append(W005_CACHEOPS())
    return messages


def _is_cached_by_cachalot() -> bool:
    """Whether django-cachalot caches a table of the app, by its settings and their defaults."""

    def given(name: str, default: Any = ()) -> Any:
        return getattr(django_settings, f"CACHALOT_{name}", default)

    if not given("ENABLED", True) or APP in given("UNCACHABLE_APPS"):
        return False
    databases = given("DATABASES", "supported_only")
    if databases == "supported_only" and not given("USE_UNSUPPORTED_DATABASE", False):
        databases = [
            connection.alias
            for connection in connections.all()
            if connection.settings_dict["ENGINE"].startswith(CACHALOT_ENGINES)
            or connection.settings_dict["ENGINE"] in given("ADDITIONAL_SUPPORTED_DATABASES")
        ]
    used = {router.db_for_read(Counter), alias_for_write()}
    if databases != "supported_only" and used.isdisjoint(databases):
        return False
    tables = {model._meta.db_table for model in apps.get_app_config(APP).get_models()}
    only_tables, only_apps = set(given("ONLY_CACHABLE_TABLES")), given("ONLY_CACHABLE_APPS")
    if APP not in only_apps and (only_tables or only_apps):
        tables &= only_tables
    return not tables <= set(given("UNCACHABLE_TABLES"))


def _is_cached_by_cacheops() -> bool:
    """Whether django-cacheops caches queries of a model without being asked for each query."""
    if not getattr(django_settings, "CACHEOPS_ENABLED", True):
        return False
    defaults = getattr(django_settings, "CACHEOPS_DEFAULTS", {})
    profiles = {
        name.lower(): {"ops": (), **defaults, **profile} if profile is not None else {"ops": ()}
        for name, profile in getattr(django_settings, "CACHEOPS", {}).items()
    }
    for model in apps.get_app_config(APP).get_models():
        # Only the profile that names the model most exactly applies.
        names = (model._meta.label_lower, f"{APP}.*", "*.*")
        found = [profiles[name]["ops"] for name in names if name in profiles]
        if found and found[0]:
            return True
    return False


@register(TAG, Tags.database)
def check_databases(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """The database of the counters is one the app knows, with the options that the app needs."""
    alias = alias_for_write()
    if alias not in (databases or ()):
        return []
    connection: Any = connections[alias]
    messages = []
    if connection.vendor == "sqlite":
        mode = connection.settings_dict["OPTIONS"].get("transaction_mode")
        if str(mode).upper() not in ("IMMEDIATE", "EXCLUSIVE"):
            messages.append(W001(alias=alias, mode=shortened(mode)))
    elif connection.vendor == "mysql":
        if not connection.mysql_is_mariadb:
            messages.append(W002(alias=alias))
        modes = connection.sql_mode
        if not modes & {"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES"}:
            messages.append(W003(alias=alias, modes=",".join(sorted(modes))))
    elif connection.vendor != "postgresql":
        messages.append(E014(alias=alias, name=connection.display_name))
    return messages
