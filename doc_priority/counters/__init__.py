"""The statements that count and lock, for each database; only services call them."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters import mysql, postgresql, sqlite
from doc_priority.counters.base import Counters
from doc_priority.types import Conditions

if TYPE_CHECKING:
    from doc_priority.models import Policy


_BY_VENDOR: dict[str, Counters] = {
    "mysql": mysql,
    "postgresql": postgresql,
    "sqlite": sqlite,
}


def counters_of(connection: BaseDatabaseWrapper) -> Counters:
    """The statements for the database of this connection."""
    try:
        return _BY_VENDOR[connection.vendor]
    except KeyError:
        known = ", ".join(_BY_VENDOR)
        raise ImproperlyConfigured(
            f"doc_priority does not run on {connection.vendor}; route it to one of {known}."
        ) from None


def bounded(
    connection: BaseDatabaseWrapper, conditions: Conditions
) -> AbstractContextManager[None]:
    """Limit the waits of BEGIN and COMMIT on SQLite to the timeout of the conditions.

    On PostgreSQL and MariaDB the statements that wait have their own limits.
    """
    if connection.vendor == "sqlite":
        return sqlite.busy_timeout(connection, conditions.lock_timeout_ms)
    return nullcontext()


def policy_kept(connection: BaseDatabaseWrapper, name: str) -> "Policy | None":
    """The policy of this name, locked so that it cannot be deleted until the transaction ends.

    In SQL, because the ORM has only locks that also make checks of its customers wait.
    """
    from doc_priority.models import Policy  # this package is imported before models are ready

    select = (
        f"SELECT * FROM doc_priority_policy WHERE name = %s {counters_of(connection).SHARE_LOCK}"
    )
    return next(iter(Policy.objects.using(connection.alias).raw(select, [name])), None)
