"""The orders in which documents can be taken, to be compared on the same arrivals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from doc_priority.simulation.queues import ByDepth, ByPriority, InOrder, InTurn, Queue
from doc_priority.types import PolicyTerms


@dataclass(frozen=True, slots=True)
class Discipline:
    """A name, and how an empty queue of it is made."""

    name: str
    queue: Callable[[], Queue]


FIRST_COME = Discipline("first come, first served", InOrder)
ROUND_ROBIN = Discipline("round robin", InTurn)


def by_priority(terms: PolicyTerms, *, levels_only: bool = False) -> Discipline:
    """The order of the priorities under this policy, called by its recovery.

    With depth, as Django tasks and Procrastinate have it; or with the nine levels only.
    """
    return Discipline(terms.recovery, partial(ByPriority if levels_only else ByDepth, terms))
