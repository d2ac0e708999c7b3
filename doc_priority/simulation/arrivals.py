"""Who sends a document when: the same for every discipline that is compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Self

from doc_priority.simulation.kinds import Kind


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Documents in the order of their moments; customers and kinds are numbered from 0."""

    kinds: tuple[Kind, ...]
    moments: list[int]
    customers: list[int]
    """The customer of each document."""
    kinds_of_customers: list[int]
    """The kind of each customer."""

    @classmethod
    def of(cls, kinds: Sequence[Kind], *, length: int, seed: int) -> Self:
        """What these send from the beginning on; the same seed gives the same."""
        kinds_of_customers = list(_numbered(kinds))
        sent = sorted(
            chain.from_iterable(
                _sent_by(customer, kinds[kind], length, seed)
                for customer, kind in enumerate(kinds_of_customers)
            )
        )
        return cls(
            tuple(kinds),
            [moment for moment, _ in sent],
            [customer for _, customer in sent],
            kinds_of_customers,
        )

    def __len__(self) -> int:
        return len(self.moments)


def _numbered(kinds: Sequence[Kind]) -> Iterator[int]:
    for number, kind in enumerate(kinds):
        yield from [number] * kind.customers


def _sent_by(customer: int, kind: Kind, length: int, seed: int) -> Iterator[tuple[int, int]]:
    """A customer draws from numbers of its own, so that another one more changes nothing for it."""
    random = Random(f"{seed} {customer}")  # noqa: S311 - a simulation draws, it keeps no secret
    return ((moment, customer) for moment in kind.pattern.moments(random, length))
