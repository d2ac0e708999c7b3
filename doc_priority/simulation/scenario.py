"""What is simulated: customers, when each of them sends documents, and the workers.

All spans and moments are whole microseconds, counted from the beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from random import Random

from doc_priority.exceptions import InvalidInput
from doc_priority.types import SECOND

MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


@dataclass(frozen=True, slots=True)
class AtRandom:
    """This average number of documents in a span, each at a random moment."""

    documents: int
    span: int

    def most(self, length: int) -> int:
        """The number of documents of one customer within this time; here an average."""
        return self.documents * length // self.span

    def moments(self, random: Random, length: int) -> Iterator[int]:
        """The moments when one customer sends them, in order."""
        rate = self.documents / self.span
        moment = random.expovariate(rate)
        while moment < length:
            yield int(moment)
            moment += random.expovariate(rate)


@dataclass(frozen=True, slots=True)
class AtOnce:
    """This number of documents at one moment, once."""

    documents: int
    moment: int

    def most(self, length: int) -> int:
        return self.documents if self.moment < length else 0

    def moments(self, random: Random, length: int) -> Iterator[int]:
        yield from repeat(self.moment, self.most(length))


@dataclass(frozen=True, slots=True)
class Again:
    """This number of documents at one moment, and again after each span.

    The first moment is a random one in the first span, so that customers of a kind do not all send
    at the same time.
    """

    documents: int
    span: int

    def most(self, length: int) -> int:
        return self.documents * -(-length // self.span)

    def moments(self, random: Random, length: int) -> Iterator[int]:
        for moment in range(random.randrange(self.span), length, self.span):
            yield from repeat(moment, self.documents)


@dataclass(frozen=True, slots=True)
class Kind:
    """A number of customers that send in the same pattern, independently of each other."""

    name: str
    customers: int
    pattern: AtRandom | AtOnce | Again


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Documents in the order of their moments; customers and kinds are numbered from 0."""

    kinds: tuple[Kind, ...]
    moments: list[int]
    customers: list[int]
    """The customer of each document."""
    kinds_of_customers: list[int]
    """The kind of each customer."""

    def __len__(self) -> int:
        return len(self.moments)


DEFAULT_KINDS = (
    Kind("flood", 1, Again(5_000, 577 * SECOND)),
    Kind("quiet", 50, AtRandom(1, MINUTE)),
    Kind("rare", 1, Again(1, 20 * MINUTE)),
)
"""With two workers and 0.2 s a document the load is 95 %."""


@dataclass(frozen=True)
class Scenario:
    """Customers and workers; raises InvalidInput beyond a limit."""

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
        documents = sum(kind.customers * kind.pattern.most(self.length) for kind in self.kinds)
        for number, what, most in [
            (customers, "customers", 100_000),
            (self.workers, "workers", 10_000),
            (self.service, "microseconds for a document", 86_400 * SECOND),
            (documents, "documents", 2_000_000),
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
        """The documents of these kinds; the same seed gives the same documents."""
        kinds_of_customers: list[int] = []
        sent = []
        for number, kind in enumerate(self.kinds):
            for _ in range(kind.customers):
                # Each customer has its own random numbers, so another does not change them.
                customer = len(kinds_of_customers)
                random = Random(f"{self.seed} {customer}")  # noqa: S311 - keeps no secret
                sent += [(moment, customer) for moment in kind.pattern.moments(random, self.length)]
                kinds_of_customers.append(number)
        sent.sort()
        moments = [moment for moment, _ in sent]
        return Arrivals(self.kinds, moments, [customer for _, customer in sent], kinds_of_customers)
