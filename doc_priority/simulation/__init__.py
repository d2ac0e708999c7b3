"""Simulate how long a portal's customers wait, with the real rule and an exact clock."""

from doc_priority.simulation.disciplines import FIRST_COME, ROUND_ROBIN, Discipline, by_priority
from doc_priority.simulation.measures import KindOutcome, Outcome, Simulation
from doc_priority.simulation.scenario import Again, Arrivals, AtOnce, AtRandom, Kind, Scenario

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
