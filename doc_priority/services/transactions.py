"""How a service reaches the database: it waits for a limited time, retries conflicts, locks rows.

`perform` runs the work of one call, and runs it again after a conflict; `perform_with_counters`
does so in a transaction, for which it adds the counters that are missing. Within that transaction,
`locked` locks the counters in the order of their keys. `in_one_transaction` is for adapters: it
runs several services, and whatever else belongs to them, in one transaction.
"""

import logging
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import TypeVar, cast

from django.db import DatabaseError, connections, transaction

from doc_priority.clock import moment_of
from doc_priority.conf import settings
from doc_priority.counters import bounded, counters_of
from doc_priority.counters.base import Database
from doc_priority.counters.rows import LockedRow
from doc_priority.exceptions import CounterBusy, TransactionConflict, not_found
from doc_priority.observing import observers, tell
from doc_priority.querysets import alias_for_write

T = TypeVar("T")

logger = logging.getLogger("doc_priority")

BATCH = 500
"""Rows or parameters of one statement; few enough for every database."""

FIRST_PAUSE = 0.002
"""Seconds; see `pause_before`."""
LONGEST_PAUSE = 0.1

SHORTEST_SPLIT_MS = 200
"""A remaining wait of up to this length is no longer split into several waits."""

CREATE_ATTEMPTS = 10
"""Maximum attempts: others may delete a customer after it is created and before it is locked."""


class MissingCountersError(Exception):
    """Some customers have no counter yet; the transaction is rolled back."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys


def perform(
    work: Callable[[Database], T], *, at: datetime | None = None, must_exist: bool = False
) -> T:
    """Run the work; if the database gives it up for another transaction, run it again.

    `at` stands in for the database's clock; with `must_exist` no customer is created. Within a
    transaction of the caller's nothing is retried: after an error only the caller can roll it back
    and begin again.
    """
    moment = moment_of(at)
    connection = connections[alias_for_write()]
    counters = counters_of(connection)
    conditions = settings.conditions
    if moment is not None:
        conditions = conditions._replace(at=moment)
    if must_exist:
        conditions = conditions._replace(create=False)
    database = Database(connection, counters, conditions, [])
    # `get_autocommit` opens the connection, which before that does not know its autocommit mode.
    ours = connection.get_autocommit() and not connection.in_atomic_block
    may_wait_until = 0.0
    attempt = 1
    while True:
        try:
            return _attempt_in_time(database, work) if ours else _attempt(database, work)
        except DatabaseError as error:
            # Conflicts first: SQLite reports a snapshot that is too old as a kind of busy.
            if counters.is_conflict(error):
                timeout_s = conditions.lock_timeout_ms / 1000
                may_wait_until = may_wait_until or time.monotonic() + timeout_s
                if not ours or time.monotonic() >= may_wait_until:
                    logger.warning("Given up for another transaction", extra={"action": "conflict"})
                    raise TransactionConflict from error
            elif counters.is_busy(error):
                logger.warning("A counter stayed locked", extra={"action": "busy"})
                raise CounterBusy(
                    "The counter could not be locked within LOCK_TIMEOUT_MS "
                    f"({conditions.lock_timeout_ms} ms); try again."
                ) from error
            else:
                raise
        attempt += 1
        pause_before(attempt)
        logger.info("Beginning again after a conflict", extra={"action": "retry"})
        tell(lambda observer: observer.retried())


def in_one_transaction(work: Callable[[], T]) -> T:
    """Run work that calls several services in one transaction; after a conflict all of it again."""

    def attempt(database: Database) -> T:
        with database.transaction():
            try:
                return work()
            except TransactionConflict as conflict:
                # The service could not retry within this transaction. `perform` retries all of it,
                # and recognises the conflict by the driver's own error.
                given_up = cast("DatabaseError", conflict.__cause__)
            raise given_up

    return perform(attempt)


def perform_with_counters(
    work: Callable[[Database], T], *, at: datetime | None = None, must_exist: bool
) -> T:
    """Perform the work in a transaction; if counters are missing, add them first in a new one.

    A new transaction, because adding a counter waits for other transactions that add the same one:
    locks that the work has taken by then could be the ones they wait for, which is a deadlock.
    """

    def add_missing_and_work(database: Database) -> T:
        missing: list[str] = []
        for attempt in range(CREATE_ATTEMPTS if database.conditions.create else 2):
            pause_before(attempt)
            try:
                with database.transaction():
                    if missing:
                        database.timed(database.counters.add, missing)
                    return work(database)
            except MissingCountersError as error:
                # The rollback also removed what this attempt added, so the next adds it again.
                missing = sorted({*missing, *error.keys})
        raise not_found(*missing)

    return perform(add_missing_and_work, at=at, must_exist=must_exist)


def locked(
    database: Database, keys: Collection[str], *, customers: bool = False
) -> dict[str, LockedRow]:
    """Lock the counters of these customers until the transaction ends; the rows by key.

    With `customers` also the customers' rows, for work that writes to them or to their decisions.
    """
    rows = database.timed(database.counters.lock, sorted(keys), customers=customers)
    found = {row.customer: row for row in rows}
    require_all(keys, found)
    return found


def require_all(keys: Collection[str], found: Collection[str]) -> None:
    if len(found) < len(keys):
        raise MissingCountersError([key for key in keys if key not in found])


def batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items in parts that are short enough for one statement."""
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def pause_before(attempt: int) -> None:
    """Wait a random time, longer before each later attempt, and not before the first two."""
    if attempt > 1:
        longest = min(FIRST_PAUSE * 2 ** (attempt - 2), LONGEST_PAUSE)
        time.sleep(random.uniform(0, longest))  # noqa: S311 - no secret


