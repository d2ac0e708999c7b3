"""Other customers, and how long their calls take meanwhile."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, count
from statistics import median, quantiles
from threading import Event

from django.db import connection

from doc_priority import services

CUSTOMERS = 10

PAUSE = 0.02
"""Seconds between two calls: who asks without one takes the processor from those who wait."""


def other_customers(people: int) -> list[list[str]]:
    """Some for each of so many who ask."""
    keys = [[f"other-{person}-{number}" for number in range(CUSTOMERS)] for person in range(people)]
    services.check_many(list(chain.from_iterable(keys)))
    return keys


def askers(keys: Sequence[Sequence[str]], *, seconds: float) -> list[Callable[[], list[float]]]:
    """They ask for so long, each for customers of its own, and give how long each call took.

    SQLite has one lock for everything, so there they look.
    """
    calls = _looks if connection.vendor == "sqlite" else _checks
    return [partial(_durations, calls(one), seconds=seconds) for one in keys]


def slowest_hundredth(slices: Sequence[Sequence[float]]) -> float:
    """In milliseconds; the middle one of the slices."""
    return 1000 * median(quantiles(durations, n=100)[98] for durations in slices)


def _durations(calls: Iterator[Callable[[], object]], *, seconds: float) -> list[float]:
    until, durations = time.monotonic() + seconds, list[float]()
    while (began := time.monotonic()) < until:
        next(calls)()
        durations.append(time.monotonic() - began)
        Event().wait(PAUSE)
    return durations


def _checks(keys: Sequence[str]) -> Iterator[Callable[[], object]]:
    for number in count():
        key = keys[number % len(keys)]
        yield partial(services.check, key)
        yield partial(services.check, key, document=f"D-{number}")
        if number % 10 == 0:
            yield partial(services.check_many, keys)


def _looks(keys: Sequence[str]) -> Iterator[Callable[[], object]]:
    for number in count():
        yield partial(services.peek, keys[number % len(keys)])
