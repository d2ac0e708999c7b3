"""What one call works with, the statements that each database has, and what two of them share."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from operator import attrgetter
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from django.db import IntegrityError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters.rows import Counted, LockedRow, decision_of
from doc_priority.observing import observers
from doc_priority.types import DECISION_FIELDS, KEPT_FIELDS, Conditions
from doc_priority.validation import to_microseconds

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


KEEP = (
    f"INSERT INTO doc_priority_documentdecision (customer_id, {', '.join(KEPT_FIELDS)}) "
    f"VALUES (%(customer)s, {', '.join(f'%({name})s' for name in KEPT_FIELDS)})"
)
_kept_of = attrgetter(*KEPT_FIELDS)
# A decision that is found is a repeated one.
_COLUMNS = {"customer": "customer_id", "repeated": "1"}
FIND = (
    f"SELECT {', '.join(_COLUMNS.get(name, name) for name in DECISION_FIELDS)} "
    "FROM doc_priority_documentdecision "
    "WHERE customer_id = %(customer)s AND document = %(document)s"
)


def check_once(
    count: Callable[[Database, str, str], Counted | None],
    database: Database,
    key: str,
    document: str,
) -> Counted | None:
    """Count and keep the decision; if the document has a decision already, return that.

    For databases where one statement cannot write to two tables. A document can have only one
    decision: the second INSERT fails, and its transaction is rolled back with its count.
    """
    connection = database.connection
    try:
        with transaction.atomic(using=connection.alias):
            counted = count(database, key, document)
            if counted is None:
                return None
            kept = dict(zip(KEPT_FIELDS, _kept_of(counted[0]), strict=True), customer=key)
            for name in ("decided_at", "resets_at"):
                kept[name] = to_microseconds(kept[name])
            with connection.cursor() as cursor:
                cursor.execute(KEEP, kept)
            return counted
    except IntegrityError:
        with connection.cursor() as cursor:
            cursor.execute(FIND, {"customer": key, "document": document})
            row = cursor.fetchone()
        if row is None:
            raise
        decision = decision_of(row)
        return decision, decision.priority
