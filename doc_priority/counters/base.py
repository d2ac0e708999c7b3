"""What one call works with, and the statements that each database has for it."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters.rows import Counted, LockedRow
from doc_priority.observing import observers
from doc_priority.types import Conditions

P = ParamSpec("P")
T = TypeVar("T")


class Database(NamedTuple):
    """What one call works with: the connection, its statements, and the settings of the call."""

    connection: BaseDatabaseWrapper
    counters: "Counters"
    conditions: Conditions
    locked_at: list[float]
    """When each statement of this attempt that waits for locks ended; for observers."""

    @property
    def alias(self) -> str:
        return self.connection.alias

    def timed(
        self, statement: Callable[Concatenate["Database", P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a statement that waits for locks, and note when it ended or failed."""
        try:
            return statement(self, *args, **kwargs)
        finally:
            if observers:
                self.locked_at.append(time.perf_counter())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction in which no statement waits longer for a lock than LOCK_TIMEOUT_MS."""
        with transaction.atomic(using=self.alias), self.counters.lock_timeout(self):
            yield


class Counters(Protocol):
    """The statements of one database. Keys are valid already; errors are the driver's own."""

    WAITS_FOR_ONE_LOCK: int
    """How often the database may wait for one lock, each time for the full timeout."""

    SHARE_LOCK: str
    """The end of a SELECT whose rows cannot be deleted until the transaction ends."""

    def check(self, database: Database, key: str, document: str) -> Counted | None:
        """Count one document and decide on it; None if there is no such customer.

        A document that is named counts once.
        """

    def count_many(self, database: Database, documents: Mapping[str, int]) -> list[LockedRow]:
        """Count these numbers of documents, within a transaction; counters are locked in key order.

        Customers without a counter are missing in the result.
        """

    def lock(
        self, database: Database, keys: Collection[str], *, customers: bool = False
    ) -> list[LockedRow]:
        """Lock counters in key order until the transaction ends; missing ones are left out.

        With `customers` for a transaction that will write to the customers or their decisions. On a
        database whose checks lock the customer before the counter, this does so, too.
        """

    def add(self, database: Database, keys: Collection[str]) -> None:
        """Add missing counters in key order; before that, if allowed, missing customers."""

    def lock_timeout(self, database: Database) -> AbstractContextManager[None]:
        """Within a transaction: no statement waits for a lock longer than the conditions allow."""

    def is_busy(self, error: Exception) -> bool:
        """Whether this error of the driver means that a row could not be locked in time."""

    def is_conflict(self, error: Exception) -> bool:
        """Whether this error of the driver means that another transaction came in between."""