def after_commit(function: Callable[[], object]) -> None:
    """Call the function once the transaction is committed.

    If the portal has autocommit off and is not in `atomic`, the function is called immediately:
    Django does not know when such a portal commits, and `on_commit` raises an error.
    """
    connection = connections[alias_for_write()]
    outside = not connection.in_atomic_block or not connection.commit_on_exit
    if outside and not connection.get_autocommit():
        function()
    else:
        transaction.on_commit(function, using=connection.alias)


def _attempt(database: Database, work: Callable[[Database], T]) -> T:
    """Run the work once; tell observers how long it waited for the counters it locked, if any."""
    if not observers:
        with bounded(database.connection, database.conditions):
            return work(database)
    started = time.perf_counter()
    database.locked_at.clear()
    try:
        with bounded(database.connection, database.conditions):
            return work(database)
    except DatabaseError as error:
        if database.counters.is_busy(error):
            # BEGIN waits, too, on SQLite, and COMMIT on PostgreSQL; neither is a `timed` statement.
            database.locked_at.append(time.perf_counter())
        raise
    finally:
        if database.locked_at:
            waited = database.locked_at[-1] - started
            tell(lambda observer: observer.waited(waited))


def _attempt_in_time(database: Database, work: Callable[[Database], T]) -> T:
    """Run the work in a transaction of ours, and again while it is busy and time is left.

    Where the database may wait several times for one lock, each wait gets its share of the time
    that is left. So all waits end within LOCK_TIMEOUT_MS, and a call that had to wait only once
    still gets all of that time.
    """
    waits = database.counters.WAITS_FOR_ONE_LOCK
    if waits == 1:
        return _attempt(database, work)

    left = database.conditions.lock_timeout_ms
    deadline = time.monotonic() + left / 1000
    while True:
        is_last = left <= SHORTEST_SPLIT_MS
        share = max(left, 1) if is_last else left // waits
        conditions = database.conditions._replace(lock_timeout_ms=share)
        try:
            return _attempt(database._replace(conditions=conditions), work)
        except DatabaseError as error:
            if is_last or not database.counters.is_busy(error):
                raise
        left = int((deadline - time.monotonic()) * 1000)
