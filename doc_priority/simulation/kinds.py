"""The kinds of customers, and when those of a kind send their documents.

All spans and moments are whole microseconds, counted from the beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from random import Random


@dataclass(frozen=True, slots=True)
class AtRandom:
    """So many documents in a span on average, each whenever it likes."""

    documents: int
    span: int

    def most(self, length: int) -> int:
        """How many documents one customer sends within this time; here, on average."""
        return self.documents * length // self.span

    def moments(self, random: Random, length: int) -> Iterator[int]:
        """When one customer sends them, in order."""
        rate = self.documents / self.span
        moment = random.expovariate(rate)
        while moment < length:
            yield int(moment)
            moment += random.expovariate(rate)


@dataclass(frozen=True, slots=True)
class AtOnce:
    """So many documents at one moment, and never again."""

    documents: int
    moment: int

    def most(self, length: int) -> int:
        return self.documents if self.moment < length else 0

    def moments(self, random: Random, length: int) -> Iterator[int]:
        yield from repeat(self.moment, self.most(length))


@dataclass(frozen=True, slots=True)
class Again:
    """So many documents at one moment, and again whenever the span has passed.

    The first time is somewhere in the first span, so that customers of a kind do not march in step.
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
    """So many customers that send alike, each for itself."""

    name: str
    customers: int
    pattern: AtRandom | AtOnce | Again

    def most(self, length: int) -> int:
        """How many documents all of them send within this time, at random ones on average."""
        return self.customers * self.pattern.most(length)
