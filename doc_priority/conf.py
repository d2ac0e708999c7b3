"""The settings: one dict, `DOC_PRIORITY`, read whenever a value is used."""

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from doc_priority.exceptions import InvalidPolicy
from doc_priority.shortening import shortened
from doc_priority.types import Conditions, NamedTerms
from doc_priority.validation import terms_of

DEFAULTS: dict[str, Any] = {
    "RESET_INTERVAL": 1500,
    "RECOVERY": "idle",
    "THRESHOLDS": [-2, -4, -6, -8, -10, -12, -14, -20],
    "CREATE_CUSTOMERS": True,
    "LOCK_TIMEOUT_MS": 2000,
    "DOCUMENT_RETENTION_DAYS": 30,
    "EVENT_RETENTION_DAYS": 730,
    "API_CUSTOMERS": None,
    "API_MAX_PAGE_SIZE": 100,
    "API_MAX_BULK": 1000,
    "LIVE_REFRESH_SECONDS": 5,
    "PUBLISH_TIMEOUT_MS": 3000,
}
"""What each key means.

RESET_INTERVAL: how long it takes until a counter is back at 0; RECOVERY says since when.
RECOVERY: how a counter gets better with time.
THRESHOLDS: where the priorities begin, 0 or below: under the first is 2, under the last 9.
CREATE_CUSTOMERS: whether a check makes a customer that is new.
LOCK_TIMEOUT_MS: how many milliseconds a call waits for a counter that others have locked.
DOCUMENT_RETENTION_DAYS: after how many days `doc_priority prune` deletes decisions on documents.
EVENT_RETENTION_DAYS: after how many days `doc_priority prune` deletes events.
API_CUSTOMERS: dotted path of a function from a user to the customers that user may reach over REST.
API_MAX_PAGE_SIZE: the longest page of a list over REST.
API_MAX_BULK: the most documents of one bulk check over REST.
LIVE_REFRESH_SECONDS: after how many seconds the admin's lists and its dashboard are refreshed.
PUBLISH_TIMEOUT_MS: the most milliseconds it takes to send a document to a broker that hangs.
"""

_NOTHING: dict[str, Any] = {}


class Settings:
    """What the portal set, and the default for everything it did not."""

    @property
    def raw(self) -> Any:
        """DOC_PRIORITY as it stands in the settings, whatever it is."""
        return getattr(django_settings, "DOC_PRIORITY", _NOTHING)

    @property
    def given(self) -> dict[str, Any]:
        given = self.raw
        if not isinstance(given, dict):
            raise ImproperlyConfigured(
                f"DOC_PRIORITY is {shortened(given)}, not a dict; `manage.py check` says more."
            )
        return given

    def value(self, name: str) -> Any:
        return self.given.get(name, DEFAULTS[name])

    def whole(self, name: str) -> int:
        """A value that counts something."""
        value = self.value(name)
        if not isinstance(value, int):
            raise ImproperlyConfigured(
                f"DOC_PRIORITY[{name!r}] is {shortened(value)}, not a whole number; "
                "`manage.py check` says more."
            )
        return value

    @property
    def conditions(self) -> Conditions:
        """What a check needs, read in one go."""
        given = self.given
        if not given:
            return _DEFAULT_CONDITIONS
        get = given.get
        try:
            return _conditions(
                get("RESET_INTERVAL", DEFAULTS["RESET_INTERVAL"]),
                get("RECOVERY", DEFAULTS["RECOVERY"]),
                tuple(get("THRESHOLDS", DEFAULTS["THRESHOLDS"])),
                get("CREATE_CUSTOMERS", DEFAULTS["CREATE_CUSTOMERS"]),
                get("LOCK_TIMEOUT_MS", DEFAULTS["LOCK_TIMEOUT_MS"]),
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
        path = self.value("API_CUSTOMERS")
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

    @property
    def api_max_page_size(self) -> int:
        return self.whole("API_MAX_PAGE_SIZE")

    @property
    def api_max_bulk(self) -> int:
        return self.whole("API_MAX_BULK")

    @property
    def live_refresh_seconds(self) -> int:
        return self.whole("LIVE_REFRESH_SECONDS")

    @property
    def publish_timeout_ms(self) -> int:
        """How long handing a document to a queue may take."""
        return self.whole("PUBLISH_TIMEOUT_MS")

    @property
    def document_retention_days(self) -> int:
        return self.whole("DOCUMENT_RETENTION_DAYS")

    @property
    def event_retention_days(self) -> int:
        return self.whole("EVENT_RETENTION_DAYS")


@functools.lru_cache(maxsize=64, typed=True)
def _conditions(
    reset_interval: int,
    recovery: str,
    thresholds: tuple[int, ...],
    create_customers: bool,
    lock_timeout_ms: int,
) -> Conditions:
    terms = terms_of(reset_interval, recovery, thresholds)
    return Conditions(NamedTerms("", terms), bool(create_customers), int(lock_timeout_ms))


_DEFAULT_CONDITIONS = _conditions(
    DEFAULTS["RESET_INTERVAL"],
    DEFAULTS["RECOVERY"],
    tuple(DEFAULTS["THRESHOLDS"]),
    DEFAULTS["CREATE_CUSTOMERS"],
    DEFAULTS["LOCK_TIMEOUT_MS"],
)

settings = Settings()
