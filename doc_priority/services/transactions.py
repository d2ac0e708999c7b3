"""How a service reaches the database: waits are bounded, conflicts retried, counters locked.

`perform` does the work of one call, and does it again after a conflict. Within it, `with_counters`
is one transaction, which adds the counters that are missing; and within that, `locked` takes the
locks, in the order of the keys.
"""

import logging
import random
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.conf import settings
from doc_priority.counters import Counters, bounded, counters_of
from doc_priority.counters.rows import LockedRow
from doc_priority.exceptions import CounterBusy, TransactionConflict, not_found
from doc_priority.observing import observers, tell
from doc_priority.querysets import alias_for_write
from doc_priority.types import Conditions

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger("doc_priority")

FIRST_PAUSE = 0.002
LONGEST_PAUSE = 0.1

SHORTEST_SPLIT_MS = 200
"""What is left of a wait and not longer than this is waited for in one piece."""

ATTEMPTS = 10
"""Maximum attempts: others may delete a customer after it was made and before it is locked."""


class Unit(NamedTuple):
    """The database a piece of work runs on, and what holds for it."""

    connection: BaseDatabaseWrapper
    counters: Counters
    conditions: Conditions
    locked_at: list[float]
    """When each statement of this attempt that waits for locks was done; observers are told."""

    @property
    def alias(self) -> str:
        return self.connection.alias

    def without_creating(self) -> "Unit":
        """The same for work on customers that must exist."""
        return self._replace(conditions=self.conditions._replace(create=False))

    def timed(
        self,
        statement: Callable[Concatenate[BaseDatabaseWrapper, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a statement that waits for locks, and note when it was done or gave up."""
        if not observers:
            return statement(self.connection, *args, **kwargs)
        try:
            return statement(self.connection, *args, **kwargs)
        finally:
            self.locked_at.append(time.perf_counter())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and no statement waits longer for a lock than allowed."""
        with (
            transaction.atomic(using=self.alias),
            self.counters.lock_timeout(self.connection, self.conditions),
        ):
            yield


class CountersLackingError(Exception):
    """Some customers have no counter yet; what was done for the others is undone."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys


def perform(work: Callable[[Unit], T], *, at: int | None) -> T:
    """Do the work; when the transaction is ours and was given up for another one, do it again.

    Within the caller's own transaction nothing is repeated: what failed has spoiled it.
    """
    connection = connections[alias_for_write()]
    counters = counters_of(connection)
    conditions = settings.conditions
    if at is not None:
        conditions = conditions._replace(at=at)
    unit = Unit(connection, counters, conditions, [])
    # A connection that is not open yet does not know; `get_autocommit` opens it.
    ours = connection.get_autocommit() and not connection.in_atomic_block
    may_wait_until = 0.0
    attempt = 1
    while True:
        try:
            return _attempt_in_time(unit, work) if ours else _attempt(unit, work)
        except DatabaseError as error:
            # Conflict first: on SQLite a snapshot that is too old is a kind of busy.
            if counters.is_conflict(error):
                if attempt == 1:
                    may_wait_until = time.monotonic() + conditions.lock_timeout_ms / 1000
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


def together(work: Callable[[], T]) -> T:
    """Do what several services do, and what belongs to it, all of it or nothing."""

    def in_one_transaction(unit: Unit) -> T:
        with unit.transaction():
            try:
                return work()
            except TransactionConflict as conflict:
                # A service within could not begin again alone; all of this can.
                given_up = cast("DatabaseError", conflict.__cause__)
            raise given_up

    return perform(in_one_transaction, at=None)


def with_counters(unit: Unit, work: Callable[[], T]) -> T:
    """Do the work in a transaction; if counters lack, in a new one that begins by adding them.

    Adding waits for others who add the same. Whoever held locks meanwhile that those need would
    close a circle.
    """
    missing: list[str] = []
    for attempt in range(ATTEMPTS if unit.conditions.create else 2):
        pause_before(attempt)
        try:
            with unit.transaction():
                if missing:
                    unit.timed(unit.counters.add, missing, unit.conditions)
                return work()
        except CountersLackingError as lacking:
            # What an attempt added is undone with it, so the next one adds all of it again.
            missing = sorted({*missing, *lacking.keys})
    raise not_found(*missing)


def on_existing(work: Callable[[Unit], T]) -> Callable[[Unit], T]:
    """Work of `perform` on customers that must exist, in a transaction `with_counters`."""

    def in_one_transaction(unit: Unit) -> T:
        known = unit.without_creating()
        return with_counters(known, lambda: work(known))

    return in_one_transaction


def locked(unit: Unit, keys: Collection[str], *, customers: bool = False) -> dict[str, LockedRow]:
    """Lock these customers' counters until the transaction ends; all of them must be there.

    With `customers` for work that goes on to write what belongs to the customers.
    """
    rows = unit.timed(unit.counters.lock, sorted(keys), unit.conditions, customers=customers)
    found = {row.customer: row for row in rows}
    require_all(keys, found)
    return found


def require_all(keys: Collection[str], found: Collection[str]) -> None:
    if len(found) < len(keys):
        raise CountersLackingError([key for key in keys if key not in found])


def pause_before(attempt: int) -> None:
    """Spread contenders: none before the first two attempts, then longer and longer ones."""
    if attempt > 1:
        longest = min(FIRST_PAUSE * 2 ** (attempt - 2), LONGEST_PAUSE)
        time.sleep(random.uniform(0, longest))  # noqa: S311 - no secret


def after_commit(tell_others: Callable[[], object]) -> None:
    """Do it once the transaction is committed; at once where the portal commits by hand.

    Without `atomic` nobody says when such a portal commits, and `on_commit` refuses to wait.
    """
    connection = connections[alias_for_write()]
    outside = not connection.in_atomic_block or not connection.commit_on_exit
    if outside and not connection.get_autocommit():
        tell_others()
    else:
        transaction.on_commit(tell_others, using=connection.alias)


def _attempt(unit: Unit, work: Callable[[Unit], T]) -> T:
    """Do the work once, and tell observers how long it waited for its counters, if for any."""
    if not observers:
        with bounded(unit.connection, unit.conditions):
            return work(unit)
    started = time.perf_counter()
    unit.locked_at.clear()
    try:
        with bounded(unit.connection, unit.conditions):
            return work(unit)
    except DatabaseError as error:
        if unit.counters.is_busy(error):
            # Transactions wait, too: on SQLite where they begin, on PostgreSQL where they commit.
            unit.locked_at.append(time.perf_counter())
        raise
    finally:
        if unit.locked_at:
            waited = unit.locked_at[-1] - started
            tell(lambda observer: observer.waited(waited))


def _attempt_in_time(unit: Unit, work: Callable[[Unit], T]) -> T:
    """Do the work in a transaction of ours, which may wait again when it could not lock a row.

    Where one lock may take several waits, each gets its share of the time that is left: all of them
    together end in time, and nobody gives up early who had to wait once only.
    """
    waits = unit.counters.WAITS_FOR_ONE_LOCK
    if waits == 1:
        return _attempt(unit, work)

    def waiting_for(milliseconds: int) -> Unit:
        return unit._replace(conditions=unit.conditions._replace(lock_timeout_ms=milliseconds))

    left = unit.conditions.lock_timeout_ms
    deadline = time.monotonic() + left / 1000
    while left > SHORTEST_SPLIT_MS:
        try:
            return _attempt(waiting_for(left // waits), work)
        except DatabaseError as error:
            if not unit.counters.is_busy(error):
                raise
        left = int((deadline - time.monotonic()) * 1000)
    return _attempt(waiting_for(max(left, 1)), work)
