"""The statements of each database that count and lock; only services call them."""

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
    """The statements of one database. Keys are checked; errors are the driver's own."""

    WAITS_FOR_ONE_LOCK: int
    """How many waits, each as long as is allowed, may follow one another until a row is locked."""

    SHARE_LOCK: str
    """Ends a SELECT of rows that nobody may delete until the transaction ends."""

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
        """Count so many documents per customer, locked in key order, within a transaction.

        Customers without a counter are left out.
        """

    def lock(
        self,
        connection: BaseDatabaseWrapper,
        keys: Collection[str],
        conditions: Conditions,
        *,
        customers: bool = False,
    ) -> list[LockedRow]:
        """Lock counters in key order until the transaction ends; those missing are left out.

        With `customers` for a transaction that goes on to write what belongs to the customers:
        their rows are locked first, where checks lock them first.
        """

    def add(
        self, connection: BaseDatabaseWrapper, keys: Collection[str], conditions: Conditions
    ) -> None:
        """Add the counters these customers lack, and if allowed the customers, in key order."""

    def lock_timeout(
        self, connection: BaseDatabaseWrapper, conditions: Conditions
    ) -> AbstractContextManager[None]:
        """Within a transaction: no statement waits longer for a lock than allowed."""

    def is_busy(self, error: Exception) -> bool:
        """Whether the driver says that a row could not be locked in time."""

    def is_conflict(self, error: Exception) -> bool:
        """Whether the driver says that the transaction was given up for another one."""


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


def bounded(
    connection: BaseDatabaseWrapper, conditions: Conditions
) -> AbstractContextManager[None]:
    """Limit the waits that no statement can limit: SQLite's, where transactions begin and end.

    On PostgreSQL and MariaDB each statement that waits has its limit with it.
    """
    if connection.vendor == "sqlite":
        return sqlite.busy_timeout(connection, conditions.lock_timeout_ms)
    return nullcontext()


def policy_kept(connection: BaseDatabaseWrapper, name: str) -> "Policy | None":
    """The policy of this name, which nobody deletes until the transaction ends.

    The ORM has no lock that only keeps a row from being deleted.
    """
    from doc_priority.models import Policy  # this package is imported before models are ready

    select = (
        f"SELECT * FROM doc_priority_policy WHERE name = %s {counters_of(connection).SHARE_LOCK}"
    )
    return next(iter(Policy.objects.using(connection.alias).raw(select, [name])), None)
