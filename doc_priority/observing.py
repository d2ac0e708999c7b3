"""Who watches what the services do, and what they tell: for metrics and traces.

An observer that raises is logged and changes nothing. While nobody watches, nothing is measured.
"""

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

logger = logging.getLogger("doc_priority")


class Result(StrEnum):
    """What a check came to."""

    FIRST = "first"
    """The customer's first document."""

    COUNTED = "counted"
    """The counter went down by one."""

    RESET = "reset"
    """The interval was over, and the counter began again at 0."""

    REPEATED = "repeated"
    """The document had been decided before; nothing was counted."""


class Checked(NamedTuple):
    """What checks have in common that are counted together."""

    result: Result
    priority: int
    pinned: bool


class Call(NamedTuple):
    """A service that has come back, or failed with an error of this code."""

    service: str
    seconds: float
    checks: Mapping[Checked, int]
    error: str = ""


class Observer:
    """To be derived from: each method is one thing that can be watched, and does nothing.

    Calls, waits and retries are told as they happen, whatever becomes of the transaction; checks
    and corrections once they are committed. No method is told who a customer is.
    """

    def began(self, service: str) -> Any:
        """A service was called, in this thread or task; what is returned comes back in `ended`."""

    def ended(self, call: Call, begun: Any) -> None:
        """The same call came back or failed."""

    def checked(self, checks: Mapping[Checked, int]) -> None:
        """So many documents were checked."""

    def corrected(self, kind: str, source: str, number: int) -> None:
        """So many events of one kind (reset, pin, unpin, policy, forget) were written."""

    def waited(self, seconds: float) -> None:
        """So long it took from the call until its counters were locked, or given up.

        Without others in the way this is little more than the statement that locks them.
        """

    def retried(self) -> None:
        """A transaction was given up for another one and begins again."""


observers: list[Observer] = []
"""All who watch now."""


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
