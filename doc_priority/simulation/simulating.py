"""Disciplines side by side on the very same arrivals."""

from functools import cached_property

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.disciplines import ROUND_ROBIN, Discipline
from doc_priority.simulation.measures import Outcome, mean_stays, outcome_of
from doc_priority.simulation.playing import Played, play
from doc_priority.simulation.scenario import Scenario


class Simulation:
    """One scenario, to be run under as many disciplines as wanted."""

    def __init__(self, scenario: Scenario) -> None:
        if not scenario.arrivals.moments:
            raise InvalidInput("No customer sends a document in this time; make it longer.")
        self.scenario = scenario

    def outcome(self, discipline: Discipline) -> Outcome:
        """What this discipline makes of the arrivals."""
        return outcome_of(
            discipline.name,
            self.scenario.arrivals,
            self.played(discipline),
            service=self.scenario.service,
            fair_stays=self.fair_stays,
        )

    def played(self, discipline: Discipline) -> Played:
        """When each document is begun under this discipline."""
        if discipline is ROUND_ROBIN:
            return self._in_turn
        return self._played(discipline)

    @cached_property
    def fair_stays(self) -> list[float]:
        """How long a document of each customer stays under round robin, on average."""
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
