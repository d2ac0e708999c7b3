"""Early and late in a soak, side by side: what grew, and what became slower."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.proof.soak.measuring import Sample
from tests.proof.soak.traffic import Answer

WINDOW = 1 / 6
MEGABYTE = 1_000_000
PUNCTUAL = 0.99


@dataclass(frozen=True)
class Soaked:
    """What a soak came to."""

    requests: int
    in_time: int
    """Requests that were made before the time was over."""
    errors: tuple[str, ...]
    early_memory: float
    late_memory: float
    early_connections: int
    late_connections: int
    first_percentile: float
    last_percentile: float
    replaced_workers: int
    pruned: int

    @property
    def growth(self) -> float:
        """By how much of itself memory has grown."""
        return self.late_memory / self.early_memory - 1

    @property
    def slowing(self) -> float:
        """How many times as slow the slowest were in the end."""
        return self.last_percentile / self.first_percentile

    @property
    def is_faultless(self) -> bool:
        return not self.errors and not self.replaced_workers

    @property
    def is_punctual(self) -> bool:
        return self.in_time >= self.requests * PUNCTUAL

    @property
    def hangs_up(self) -> bool:
        return self.late_connections <= self.early_connections

    def stays_small(self, *, growth: float) -> bool:
        return self.growth <= growth

    def stays_quick(self, *, slowing: float) -> bool:
        return self.slowing <= slowing


def judged(
    answers: Sequence[Answer],
    samples: Sequence[Sample],
    pruned: Sequence[int],
    *,
    seconds: float,
    percentile: int,
) -> Soaked:
    window = round(len(samples) * WINDOW)
    early, late = samples[:window], samples[-window:]
    everybody = frozenset[int]().union(*(sample.workers for sample in samples))
    return Soaked(
        requests=len(answers),
        in_time=sum(answer.due + answer.late < seconds for answer in answers),
        errors=tuple(answer.wrong for answer in answers if answer.wrong),
        early_memory=median(sample.memory for sample in early) / MEGABYTE,
        late_memory=median(sample.memory for sample in late) / MEGABYTE,
        early_connections=max(sample.connections for sample in early),
        late_connections=max(sample.connections for sample in late),
        first_percentile=_percentile(percentile, answers, 0, seconds * WINDOW),
        last_percentile=_percentile(percentile, answers, seconds * (1 - WINDOW), seconds),
        replaced_workers=len(everybody - samples[0].workers),
        pruned=sum(pruned),
    )


def _percentile(of_100: int, answers: Sequence[Answer], start: float, end: float) -> float:
    """Milliseconds that so many of 100 took at most."""
    took = sorted(answer.took for answer in answers if start <= answer.due < end)
    return took[len(took) * of_100 // 100] * 1000
