"""What is sent in the benchmark of the noisy neighbour, to whom, and how time is compressed."""

import json
import os
from dataclasses import asdict, dataclass, replace
from typing import Self

from doc_priority.simulation import (
    FIRST_COME,
    Again,
    AtOnce,
    AtRandom,
    Discipline,
    Kind,
    Scenario,
    by_priority,
)
from doc_priority.types import SECOND, PolicyTerms, Recovery

VARIABLE = "DOC_PRIORITY_NOISY"
REAL_INTERVAL = 1500
REAL_MINUTE = 60 * SECOND
FIRST_IN_FIRST_OUT = "fifo"
DISCIPLINES = (FIRST_IN_FIRST_OUT, *Recovery)
ENGINES = ("celery", "tasks")
FLOOD, QUIET, RARE = "flood", "quiet", "rare"
LOAD = 0.95
"""Of the workers' time, once the flood is in: that long the quiet ones go on sending."""


@dataclass(frozen=True)
class Plan:
    """One run of one engine under one discipline; the processes read it from the environment."""

    engine: str = "celery"
    discipline: str = FIRST_IN_FIRST_OUT
    documents: int = 5_000
    """Of the flood."""
    quiet: int = 50
    interval: int = 45
    """The reset interval in seconds, instead of 1500."""
    workers: int = 14
    service: float = 0.2
    """Seconds a worker sleeps for a document."""
    seed: int = 1

    @classmethod
    def current(cls) -> Self:
        return cls(**json.loads(os.environ[VARIABLE]))

    def publish(self) -> None:
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @property
    def has_priorities(self) -> bool:
        return self.discipline != FIRST_IN_FIRST_OUT

    @property
    def terms(self) -> PolicyTerms:
        recovery = Recovery(self.discipline) if self.has_priorities else Recovery.IDLE
        return PolicyTerms(self.interval, recovery)

    @property
    def warm_up(self) -> int:
        """Documents that are done before it begins, so that every worker is awake."""
        return 2 * self.workers

    @property
    def dumped_at(self) -> float:
        """Seconds after the beginning at which the flood comes: the others were there before."""
        return self.interval / 2

    @property
    def seconds(self) -> float:
        """How long documents come in."""
        own = self.workers / self.service * LOAD - self.quiet / self._compressed(REAL_MINUTE)
        if own <= 0:
            raise SystemExit("The quiet customers alone are more than the workers can do.")
        return self.dumped_at + self.documents / own

    def scenario(self, *, service: float) -> Scenario:
        """The same for the simulator, with what a document really takes of a worker's time."""
        return Scenario(
            kinds=(
                Kind(FLOOD, 1, AtOnce(self.documents, round(self.dumped_at * SECOND))),
                Kind(QUIET, self.quiet, AtRandom(1, self._microseconds(REAL_MINUTE))),
                Kind(RARE, 1, Again(1, self._microseconds(20 * REAL_MINUTE))),
            ),
            workers=self.workers,
            service=round(service * SECOND),
            length=round(self.seconds * SECOND),
            seed=self.seed,
        )

    def simulated(self) -> Discipline:
        """What the simulator has for this discipline on this engine."""
        if not self.has_priorities:
            return FIRST_COME
        return by_priority(self.terms, levels_only=self.engine == "celery")

    def under(self, discipline: str) -> Self:
        """The same under another discipline."""
        return replace(self, discipline=discipline)

    def _compressed(self, microseconds: int) -> float:
        """Seconds that stand for so much real time."""
        return microseconds * self.interval / REAL_INTERVAL / SECOND

    def _microseconds(self, microseconds: int) -> int:
        return microseconds * self.interval // REAL_INTERVAL
