"""The figures of a run: waits of each kind of customers, throughput and fairness."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from doc_priority.simulation.disciplines import Played
from doc_priority.simulation.traffic import Arrivals
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
    """The share of its documents at priority 9; None under a discipline without priorities."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of one discipline; times in microseconds."""

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
    """The figures; `fair_stays` is the mean stay of each customer's documents in a fair order."""
    makespan = max(played.starts) + service - arrivals.moments[0]
    # For each customer with documents: 1 if it is served as fast as in a fair order, or faster.
    stays = mean_stays(arrivals, played, service=service)
    speeds = [min(1.0, fair / stay) for stay, fair in zip(stays, fair_stays, strict=True) if stay]
    return Outcome(
        discipline,
        makespan,
        len(arrivals) * SECONDS_AN_HOUR * SECOND / makespan,
        jain(speeds),
        tuple(_outcomes_of_kinds(arrivals, played)),
    )


def mean_stays(arrivals: Arrivals, played: Played, *, service: int) -> list[float]:
    """The mean time from arrival until done, for each customer; 0 without documents."""
    stays = [0] * len(arrivals.kinds_of_customers)
    documents = [0] * len(stays)
    sent = zip(arrivals.customers, arrivals.moments, played.starts, strict=True)
    for customer, moment, start in sent:
        stays[customer] += start - moment + service
        documents[customer] += 1
    return [stay / max(count, 1) for stay, count in zip(stays, documents, strict=True)]


def jain(values: Sequence[float]) -> float:
    """Jain's fairness index: 1 if all values are equal, 1/n if one of n has everything."""
    return sum(values) ** 2 / (len(values) * sum(value**2 for value in values))


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The smallest value that is at least as large as this percentage of the values."""
    return ordered[-(-percent * len(ordered) // 100) - 1]


def _outcomes_of_kinds(arrivals: Arrivals, played: Played) -> Iterator[KindOutcome]:
    waits: list[list[int]] = [[] for _ in arrivals.kinds]
    at_worst = [0] * len(waits)
    kinds_of_documents = map(arrivals.kinds_of_customers.__getitem__, arrivals.customers)
    for kind, moment, start, priority in zip(
        kinds_of_documents, arrivals.moments, played.starts, played.priorities, strict=True
    ):
        waits[kind].append(start - moment)
        at_worst[kind] += priority == WORST_PRIORITY
    has_priorities = any(played.priorities)
    for one, ordered, worst in zip(arrivals.kinds, map(sorted, waits), at_worst, strict=True):
        if ordered:
            yield KindOutcome(
                one.name,
                one.customers,
                len(ordered),
                median=percentile(ordered, 50),
                p95=percentile(ordered, 95),
                p99=percentile(ordered, 99),
                longest=ordered[-1],
                worst_share=worst / len(ordered) if has_priorities else None,
            )


def in_seconds(microseconds: int) -> str:
    """With three digits or more, such as `0.189 s`, `2.40 s`, `47.3 s` or `12,356 s`."""
    seconds = microseconds / SECOND
    decimals = 3 if seconds < 1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:,.{decimals}f} s"


def in_percent(share: float | None) -> str:
    """Such as `20 %`; a dash for None."""
    return "–" if share is None else f"{100 * share:.0f} %"


def about_kind(kind: KindOutcome) -> str:
    """Such as `quiet (50 customers, 35,776 documents)`."""

    def counted(number: int, what: str) -> str:
        return f"1 {what}" if number == 1 else f"{number:,} {what}s"

    customers, documents = counted(kind.customers, "customer"), counted(kind.documents, "document")
    return f"{kind.kind} ({customers}, {documents})"
