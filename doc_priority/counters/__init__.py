"""The check as one statement per database; only services call it."""

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters import mysql, postgresql, sqlite
from doc_priority.counters.interface import Counters

_BY_VENDOR: dict[str, Counters] = {
    "mysql": mysql,
    "postgresql": postgresql,
    "sqlite": sqlite,
}


def counters_of(connection: BaseDatabaseWrapper) -> Counters:
    """The statements for the database behind this connection."""
    try:
        return _BY_VENDOR[connection.vendor]
    except KeyError:
        known = ", ".join(_BY_VENDOR)
        raise ImproperlyConfigured(
            f"doc_priority does not run on {connection.vendor}; route it to one of {known}."
        ) from None
