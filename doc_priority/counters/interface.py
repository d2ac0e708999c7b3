"""What every database's module offers the services."""

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters.rows import Conditions, CountedRow, LockedRow, Verdict


class Counters(Protocol):
    """The statements of one database. Keys are checked; errors are the driver's own."""

    WAITS_FOR_ONE_LOCK: int
    """So many waits, each as long as is allowed, may follow one another until a row is locked."""

    SHARE_LOCK: str
    """Ends a SELECT of rows that nobody is to delete until the transaction ends."""

    def check(
        self, connection: BaseDatabaseWrapper, key: str, document: str, conditions: Conditions
    ) -> Verdict | None:
        """Count one document and decide on it; None if there is no such customer."""

    def count_many(
        self,
        connection: BaseDatabaseWrapper,
        documents: Mapping[str, int],
        conditions: Conditions,
    ) -> list[CountedRow]:
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

    def bounded(
        self, connection: BaseDatabaseWrapper, conditions: Conditions
    ) -> AbstractContextManager[None]:
        """Surrounds a transaction whose waits no statement of it can bound."""

    def waiting(
        self, connection: BaseDatabaseWrapper, conditions: Conditions
    ) -> AbstractContextManager[None]:
        """Within a transaction: no statement waits longer for a lock than allowed."""

    def is_busy(self, error: Exception) -> bool:
        """Whether the driver says that a row could not be locked in time."""

    def is_conflict(self, error: Exception) -> bool:
        """Whether the driver says that the transaction was given up for another one."""
