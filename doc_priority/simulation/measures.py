"""What is made of one run: waits for each kind of customers, throughput and fairness."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from doc_priority.simulation.arrivals import Arrivals
from doc_priority.simulation.playing import Played
from doc_priority.types import SECOND, WORST_PRIORITY

SECONDS_AN_HOUR = 3_600


@dataclass(frozen=True, slots=True)
class KindOutcome:
    """The waits of one kind of customers, from a document's arrival until a worker begins it."""

    kind: str
    customers: int
    documents: int
    median: int
    p95: int
    p99: int
    longest: int
    worst_share: float | None
    """The part of its documents that was at priority 9; None where there were no priorities."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one discipline made of all arrivals; times in microseconds."""

    discipline: str
    makespan: int
    """From the first arrival until the last document is done."""
    documents_per_hour: float
    jain: float
    kinds: tuple[KindOutcome, ...]

    def kind(self, name: str) -> KindOutcome:
        return next(one for one in self.kinds if one.kind == name)


def outcome_of(
    discipline: str,
    arrivals: Arrivals,
    played: Played,
    *,
    service: int,
    fair_stays: Sequence[float],
) -> Outcome:
    """The measures; `fair_stays` is how long a document of each customer stays in a fair order."""
    makespan = max(played.starts) + service - arrivals.moments[0]
    return Outcome(
        discipline,
        makespan,
        len(arrivals) * SECONDS_AN_HOUR * SECOND / makespan,
        jain(speeds(mean_stays(arrivals, played, service=service), fair_stays)),
        tuple(_kinds(arrivals, played)),
    )


def mean_stays(arrivals: Arrivals, played: Played, *, service: int) -> list[float]:
    """How long a document of each customer stays on average, until it is done; 0 without one."""
    stays = [0] * len(arrivals.kinds_of_customers)
    documents = [0] * len(stays)
    for customer, wait in zip(arrivals.customers, _waits(arrivals, played), strict=True):
        stays[customer] += wait + service
        documents[customer] += 1
    return [stay / max(count, 1) for stay, count in zip(stays, documents, strict=True)]


def speeds(stays: Sequence[float], fair_stays: Sequence[float]) -> list[float]:
    """Of each customer that sent something: 1 where it is served as in a fair order or faster."""
    return [min(1.0, fair / stay) for stay, fair in zip(stays, fair_stays, strict=True) if stay]


def jain(values: Sequence[float]) -> float:
    """Jain's fairness index: 1 if all have the same, 1/n if one of n has it all."""
    return sum(values) ** 2 / (len(values) * sum(value**2 for value in values))


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The smallest value that is not exceeded by this percentage of them."""
    return ordered[-(-percent * len(ordered) // 100) - 1]


def _waits(arrivals: Arrivals, played: Played) -> Iterator[int]:
    for moment, start in zip(arrivals.moments, played.starts, strict=True):
        yield start - moment


def _kinds(arrivals: Arrivals, played: Played) -> Iterator[KindOutcome]:
    waits: list[list[int]] = [[] for _ in arrivals.kinds]
    worst = [0] * len(waits)
    kinds_of_documents = map(arrivals.kinds_of_customers.__getitem__, arrivals.customers)
    for kind, wait, priority in zip(
        kinds_of_documents, _waits(arrivals, played), played.priorities, strict=True
    ):
        waits[kind].append(wait)
        worst[kind] += priority == WORST_PRIORITY
    has_priorities = any(played.priorities)
    for one, ordered, at_worst in zip(arrivals.kinds, map(sorted, waits), worst, strict=True):
        if ordered:
            share = at_worst / len(ordered) if has_priorities else None
            yield _kind_outcome(one.name, one.customers, ordered, share)


def _kind_outcome(
    name: str, customers: int, ordered: Sequence[int], worst_share: float | None
) -> KindOutcome:
    return KindOutcome(
        name,
        customers,
        len(ordered),
        median=percentile(ordered, 50),
        p95=percentile(ordered, 95),
        p99=percentile(ordered, 99),
        longest=ordered[-1],
        worst_share=worst_share,
    )
