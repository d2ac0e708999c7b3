"""Prune while others check, and while others forget whose decisions it deletes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles

from tests.proof.scale.filling import counting_keys, keep_old
from tests.proof.scale.locks import Watch, watched
from tests.proof.scale.sizes import Size
from tests.proof.workers import Worker, workers
from tests.shared_database import environment_of_the_test_database

BESIDE_COLUMNS = ("check alone", "beside it", "times", "batch with its pause")


@dataclass(frozen=True)
class Beside:
    """Checks beside prune, and beside nobody, in turns; every second one names a document."""

    calm: float
    meanwhile: float
    growth: float
    """The median over rounds of how much longer the 99th percentile is."""
    checks: int
    batches: int
    batch: float

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            f"{self.calm * 1000:.2f} ms",
            f"{self.meanwhile * 1000:.2f} ms",
            f"{self.growth:.2f}",
            f"{self.batch * 1000:.0f} ms",
        )

    def __str__(self) -> str:
        return (
            f"99th percentile of a check {self.calm * 1000:.2f} ms, beside prune "
            f"{self.meanwhile * 1000:.2f} ms, {self.growth:.2f} times ({self.checks:,} checks, "
            f"{self.batches:,} batches of {self.batch * 1000:.0f} ms with their pauses)"
        )


@contextmanager
def two_hands(size: Size) -> Iterator[Sequence[Worker]]:
    """At this size's database, and so is this thread."""
    size.enter()
    with workers("tests.proof.scale.hand", [environment_of_the_test_database()] * 2) as two:
        yield two


def checks_beside(
    action: str,
    size: Size,
    two: Sequence[Worker],
    *,
    old: int,
    rounds: int,
    seconds: float,
    **options: int,
) -> Beside:
    """So many old decisions are there again for each round of this action."""
    keys = counting_keys(size.customers)
    calm, meanwhile, batches = [], [], []
    checker, pruner = two
    _checked(checker, keys, seconds)
    for number in range(rounds * 2):
        if number % 2 == 0:
            keep_old(customers=size.customers, old=old)
        if number % 4 in (0, 3):
            calm.append(_checked(checker, keys, seconds))
            continue
        pruner.order([action, {"seconds": seconds, **options}])
        meanwhile.append(_checked(checker, keys, seconds))
        batches += pruner.answer()
    return Beside(
        calm=median(map(_p99, calm)),
        meanwhile=median(map(_p99, meanwhile)),
        growth=median(b / a for a, b in zip(map(_p99, calm), map(_p99, meanwhile), strict=True)),
        checks=sum(map(len, [*calm, *meanwhile])),
        batches=len(batches),
        batch=median(batches),
    )


def _checked(checker: Worker, keys: Sequence[str], seconds: float) -> list[float]:
    checker.order(["check", {"keys": keys, "seconds": seconds}])
    took: list[float] = checker.answer()
    return took


def locks_beside(
    action: str, size: Size, two: Sequence[Worker], *, old: int, seconds: float, in_all: float
) -> Watch:
    """The locks while this action deletes without a pause, and others check or forget.

    They take turns of so many seconds, until it was seen at work for as long as is asked in all.
    """
    watch = Watch()
    others = {"check": {"keys": counting_keys(size.customers)}, "forget": {}}
    while watch.seconds < in_all:
        for other, options in others.items():
            keep_old(customers=size.customers, old=old)
            with watched(watch):
                two[0].order([action, {"seconds": seconds, "busy_percent": 100}])
                two[1].order([other, {"seconds": seconds, **options}])
                watch.seconds += sum(two[0].answer())
                two[1].answer()
    return watch


def _p99(took: Sequence[float]) -> float:
    return quantiles(took, n=100)[-1]
