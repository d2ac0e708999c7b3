"""What threads see that make bulk calls at once."""

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from doc_priority import observing
from doc_priority.exceptions import CounterBusy, TransactionConflict
from tests.concurrency.crowd import in_threads
from tests.proof.deadlocks.calls import Call, make


@dataclass(frozen=True)
class Seen:
    """What reached the callers, and what they were spared."""

    calls: int
    deadlocks: int
    refused: int
    """Calls that waited for too long, and were made again."""
    retried: int
    """Attempts that the database gave up, and that began again unseen."""


class Retries(observing.Observer):
    """Counts them."""

    def __init__(self) -> None:
        self.seen: list[None] = []

    def retried(self) -> None:
        self.seen.append(None)  # as one step, whichever thread it is


def made_at_once(calls: Sequence[Call], *, threads: int, patience: float) -> Seen:
    """Each thread makes its share of the calls, and again those that did nothing."""
    works = [partial(_make_all, calls[number::threads]) for number in range(threads)]
    with _observed() as retries:
        tallies = in_threads(works, patience=patience)
    total = sum(tallies, Tally[str]())
    return Seen(total["made"], total["deadlock"], total["busy"], len(retries.seen))


@contextmanager
def _observed() -> Iterator[Retries]:
    retries = Retries()
    observing.register(retries)
    try:
        yield retries
    finally:
        observing.unregister(retries)


def _make_all(calls: Sequence[Call]) -> Tally[str]:
    return sum(map(_made, calls), Tally[str]())


def _made(call: Call) -> Tally[str]:
    tally = Tally[str]()
    while not tally["made"]:
        try:
            make(call)
        except TransactionConflict:
            tally["deadlock"] += 1
        except CounterBusy:
            tally["busy"] += 1
        else:
            tally["made"] += 1
    return tally
