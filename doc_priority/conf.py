"""The settings: one dict, `DOC_PRIORITY`, read whenever a value is used."""

from typing import Any

from django.conf import settings as django_settings
from django.utils.module_loading import import_string

from doc_priority.exceptions import InvalidPolicy
from doc_priority.types import NamedTerms, PolicyTerms
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


class Settings:
    """What the portal set, and the default for everything it did not."""

    @property
    def given(self) -> dict[str, Any]:
        return getattr(django_settings, "DOC_PRIORITY", {})

    def value(self, name: str) -> Any:
        given = self.given
        return given[name] if name in given else DEFAULTS[name]

    @property
    def default_terms(self) -> PolicyTerms:
        try:
            return terms_of(
                self.value("RESET_INTERVAL"),
                self.value("RECOVERY"),
                tuple(self.value("THRESHOLDS")),
            )
        except TypeError as error:
            raise InvalidPolicy(
                f"The default policy in DOC_PRIORITY cannot be read: {error}."
            ) from error

    @property
    def default_policy(self) -> NamedTerms:
        return NamedTerms("", self.default_terms)

    @property
    def create_customers(self) -> bool:
        return bool(self.value("CREATE_CUSTOMERS"))

    @property
    def lock_timeout_ms(self) -> int:
        return int(self.value("LOCK_TIMEOUT_MS"))

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


settings = Settings()
