"""What the stamps of one run say: the simulator's measures of what was real."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import redis
from django.core.management import call_command
from django.db import connection

from benchmarks.noisy_plan import FIRST_IN_FIRST_OUT, Plan
from benchmarks.noisy_stamps import BEGUN, ENDED, SENT, stamped
from benchmarks.run import Run
from doc_priority.models import DocumentDecision
from doc_priority.simulation import FIRST_COME, ROUND_ROBIN, Outcome, Simulation
from doc_priority.simulation.measures import outcome_of
from doc_priority.simulation.playing import Played
from doc_priority.types import SECOND

SLICE = 5 * SECOND


@dataclass(frozen=True)
class Real:
    """One run: when each document was sent, begun and done, in the order in which they came."""

    documents: Sequence[str]
    sent: Sequence[int]
    begun: Sequence[int]
    ended: Sequence[int]
    priorities: Mapping[str, int]

    @property
    def per_second(self) -> float:
        """Documents begun a second while some wait: the median of many short times.

        So that what else runs on the machine for a while does not count.
        """
        first, last = max(self._busy(), key=lambda span: span[1] - span[0])
        counts = [0] * ((last - first) // SLICE)
        for moment in self.begun:
            if first <= moment < first + SLICE * len(counts):
                counts[(moment - first) // SLICE] += 1
        return median(counts) * SECOND / SLICE

    def _busy(self) -> Iterator[tuple[int, int]]:
        """Each stretch with documents waiting, from its first arrival to its last beginning."""
        steps = sorted([(moment, 1) for moment in self.sent] + [(one, -1) for one in self.begun])
        waiting, since = 0, 0
        for moment, step in steps:
            if waiting == 0:
                since = moment
            waiting += step
            if waiting == 0:
                yield since, moment

    def outcome(self, name: str, simulation: Simulation) -> Outcome:
        """The simulator's measures of it, beside the same round robin."""
        planned = simulation.scenario.arrivals
        customers = [int(document.split(":")[1]) for document in self.documents]
        priorities = bytearray(self.priorities.get(one, 0) for one in self.documents)
        return outcome_of(
            name,
            replace(planned, moments=list(self.sent), customers=customers),
            Played(list(self.begun), priorities),
            service=simulation.scenario.service,
            fair_stays=simulation.fair_stays,
        )


@dataclass(frozen=True)
class SideBySide:
    """One engine under every discipline, and the simulator with the same."""

    outcomes: Sequence[Outcome]
    per_second: Mapping[str, float]
    simulated: Sequence[Outcome]
    service: float
    """Seconds of a worker's time for a document, by the throughput first come, first served."""


def empty(run: Run) -> None:
    """Nothing is left of the run before."""
    call_command("flush", interactive=False, verbosity=0)
    with redis.Redis(port=run.redis["volatile"]) as server:
        server.flushall()


def analyse() -> None:
    """Let PostgreSQL know the tables, as it would of a portal that has run for a while.

    Without that it sorts all that waits whenever a worker asks for a task.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def played() -> Real:
    """What was stamped; every document has been done."""
    sent, begun, ended = stamped(SENT), stamped(BEGUN), stamped(ENDED)
    lost = sent.keys() - ended.keys()
    if lost:
        raise LookupError(f"{len(lost)} documents were never done, such as {min(lost)}.")
    order = sorted(sent, key=sent.__getitem__)
    decided = dict(DocumentDecision.objects.values_list("document", "priority"))
    moments = [[stamps[one] for one in order] for stamps in (sent, begun, ended)]
    return Real(order, *moments, decided)


def side_by_side(plan: Plan, runs: Mapping[str, Real]) -> SideBySide:
    per_second = {name: run.per_second for name, run in runs.items()}
    service = plan.workers / median(per_second.values())
    simulation = Simulation(plan.scenario(service=service))
    return SideBySide(
        [run.outcome(_name(name), simulation) for name, run in runs.items()],
        {_name(name): value for name, value in per_second.items()},
        [
            simulation.outcome(ROUND_ROBIN),
            *(simulation.outcome(plan.under(name).simulated()) for name in runs),
        ],
        service,
    )


def _name(discipline: str) -> str:
    return FIRST_COME.name if discipline == FIRST_IN_FIRST_OUT else discipline
