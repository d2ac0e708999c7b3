"""Places of waits on a logarithmic scale of whole powers of ten."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Self

SHORTEST = 1_000
"""A wait below a millisecond is drawn as one; 0 has no place on such a scale."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From 10**first to 10**last microseconds between two places in pixels."""

    first: int
    last: int
    left: int
    right: int

    @classmethod
    def of(cls, waits: Iterable[int], left: int, right: int) -> Self:
        """The scale on which all of these have a place, from a tenth of a second at the latest."""
        longest = max(waits)
        last = max(ceil(log10(max(longest, SHORTEST))), 5)
        return cls(floor(log10(SHORTEST)), last, left, right)

    def x(self, microseconds: int) -> float:
        place = (log10(max(microseconds, SHORTEST)) - self.first) / (self.last - self.first)
        return round(self.left + place * (self.right - self.left), 1)

    def ticks(self) -> Iterator[tuple[int, float]]:
        """Each power of ten with its place."""
        for power in range(self.first, self.last + 1):
            yield 10**power, self.x(10**power)
