"""A scenario played under several disciplines, and the figures: waits, throughput and fairness."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.disciplines import ROUND_ROBIN, Discipline, Played, play
from doc_priority.simulation.scenario import HOUR, Arrivals, Scenario
from doc_priority.types import SECOND, WORST_PRIORITY


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
    """Jain's fairness index: 1 if all are served as in a fair order, 1/n if only one of n is."""
    kinds: tuple[KindOutcome, ...]

    def kind(self, name: str) -> KindOutcome:
        return next(one for one in self.kinds if one.kind == name)


class Simulation:
    """One scenario, to be run under any number of disciplines."""

    def __init__(self, scenario: Scenario) -> None:
        if not scenario.arrivals:
            raise InvalidInput("No customer sends a document in this time; make it longer.")
        self.scenario = scenario
        self._in_turn = self._play(ROUND_ROBIN)
        self._fair_stays = self._mean_stays(self._in_turn)

    def outcome(self, discipline: Discipline) -> Outcome:
        """The figures of this discipline; round robin is the measure of a fair order."""
        arrivals = self.scenario.arrivals
        played = self._in_turn if discipline is ROUND_ROBIN else self._play(discipline)
        makespan = max(played.starts) + self.scenario.service - arrivals.moments[0]
        # For each customer with documents: 1 if it is served as fast as in a fair order, or faster.
        stays = zip(self._mean_stays(played), self._fair_stays, strict=True)
        speeds = [min(1.0, fair / stay) for stay, fair in stays if stay]
        return Outcome(
            discipline.name,
            makespan,
            len(arrivals) * HOUR / makespan,
            sum(speeds) ** 2 / (len(speeds) * sum(speed**2 for speed in speeds)),
            tuple(_outcomes_of_kinds(arrivals, played)),
        )

    def _play(self, discipline: Discipline) -> Played:
        scenario = self.scenario
        return play(
            scenario.arrivals,
            discipline.queue(),
            workers=scenario.workers,
            service=scenario.service,
        )

    def _mean_stays(self, played: Played) -> list[float]:
        """The mean time from arrival until done, for each customer; 0 without documents."""
        arrivals = self.scenario.arrivals
        stays = [0] * len(arrivals.kinds_of_customers)
        documents = [0] * len(stays)
        sent = zip(arrivals.customers, arrivals.moments, played.starts, strict=True)
        for customer, moment, start in sent:
            stays[customer] += start - moment + self.scenario.service
            documents[customer] += 1
        return [stay / max(count, 1) for stay, count in zip(stays, documents, strict=True)]


def _outcomes_of_kinds(arrivals: Arrivals, played: Played) -> Iterator[KindOutcome]:
    waits: list[list[int]] = [[] for _ in arrivals.kinds]
    at_worst = [0] * len(waits)
    for customer, moment, start, priority in zip(
        arrivals.customers, arrivals.moments, played.starts, played.priorities, strict=True
    ):
        kind = arrivals.kinds_of_customers[customer]
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


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The smallest value that is at least as large as this percentage of the values."""
    return ordered[-(-percent * len(ordered) // 100) - 1]


def in_seconds(microseconds: int) -> str:
    """With three digits or more, such as `0.189 s`, `2.40 s`, `47.3 s` or `12,356 s`."""
    seconds = microseconds / SECOND
    decimals = 3 if seconds < 1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:,.{decimals}f} s"


def counted(number: int, noun: str) -> str:
    """Such as `1 worker` or `35,776 documents`."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def about_kind(kind: KindOutcome) -> str:
    """Such as `quiet (50 customers, 35,776 documents)`."""
    customers, documents = counted(kind.customers, "customer"), counted(kind.documents, "document")
    return f"{kind.kind} ({customers}, {documents})"
