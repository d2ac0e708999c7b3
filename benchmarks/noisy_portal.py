"""The portal of `benchmarks.noisy_neighbour`: its plan, its work, and who sends to it.

`python -m benchmarks.noisy_portal flood|others|warm MOMENT` sends. The flood and the others are
sent by a process each, so that nobody waits until the flood is in the queue.
"""

import os
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import transaction

from doc_priority.simulation import Again, AtOnce, AtRandom, Kind, Scenario
from doc_priority.types import SECOND, PolicyTerms, Recovery

FIRST_IN_FIRST_OUT = "fifo"
FLOOD, QUIET, RARE = "flood", "quiet", "rare"
WARM, OTHERS = "warm", "others"
SENT, BEGUN, ENDED = "sent", "begun", "ended"
TASK = "benchmarks.noisy_tasks.process"


@dataclass(frozen=True)
class Plan:
    """One run of one engine under one discipline."""

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

    @property
    def terms(self) -> PolicyTerms:
        off = self.discipline == FIRST_IN_FIRST_OUT
        return PolicyTerms(self.interval, Recovery.IDLE if off else Recovery(self.discipline))

    def scenario(self) -> Scenario:
        """The flood comes when others are at it; who is quiet goes on until it is done."""
        minute = 60 * SECOND * self.interval // 1500
        own = self.workers / self.service * 0.95 - self.quiet * SECOND / minute
        if own <= 0:
            raise SystemExit("The quiet customers alone are more than the workers can do.")
        dumped_at = self.interval * SECOND // 2
        return Scenario(
            kinds=(
                Kind(FLOOD, 1, AtOnce(self.documents, dumped_at)),
                Kind(QUIET, self.quiet, AtRandom(1, minute)),
                Kind(RARE, 1, Again(1, 20 * minute)),
            ),
            workers=self.workers,
            service=round(self.service * SECOND),
            length=dumped_at + round(self.documents / own * SECOND),
            seed=self.seed,
        )

    def settings(self) -> dict[str, Any]:
        """What of Django's settings is of this run."""
        adapter = {
            "BACKEND": "doc_priority.contrib.tasks.PriorityDatabaseBackend",
            "OPTIONS": {"prioritize": {TASK: {"customer": "customer", "document": "document"}}},
        }
        plain = {"BACKEND": "django_tasks_db.DatabaseBackend"}
        return {
            "PLAN": asdict(self),
            "DOC_PRIORITY": {"RESET_INTERVAL": self.interval, "RECOVERY": self.terms.recovery},
            "TASKS": {"default": plain if self.discipline == FIRST_IN_FIRST_OUT else adapter},
        }


def stamp(what: str, document: str) -> None:
    """Keep that this happened now, in a file of this process; on Linux all have one clock."""
    line = f"{document} {time.monotonic_ns() // 1_000}\n"
    os.write(_file(what, os.getpid()), line.encode())


@cache
def _file(what: str, process: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.open(folder() / f"{what}-{process}", flags, 0o600)


def stamped(what: str) -> dict[str, int]:
    """The moment of each document, in microseconds."""
    files = (path.read_text("ascii") for path in folder().glob(f"{what}-*"))
    pairs = (line.split() for text in files for line in text.splitlines())
    return {document: int(moment) for document, moment in pairs}


def folder() -> Path:
    return Path(settings.FOLDER)


def work(document: str) -> None:
    """What a worker does with a document: it takes its time, and says when."""
    stamp(BEGUN, document)
    time.sleep(plan().service)
    stamp(ENDED, document)


@cache
def plan() -> Plan:
    return Plan(**settings.PLAN)


def send(who: str, begin: int) -> None:
    """Each document at its moment, as portal code does."""
    django.setup()
    process = import_module("benchmarks.noisy_tasks").process
    give = process.delay if plan().engine == "celery" else process.enqueue
    if who == WARM:
        for number in range(2 * plan().workers):
            give(customer=f"warm-{number}", document=f"warm:{number}:{number}")
        return
    arrivals = plan().scenario().arrivals
    mine = []
    for number, moment in enumerate(arrivals.moments):
        customer = arrivals.customers[number]
        kind = arrivals.kinds[arrivals.kinds_of_customers[customer]].name
        if (kind == FLOOD) == (who == FLOOD):
            mine.append((begin + moment, f"{kind}-{customer}", f"{kind}:{customer}:{number}"))
    # A portal enqueues what came in one archive in one transaction.
    size = 250 if (who, plan().engine) == (FLOOD, "tasks") else 1
    for first in range(0, len(mine), size):
        with transaction.atomic() if size > 1 else nullcontext():
            for moment, customer_key, document in mine[first : first + size]:
                time.sleep(max(0, moment / SECOND - time.monotonic()))
                stamp(SENT, document)
                give(customer=customer_key, document=document)


if __name__ == "__main__":
    send(sys.argv[1], int(sys.argv[2]))
