"""Observers: what metrics and traces learn of the services.

An observer that raises is logged and changes nothing.
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
    """The interval was over, and the counter began again at 0."""

    REPEATED = "repeated"
    """The document had been decided before; nothing was counted."""


class Checked(NamedTuple):
    """What checks are counted by."""

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
    """A base class: each method is called for one kind of thing, and does nothing here.

    Calls, waits and retries are told as they happen, also if the transaction is rolled back; checks
    and corrections once they are committed. No method learns who a customer is.
    """

    def began(self, service: str) -> Any:
        """A service was called, in this thread or task; what is returned comes back in `ended`."""

    def ended(self, call: Call, begun: Any) -> None:
        """The same call returned or raised."""

    def checked(self, checks: Mapping[Checked, int]) -> None:
        """So many documents were checked."""

    def corrected(self, kind: str, source: str, number: int) -> None:
        """So many events of one kind (reset, pin, unpin, policy, forget) were written."""

    def waited(self, seconds: float) -> None:
        """The time from the start of a call until its counters were locked, or it gave up.

        Where nobody else holds them this is little more than the statement that locks them.
        """

    def retried(self) -> None:
        """The database gave up a transaction for another one; it begins again."""


observers: list[Observer] = []
"""All that are registered."""


def register(observer: Observer) -> None:
    """Tell this observer, too, from now on; once, however often it is registered."""
    if observer not in observers:
        observers.append(observer)


def unregister(observer: Observer) -> None:
    observers.remove(observer)


def tell(what: Callable[[Observer], Any]) -> None:
    """Tell every observer."""
    for observer in list(observers):
        tell_one(observer, what)


def tell_one(observer: Observer, what: Callable[[Observer], Any]) -> Any:
    """What the observer gives back; None where it fails."""
    try:
        return what(observer)
    except Exception:
        logger.exception(
            "The observer %s failed",
            type(observer).__qualname__,
            extra={"action": "observer_failed", "observer": type(observer).__qualname__},
        )
        return None
