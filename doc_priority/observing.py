"""Observers, through which metrics and traces follow the services.

What an observer raises is logged and has no other effect.
"""

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

logger = logging.getLogger("doc_priority")


class Result(StrEnum):
    """The result of a check."""

    FIRST = "first"
    """The customer's first document."""
    COUNTED = "counted"
    """The counter went down by one."""
    RESET = "reset"
    """The interval was over, and the counter was set to 0."""
    REPEATED = "repeated"
    """The document had a decision already; nothing was counted."""


class Checked(NamedTuple):
    """What checks are grouped by when they are counted."""

    result: Result
    priority: int
    pinned: bool


class Call(NamedTuple):
    """A call of a service that has returned, or raised an error of this code."""

    service: str
    seconds: float
    checks: Mapping[Checked, int]
    error: str = ""


class Observer:
    """A base class whose methods do nothing: override those you need.

    Calls, waits and retries are reported as they happen, also if the transaction is rolled back;
    checks and corrections once they are committed. No method is given a customer's key.
    """

    def began(self, service: str) -> Any:
        """A service was called in this thread or task. The return value is passed to `ended`."""

    def ended(self, call: Call, begun: Any) -> None:
        """The same call has returned, or raised an error."""

    def checked(self, checks: Mapping[Checked, int]) -> None:
        """Documents were checked: the number of each kind."""

    def corrected(self, kind: str, source: str, number: int) -> None:
        """This number of events of one kind (reset, pin, unpin, policy, forget) was written."""

    def waited(self, seconds: float) -> None:
        """The time from the start of a call until its counters were locked, or it gave up.

        If no other transaction has locked them, it is the time of the statement that locks them.
        """

    def retried(self) -> None:
        """The database gave up the transaction for another one, and it begins again."""


observers: list[Observer] = []


def register(observer: Observer) -> None:
    """Add an observer; it is called once, however often it is registered."""
    if observer not in observers:
        observers.append(observer)


def unregister(observer: Observer) -> None:
    observers.remove(observer)


def tell(what: Callable[[Observer], Any]) -> None:
    """Call this with every observer."""
    for observer in list(observers):
        tell_one(observer, what)


def tell_one(observer: Observer, what: Callable[[Observer], Any]) -> Any:
    """Call this with one observer; None if it raises."""
    try:
        return what(observer)
    except Exception:
        logger.exception(
            "The observer %s failed",
            type(observer).__qualname__,
            extra={"action": "observer_failed", "observer": type(observer).__qualname__},
        )
        return None
