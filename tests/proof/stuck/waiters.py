"""Those who wait for a customer whom somebody keeps, and how long it took until they were told."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from django.db import transaction

from doc_priority import services
from doc_priority.exceptions import DocPriorityError
from tests.proof.stuck.site import Line, Site

STUCK = "stuck"
HOLD = f"UPDATE doc_priority_counter SET pending_documents = 0 WHERE customer_id = '{STUCK}'"

NAMED = {"CounterBusy", "503 counter_busy"}

SERVICES: dict[str, Callable[[str], object]] = {
    "check": lambda free: services.check(STUCK),
    "check with a document": lambda free: services.check(STUCK, document=free),
    "check_many": lambda free: services.check_many([free, STUCK]),
    "reset_many": lambda free: services.reset_many([free, STUCK]),
}
"""Each is given a customer whom nobody keeps."""

REST: dict[str, Callable[[Line, str], str]] = {
    "POST check/": lambda line, free: line.ask(
        "POST", f"customers/{STUCK}/check/", {"document": free}
    ),
    "POST checks/": lambda line, free: line.ask(
        "POST", "checks/", {"items": [{"customer": free}, {"customer": STUCK}]}
    ),
}


class Wait(NamedTuple):
    call: str
    told: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.call}: {self.told} after {self.seconds:.2f} s"


Waiter = Callable[[], list[Wait]]


def waiters(free: Sequence[str], site: Site, *, seconds: float) -> list[Waiter]:
    """One for each of the customers whom nobody keeps, by turns of each kind.

    They ask anew until so much time has passed.
    """
    kinds = [
        *(partial(_over_services, name, seconds=seconds) for name in SERVICES),
        *(partial(_over_rest, name, site, seconds=seconds) for name in REST),
    ]
    return [partial(kinds[number % len(kinds)], free=key) for number, key in enumerate(free)]


def waiters_within_a_transaction(free: Sequence[str], *, seconds: float) -> list[Waiter]:
    """The same of the services, each call in a transaction of the portal's own."""
    names = list(SERVICES)
    return [
        partial(_within_a_transaction, names[number % len(names)], free=key, seconds=seconds)
        for number, key in enumerate(free)
    ]


def _over_services(name: str, *, free: str, seconds: float) -> list[Wait]:
    return _waits(name, partial(told_by, SERVICES[name], free), seconds=seconds)


def _within_a_transaction(name: str, *, free: str, seconds: float) -> list[Wait]:
    call = partial(_in_one_transaction, SERVICES[name])
    return _waits(name, partial(told_by, call, free), seconds=seconds)


def _in_one_transaction(call: Callable[[str], object], free: str) -> None:
    with transaction.atomic():
        call(free)


def _over_rest(name: str, site: Site, *, free: str, seconds: float) -> list[Wait]:
    with site.line() as line:
        return _waits(name, partial(REST[name], line, free), seconds=seconds)


def _waits(name: str, told: Callable[[], str], *, seconds: float) -> list[Wait]:
    until, waits = time.monotonic() + seconds, list[Wait]()
    while time.monotonic() < until:
        waits.append(waited(name, told))
    return waits


def waited(call: str, told: Callable[[], str]) -> Wait:
    """How long it took until it was told."""
    began = time.monotonic()
    return Wait(call, told(), time.monotonic() - began)


def longest(waits: Sequence[Wait]) -> float:
    return max(wait.seconds for wait in waits)


def told_by(call: Callable[[str], object], free: str) -> str:
    """The name of the service's error; `answered` if there was none."""
    try:
        call(free)
    except DocPriorityError as error:
        return type(error).__name__
    return "answered"


def late_or_unnamed(waits: Sequence[Wait], *, limit: float) -> list[Wait]:
    return [wait for wait in waits if wait.told not in NAMED or wait.seconds > limit]
