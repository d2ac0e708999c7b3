"""A scenario, and its simulation under several disciplines with the same arrivals."""

from dataclasses import dataclass, field
from functools import cached_property

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.disciplines import ROUND_ROBIN, Discipline, Played, play
from doc_priority.simulation.measures import Outcome, mean_stays, outcome_of
from doc_priority.simulation.traffic import Again, Arrivals, AtRandom, Kind
from doc_priority.types import SECOND

MOST_DOCUMENTS = 2_000_000
MOST_CUSTOMERS = 100_000
MOST_WORKERS = 10_000

MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

DEFAULT_KINDS = (
    Kind("flood", 1, Again(5_000, 577 * SECOND)),
    Kind("quiet", 50, AtRandom(1, MINUTE)),
    Kind("rare", 1, Again(1, 20 * MINUTE)),
)
"""With two workers and 0.2 s a document the load is 95 %."""


@dataclass(frozen=True)
class Scenario:
    """Customers, workers and times in whole microseconds; raises InvalidInput beyond a limit."""

    kinds: tuple[Kind, ...] = DEFAULT_KINDS
    workers: int = 2
    service: int = SECOND // 5
    length: int = 12 * HOUR
    seed: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        names = [kind.name for kind in self.kinds]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(f"Two kinds of customers are called {name!r}; rename one.")
        customers = sum(kind.customers for kind in self.kinds)
        # An average, where they arrive at random.
        documents = sum(kind.most(self.length) for kind in self.kinds)
        for number, what, most in [
            (customers, "customers", MOST_CUSTOMERS),
            (self.workers, "workers", MOST_WORKERS),
            (self.service, "microseconds for a document", 86_400 * SECOND),
            (documents, "documents", MOST_DOCUMENTS),
        ]:
            if not 1 <= number <= most:
                raise InvalidInput(
                    f"This would be {number:,} {what}; a simulation takes 1 to {most:,}."
                )

    @property
    def load(self) -> float:
        """The share of the workers' time that the documents need; above 1 they pile up."""
        return len(self.arrivals) * self.service / (self.workers * self.length)

    @cached_property
    def arrivals(self) -> Arrivals:
        return Arrivals.of(self.kinds, length=self.length, seed=self.seed)


class Simulation:
    """One scenario, to be run under any number of disciplines."""

    def __init__(self, scenario: Scenario) -> None:
        if not scenario.arrivals.moments:
            raise InvalidInput("No customer sends a document in this time; make it longer.")
        self.scenario = scenario

    def outcome(self, discipline: Discipline) -> Outcome:
        """The figures of this discipline."""
        return outcome_of(
            discipline.name,
            self.scenario.arrivals,
            self.played(discipline),
            service=self.scenario.service,
            fair_stays=self.fair_stays,
        )

    def played(self, discipline: Discipline) -> Played:
        """When each document is begun under this discipline; round robin is run once only."""
        if discipline is ROUND_ROBIN:
            return self._in_turn
        return self._played(discipline)

    @cached_property
    def fair_stays(self) -> list[float]:
        """The mean stay of each customer's documents under round robin."""
        service = self.scenario.service
        return mean_stays(self.scenario.arrivals, self._in_turn, service=service)

    @cached_property
    def _in_turn(self) -> Played:
        return self._played(ROUND_ROBIN)

    def _played(self, discipline: Discipline) -> Played:
        return play(
            self.scenario.arrivals,
            discipline.queue(),
            workers=self.scenario.workers,
            service=self.scenario.service,
        )
