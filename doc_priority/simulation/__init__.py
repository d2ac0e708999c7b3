"""What waits a portal's customers would have, by an exact clock and the real rule."""

from doc_priority.simulation.arrivals import Arrivals
from doc_priority.simulation.disciplines import (
    FIRST_COME,
    ROUND_ROBIN,
    Discipline,
    by_priority,
)
from doc_priority.simulation.kinds import Again, AtOnce, AtRandom, Kind
from doc_priority.simulation.measures import KindOutcome, Outcome
from doc_priority.simulation.scenario import Scenario
from doc_priority.simulation.simulating import Simulation

__all__ = [
    "FIRST_COME",
    "ROUND_ROBIN",
    "Again",
    "Arrivals",
    "AtOnce",
    "AtRandom",
    "Discipline",
    "Kind",
    "KindOutcome",
    "Outcome",
    "Scenario",
    "Simulation",
    "by_priority",
]
