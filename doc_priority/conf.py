"""The settings: one dict, `DOC_PRIORITY`, read whenever a value is used."""

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from doc_priority.exceptions import InvalidPolicy
from doc_priority.types import Conditions, NamedTerms, PolicyTerms
from doc_priority.validation import shortened, terms_of

# The default interval, recovery and thresholds are those of `types.PolicyTerms`.
_TERMS = PolicyTerms()

DEFAULTS: dict[str, Any] = {
    # How many seconds it takes until a counter is back at 0; RECOVERY says since when.
    "RESET_INTERVAL": _TERMS.reset_interval,
    # How a counter gets better with time.
    "RECOVERY": _TERMS.recovery.value,
    # Eight falling numbers of 0 or below: a counter below the first has priority 2, below the
    # last 9.
    "THRESHOLDS": list(_TERMS.thresholds),
    # Whether a check creates a customer that is new.
    "CREATE_CUSTOMERS": True,
    # How many milliseconds a call waits for a counter that others have locked.
    "LOCK_TIMEOUT_MS": 2000,
    # After how many days `doc_priority prune` deletes decisions on documents.
    "DOCUMENT_RETENTION_DAYS": 30,
    # After how many days `doc_priority prune` deletes events.
    "EVENT_RETENTION_DAYS": 730,
    # Dotted path of a function from a user to the customers that user may reach over REST.
    "API_CUSTOMERS": None,
    # The longest page of a list over REST.
    "API_MAX_PAGE_SIZE": 100,
    # The most documents of one bulk check over REST.
    "API_MAX_BULK": 1000,
    # After how many seconds the admin's lists and its overview are refreshed.
    "LIVE_REFRESH_SECONDS": 5,
    # The most milliseconds of each wait for Celery's broker.
    "PUBLISH_TIMEOUT_MS": 3000,
}


class WholeNumber:
    """`settings.api_max_bulk` is DOC_PRIORITY["API_MAX_BULK"], or its default."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = name.upper()

    def __get__(self, settings: "Settings", owner: type) -> int:
        value = settings.values[self.key]
        if not isinstance(value, int):
            raise ImproperlyConfigured(
                f"DOC_PRIORITY[{self.key!r}] is {shortened(value)}, not a whole number; "
                "`manage.py check` says more."
            )
        return value


class Settings:
    """What the portal set, and the default for everything it did not."""

    document_retention_days = WholeNumber()
    event_retention_days = WholeNumber()
    api_max_page_size = WholeNumber()
    api_max_bulk = WholeNumber()
    live_refresh_seconds = WholeNumber()
    publish_timeout_ms = WholeNumber()

    @property
    def values(self) -> dict[str, Any]:
        """Every key with its value or its default; the values are not validated."""
        given = getattr(django_settings, "DOC_PRIORITY", {})
        if not isinstance(given, dict):
            raise ImproperlyConfigured(
                f"DOC_PRIORITY is {shortened(given)}, not a dict; `manage.py check` says more."
            )
        return {**DEFAULTS, **given}

    @property
    def conditions(self) -> Conditions:
        """The settings that a check needs, validated."""
        values = self.values
        try:
            return _conditions(
                values["RESET_INTERVAL"],
                values["RECOVERY"],
                tuple(values["THRESHOLDS"]),
                values["CREATE_CUSTOMERS"],
                values["LOCK_TIMEOUT_MS"],
            )
        except (InvalidPolicy, TypeError, ValueError) as error:
            raise ImproperlyConfigured(
                f"DOC_PRIORITY cannot be used: {error} (`manage.py check` says more.)"
            ) from error

    @property
    def default_policy(self) -> NamedTerms:
        return self.conditions.default

    @property
    def api_customers(self) -> Callable[[Any], Any] | None:
        """The portal's function from a user to the customers that user may reach."""
        path = self.values["API_CUSTOMERS"]
        if path is None:
            return None
        try:
            function: Callable[[Any], Any] = import_string(path)
        except (AttributeError, ImportError, TypeError) as error:
            raise ImproperlyConfigured(
                f"DOC_PRIORITY['API_CUSTOMERS'] is {shortened(path)} and cannot be imported: "
                f"{error}"
            ) from error
        return function


@functools.lru_cache(maxsize=64, typed=True)
def _conditions(
    reset_interval: int,
    recovery: str,
    thresholds: tuple[int, ...],
    create_customers: bool,
    lock_timeout_ms: int,
) -> Conditions:
    """Cached, because validating the terms with every check would slow checks down."""
    terms = terms_of(reset_interval, recovery, thresholds)
    return Conditions(NamedTerms("", terms), bool(create_customers), int(lock_timeout_ms))


settings = Settings()
