"""How a service reaches the database: waits are bounded, conflicts retried, errors named."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar, cast

from django.db import DatabaseError, connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.conf import settings
from doc_priority.counters import counters_of
from doc_priority.counters.interface import Counters
from doc_priority.counters.rows import Conditions
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter
from doc_priority.observing import observers, tell
from doc_priority.services.timing import timed

T = TypeVar("T")

logger = logging.getLogger("doc_priority")

FIRST_PAUSE = 0.002
LONGEST_PAUSE = 0.1

SHORTEST_SPLIT_MS = 200
"""What is left of a wait and not longer than this is waited for in one piece."""


class Unit(NamedTuple):
    """The database a piece of work runs on, and what holds for it."""

    connection: BaseDatabaseWrapper
    counters: Counters
    conditions: Conditions

    @property
    def alias(self) -> str:
        return self.connection.alias

    def without_creating(self) -> "Unit":
        """The same for work on customers that must exist."""
        return self._replace(conditions=self.conditions._replace(create=False))

    def waiting_for(self, milliseconds: int) -> "Unit":
        """The same with waits of this length, each."""
        return self._replace(conditions=self.conditions._replace(lock_timeout_ms=milliseconds))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and no statement waits longer for a lock than allowed."""
        with (
            transaction.atomic(using=self.alias),
            self.counters.waiting(self.connection, self.conditions),
        ):
            yield


def alias_for_write() -> str:
    return router.db_for_write(Counter)


def perform(work: Callable[[Unit], T], *, at: int | None) -> T:
    """Do the work; when the transaction is ours and was given up for another one, do it again.

    Within the caller's own transaction nothing is repeated: what failed has spoiled it.
    """
    connection = connections[alias_for_write()]
    counters = counters_of(connection)
    counting = settings.counting
    conditions = Conditions(
        counting.default_policy, at, counting.lock_timeout_ms, counting.create_customers
    )
    unit = Unit(connection, counters, conditions)
    if observers:
        work = timed(work)
    ours = _is_ours(connection)
    try:
        return _attempt_of_ours(unit, work) if ours else _attempt(unit, work)
    except DatabaseError as error:
        _raise_unless_passing(unit, error, may_wait=ours)
    return _perform_again(unit, work)


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


def _is_ours(connection: BaseDatabaseWrapper) -> bool:
    """A connection that is not open yet does not know; `get_autocommit` opens it."""
    return connection.get_autocommit() and not connection.in_atomic_block


def _attempt(unit: Unit, work: Callable[[Unit], T]) -> T:
    with unit.counters.bounded(unit.connection, unit.conditions):
        return work(unit)


def _attempt_of_ours(unit: Unit, work: Callable[[Unit], T]) -> T:
    """Do the work in a transaction of ours, which may wait again when it could not lock a row.

    Where one lock may take several waits, each gets its share of the time that is left: all of them
    together end in time, and nobody gives up early who had to wait once only.
    """
    if unit.counters.WAITS_FOR_ONE_LOCK == 1:
        return _attempt(unit, work)
    left = unit.conditions.lock_timeout_ms
    deadline = time.monotonic() + left / 1000
    while left > SHORTEST_SPLIT_MS:
        try:
            return _attempt(unit.waiting_for(left // unit.counters.WAITS_FOR_ONE_LOCK), work)
        except DatabaseError as error:
            if not unit.counters.is_busy(error):
                raise
        left = int((deadline - time.monotonic()) * 1000)
    return _attempt(unit.waiting_for(max(left, 1)), work)


def _perform_again(unit: Unit, work: Callable[[Unit], T]) -> T:
    deadline = time.monotonic() + unit.conditions.lock_timeout_ms / 1000
    attempt = 2
    while True:
        pause_before(attempt)
        logger.info("Beginning again after a conflict", extra={"action": "retry"})
        tell(lambda observer: observer.retried())
        attempt += 1
        try:
            return _attempt_of_ours(unit, work)
        except DatabaseError as error:
            _raise_unless_passing(unit, error, may_wait=time.monotonic() < deadline)


def _raise_unless_passing(unit: Unit, error: DatabaseError, *, may_wait: bool) -> None:
    if unit.counters.is_conflict(error):
        if not may_wait:
            logger.warning("Given up for another transaction", extra={"action": "conflict"})
            raise TransactionConflict from error
    elif unit.counters.is_busy(error):
        logger.warning("A counter stayed locked", extra={"action": "busy"})
        raise CounterBusy(
            "The counter could not be locked within LOCK_TIMEOUT_MS "
            f"({unit.conditions.lock_timeout_ms} ms); try again."
        ) from error
    else:
        raise error
