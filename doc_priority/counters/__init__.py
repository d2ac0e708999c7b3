"""The statements that count and lock, for each database; only services call them."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters import mysql, postgresql, sqlite
from doc_priority.counters.rows import Counted, LockedRow
from doc_priority.types import Conditions

if TYPE_CHECKING:
    from doc_priority.models import Policy


class Counters(Protocol):
    """The statements of one database. Keys are valid already; errors are the driver's own."""

    WAITS_FOR_ONE_LOCK: int
    """How often the database may wait for one lock, each time for the full timeout."""

    SHARE_LOCK: str
    """The end of a SELECT whose rows cannot be deleted until the transaction ends."""

    def check(
        self, connection: BaseDatabaseWrapper, key: str, document: str, conditions: Conditions
    ) -> Counted | None:
        """Count one document and decide on it; None if there is no such customer.

        A document that is named counts once.
        """

    def count_many(
        self,
        connection: BaseDatabaseWrapper,
        documents: Mapping[str, int],
        conditions: Conditions,
    ) -> list[LockedRow]:
        """Count these numbers of documents, within a transaction; counters are locked in key order.

        Customers without a counter are missing in the result.
        """

    def lock(
        self,
        connection: BaseDatabaseWrapper,
        keys: Collection[str],
        conditions: Conditions,
        *,
        customers: bool = False,
    ) -> list[LockedRow]:
        """Lock counters in key order until the transaction ends; missing ones are left out.

        With `customers` for a transaction that will write to the customers or their decisions. On a
        database whose checks lock the customer before the counter, this does so, too.
        """

    def add(
        self, connection: BaseDatabaseWrapper, keys: Collection[str], conditions: Conditions
    ) -> None:
        """Add missing counters in key order; before that, if allowed, missing customers."""

    def lock_timeout(
        self, connection: BaseDatabaseWrapper, conditions: Conditions
    ) -> AbstractContextManager[None]:
        """Within a transaction: no statement waits for a lock longer than the conditions allow."""

    def is_busy(self, error: Exception) -> bool:
        """Whether this error of the driver means that a row could not be locked in time."""

    def is_conflict(self, error: Exception) -> bool:
        """Whether this error of the driver means that another transaction came in between."""


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
