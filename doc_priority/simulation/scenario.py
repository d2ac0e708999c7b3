"""What is simulated: customers, workers, service time, length and seed."""

from dataclasses import dataclass, field
from functools import cached_property

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.arrivals import Arrivals
from doc_priority.simulation.kinds import Again, AtRandom, Kind
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
"""Keep two workers of 0.2 s a document busy for 95 % of the time."""


@dataclass(frozen=True)
class Scenario:
    """Times are whole microseconds; what cannot be simulated is refused with its limit."""

    kinds: tuple[Kind, ...] = DEFAULT_KINDS
    workers: int = 2
    service: int = SECOND // 5
    length: int = 12 * HOUR
    seed: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        self._require_names()
        self._require_size("customers", sum(one.customers for one in self.kinds), MOST_CUSTOMERS)
        self._require_size("workers", self.workers, MOST_WORKERS)
        self._require_size("microseconds for a document", self.service, 86_400 * SECOND)
        self._require_size("documents", self.most_documents, MOST_DOCUMENTS)

    @property
    def most_documents(self) -> int:
        """How many there will be; where they come at random, on average."""
        return sum(kind.most(self.length) for kind in self.kinds)

    @property
    def load(self) -> float:
        """The part of the workers' time that the documents need; above 1 they pile up."""
        return len(self.arrivals) * self.service / (self.workers * self.length)

    @cached_property
    def arrivals(self) -> Arrivals:
        return Arrivals.of(self.kinds, length=self.length, seed=self.seed)

    def _require_names(self) -> None:
        names = [kind.name for kind in self.kinds]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(f"Two kinds of customers are called {name!r}; rename one.")

    def _require_size(self, what: str, number: int, most: int) -> None:
        if not 1 <= number <= most:
            raise InvalidInput(
                f"This would be {number:,} {what}; a simulation takes 1 to {most:,}."
            )
