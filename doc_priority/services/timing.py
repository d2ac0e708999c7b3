"""How long a piece of work waits for its counters, for those who observe it."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.db import DatabaseError

from doc_priority.counters.interface import Counters
from doc_priority.observing import tell

if TYPE_CHECKING:
    from doc_priority.services.transactions import Unit

T = TypeVar("T")

LOCKING = frozenset({"add", "check", "count_many", "lock"})
"""The statements that wait for others."""


def timed(work: "Callable[[Unit], T]") -> "Callable[[Unit], T]":
    """The same work; every attempt at it tells how long it waited."""

    def work_and_tell(unit: "Unit") -> T:
        counters = TimedCounters(unit.counters)
        try:
            return work(unit._replace(counters=cast("Counters", counters)))
        except DatabaseError as error:
            if unit.counters.is_busy(error):
                counters.stop()
            raise
        finally:
            _tell(counters.waited)

    return work_and_tell


class TimedCounters:
    """The statements of one database, and the time until the last that locks was done.

    Transactions begin within that time: on SQLite they wait there, and nowhere else.
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._started = time.perf_counter()
        self.waited: float | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._counters, name)
        return partial(self._timed, found) if name in LOCKING else found

    def stop(self) -> None:
        """The wait is over, for now."""
        self.waited = time.perf_counter() - self._started

    def _timed(self, statement: Callable[..., T], *arguments: Any, **options: Any) -> T:
        try:
            return statement(*arguments, **options)
        finally:
            self.stop()


def _tell(waited: float | None) -> None:
    """Work that locks no counters has waited for none."""
    if waited is not None:
        tell(lambda observer: observer.waited(waited))
