"""Somebody keeps one customer's row for half a minute: who waits, and who need not."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from django.db import connection

from doc_priority import services
from tests.concurrency.crowd import in_threads
from tests.proof.stuck import limits
from tests.proof.stuck.others import askers, other_customers, slowest_hundredth
from tests.proof.stuck.site import Site
from tests.proof.stuck.waiters import (
    HOLD,
    NAMED,
    SERVICES,
    STUCK,
    Wait,
    late_or_unnamed,
    longest,
    waiters,
    waiters_within_a_transaction,
)
from tests.proof.suite import Trial
from tests.sessions import open_transaction
from tests.stored import everything_stored

PEOPLE = 4
SHOWN = 5
OTHERS = {
    "sqlite": "Looking at other customers (peek) goes on; checks wait, for there is one write lock"
}


@dataclass(frozen=True)
class Holding:
    """How long, how often, and by how much others may become slower."""

    waiters: int
    waiters_within: int
    """So many more wait in transactions of the portal's own."""
    seconds: float
    rounds: int
    slowing: float


@dataclass(frozen=True)
class Slice:
    """What was seen while nobody kept the row, and then while somebody did."""

    calm: list[float]
    held: list[float]
    waits: list[Wait]
    waits_within: list[Wait]
    """In transactions of the portal's."""


def hold(trial: Trial, site: Site, bounds: Holding) -> None:
    free = [f"free-{number}" for number in range(bounds.waiters)]
    within = [f"within-{number}" for number in range(_within(bounds))]
    services.check_many([STUCK, *free, *within])
    keys = other_customers(PEOPLE)
    before = _kept()
    slices = [_slice(site, free, within, keys, bounds) for _ in range(bounds.rounds)]
    nothing_stored = _kept() == before
    _judge_waits(trial, bounds, _joined(one.waits for one in slices))
    if within:
        _judge_waits_within(trial, len(within), _joined(one.waits_within for one in slices))
    for call in SERVICES.values():
        call(free[0])
    trial.find(
        "A call that was refused has done nothing, and works when the row is free",
        asked="nothing stored, then every call answered",
        seen=f"{'nothing' if nothing_stored else 'something'} stored, then every call answered",
        held=nothing_stored and _kept() != before,
    )
    _judge_others(trial, bounds, slices)


def _within(bounds: Holding) -> int:
    """On SQLite the portal's transaction begins with the lock, so nothing waits within it."""
    return 0 if connection.vendor == "sqlite" else bounds.waiters_within


def _slice(
    site: Site, free: list[str], within: list[str], keys: list[list[str]], bounds: Holding
) -> Slice:
    asking = askers(keys, seconds=bounds.seconds)
    waiting = waiters(free, site, seconds=bounds.seconds)
    waiting_within = waiters_within_a_transaction(within, seconds=bounds.seconds)
    works: list[Callable[[], list[Any]]] = [*asking, *waiting, *waiting_within]
    with _nobodys_rubbish():
        calm = in_threads(asking, patience=bounds.seconds + 60)
        with open_transaction(HOLD):
            seen = iter(in_threads(works, patience=bounds.seconds + 60))
    kinds = (asking, waiting, waiting_within)
    held, waits, waits_within = (_joined(islice(seen, len(kind))) for kind in kinds)
    return Slice(_joined(calm), held, waits, waits_within)


@contextmanager
def _nobodys_rubbish() -> Iterator[None]:
    """Python may let any thread throw away what another one left behind.

    To end a statement of SQLite that thread needs its connection, and that one waits for the lock.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _joined(lists: Iterable[list[Any]]) -> list[Any]:
    return list(chain.from_iterable(lists))


def _kept() -> dict[str, list[tuple[Any, ...]]]:
    """All that is stored but what is of the other customers."""
    return {
        name: [row for row in rows if not any(str(value).startswith("other-") for value in row)]
        for name, rows in everything_stored().items()
    }


def _judge_waits(trial: Trial, bounds: Holding, waits: list[Wait]) -> None:
    limit = limits.of_a_wait()
    wrong = _told_wrong(trial, waits, limit)
    rest = sum(wait.told.startswith("503") for wait in waits)
    trial.find(
        "Whoever waits for a row that is kept gets CounterBusy in time, 503 over REST",
        asked=f"{bounds.waiters} waiters, within {limit:g} s",
        seen=f"{len(waits) - len(wrong)} of {len(waits)} calls, {rest} over REST; "
        f"the last after {longest(waits):.2f} s",
        held=not wrong and rest > 0,
        measured=rest > 0 and all(wait.told in NAMED for wait in wrong),
    )


def _judge_waits_within(trial: Trial, count: int, waits: list[Wait]) -> None:
    limit = limits.of_a_wait_within()
    wrong = _told_wrong(trial, waits, limit)
    trial.find(
        "Whoever waits within a transaction of the portal's gets CounterBusy in time, too",
        asked=f"{count} waiters beside those, within {limit:g} s",
        seen=f"{len(waits) - len(wrong)} of {len(waits)} calls; "
        f"the last after {longest(waits):.2f} s",
        held=not wrong,
        measured=all(wait.told in NAMED for wait in wrong),
    )


def _told_wrong(trial: Trial, waits: list[Wait], limit: float) -> list[Wait]:
    wrong = late_or_unnamed(waits, limit=limit)
    for wait in wrong[:SHOWN]:
        trial.say(str(wait))
    return wrong


def _judge_others(trial: Trial, bounds: Holding, slices: list[Slice]) -> None:
    calm = slowest_hundredth([one.calm for one in slices])
    held = slowest_hundredth([one.held for one in slices])
    trial.find(
        OTHERS.get(connection.vendor, "Other customers do not notice"),
        asked=f"99th percentile at most {bounds.slowing:g} times the calm one",
        seen=f"{held / calm:.2f} times ({held:.1f} ms, calm {calm:.1f} ms, "
        f"{sum(len(one.held) for one in slices):,} calls)",
        held=held <= bounds.slowing * calm,
        measured=True,
    )
