"""How much was tried, and what went wrong."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

MOST_TOLD = 5


@dataclass
class Tried:
    """An account that a proof keeps; every fault says what was tried."""

    what: str
    times: int = 0
    faults: list[str] = field(default_factory=list)

    def expect(self, held: bool, fault: str) -> None:
        self.times += 1
        if not held:
            self.faults.append(fault)

    def add(self, other: "Tried") -> None:
        self.times += other.times
        self.faults += other.faults

    @property
    def held(self) -> bool:
        """Something was tried, and nothing went wrong."""
        return self.times > 0 and not self.faults

    def __str__(self) -> str:
        told = "".join(f"\n    {fault}" for fault in self.faults[:MOST_TOLD])
        return f"{self.times:,} {self.what}, {len(self.faults):,} wrong{told}"


def sampled(all_of_them: Iterable[T], every: int) -> Iterator[T]:
    """Each so-and-so-many-th, beginning with the first."""
    return islice(all_of_them, 0, None, every)
