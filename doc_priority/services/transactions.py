"""How a service reaches the database: waits are bounded, conflicts retried, errors named."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from django.db import DatabaseError, connections, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.conf import settings
from doc_priority.counters import counters_of
from doc_priority.counters.interface import Counters
from doc_priority.counters.rows import Conditions
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter

T = TypeVar("T")

FIRST_PAUSE = 0.002
LONGEST_PAUSE = 0.1


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
    try:
        with counters.bounded(connection, conditions):
            return work(unit)
    except DatabaseError as error:
        _raise_unless_passing(unit, error, may_wait=_is_ours(connection))
    return _perform_again(unit, work)


def together(work: Callable[[], T]) -> T:
    """Do what several services do, and what belongs to it, all of it or nothing."""

    def in_one_transaction(unit: Unit) -> T:
        with unit.transaction():
            return work()

    return perform(in_one_transaction, at=None)


def pause_before(attempt: int) -> None:
    """Spread contenders: none before the first two attempts, then longer and longer ones."""
    if attempt > 1:
        longest = min(FIRST_PAUSE * 2 ** (attempt - 2), LONGEST_PAUSE)
        time.sleep(random.uniform(0, longest))  # noqa: S311 - no secret


def _is_ours(connection: BaseDatabaseWrapper) -> bool:
    return connection.autocommit and not connection.in_atomic_block


def _perform_again(unit: Unit, work: Callable[[Unit], T]) -> T:
    deadline = time.monotonic() + unit.conditions.lock_timeout_ms / 1000
    attempt = 2
    while True:
        pause_before(attempt)
        attempt += 1
        try:
            with unit.counters.bounded(unit.connection, unit.conditions):
                return work(unit)
        except DatabaseError as error:
            _raise_unless_passing(unit, error, may_wait=time.monotonic() < deadline)


def _raise_unless_passing(unit: Unit, error: DatabaseError, *, may_wait: bool) -> None:
    if unit.counters.is_conflict(error):
        if not may_wait:
            raise TransactionConflict from error
    elif unit.counters.is_busy(error):
        raise CounterBusy(
            "The counter could not be locked within LOCK_TIMEOUT_MS "
            f"({unit.conditions.lock_timeout_ms} ms); try again."
        ) from error
    else:
        raise error
