"""The settings: one dict, `DOC_PRIORITY`, read whenever a value is used."""

import functools
from typing import Any, NamedTuple

from django.conf import settings as django_settings
from django.utils.module_loading import import_string

from doc_priority.exceptions import InvalidPolicy
from doc_priority.types import NamedTerms
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
}


class Counting(NamedTuple):
    """The settings of a check."""

    default_policy: NamedTerms
    create_customers: bool
    lock_timeout_ms: int


class Settings:
    """What the portal set, and the default for everything it did not."""

    @property
    def given(self) -> dict[str, Any]:
        return getattr(django_settings, "DOC_PRIORITY", {})

    def value(self, name: str) -> Any:
        given = self.given
        return given[name] if name in given else DEFAULTS[name]

    @property
    def counting(self) -> "Counting":
        """What a check needs, read in one go."""
        given = self.given
        if not given:
            return _DEFAULT_COUNTING
        values = DEFAULTS | given
        try:
            return _counting(
                values["RESET_INTERVAL"],
                values["RECOVERY"],
                tuple(values["THRESHOLDS"]),
                values["CREATE_CUSTOMERS"],
                values["LOCK_TIMEOUT_MS"],
            )
        except TypeError as error:
            raise InvalidPolicy(
                f"The default policy in DOC_PRIORITY cannot be read: {error}."
            ) from error

    @property
    def default_policy(self) -> NamedTerms:
        return self.counting.default_policy

    @property
    def document_retention_days(self) -> int:
        return int(self.value("DOCUMENT_RETENTION_DAYS"))

    @property
    def event_retention_days(self) -> int:
        return int(self.value("EVENT_RETENTION_DAYS"))

    @property
    def api_max_page_size(self) -> int:
        return int(self.value("API_MAX_PAGE_SIZE"))

    @property
    def api_max_bulk(self) -> int:
        return int(self.value("API_MAX_BULK"))

    @property
    def live_refresh_seconds(self) -> int:
        return int(self.value("LIVE_REFRESH_SECONDS"))

    @property
    def api_customers(self) -> Any:
        path = self.value("API_CUSTOMERS")
        return import_string(path) if path else None


@functools.lru_cache(maxsize=64, typed=True)
def _counting(
    reset_interval: int,
    recovery: str,
    thresholds: tuple[int, ...],
    create_customers: bool,
    lock_timeout_ms: int,
) -> Counting:
    terms = terms_of(reset_interval, recovery, thresholds)
    return Counting(NamedTerms("", terms), create_customers, lock_timeout_ms)


_DEFAULT_COUNTING = _counting(
    DEFAULTS["RESET_INTERVAL"],
    DEFAULTS["RECOVERY"],
    tuple(DEFAULTS["THRESHOLDS"]),
    DEFAULTS["CREATE_CUSTOMERS"],
    DEFAULTS["LOCK_TIMEOUT_MS"],
)

settings = Settings()
