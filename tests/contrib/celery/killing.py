"""Publishers and workers killed again and again while they handle documents.

Whoever is killed is started again at once. A publisher repeats the document it was at, and a
message that a killed worker held comes back after Redis's visibility timeout. One it was about to
take is lost with it, for Celery takes a message off its list before it notes who has it: so what is
not done in the end is sent again, as a portal has to.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter as Tally
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from kombu.exceptions import OperationalError

from doc_priority.models import Counter, DocumentDecision
from tests.contrib.celery.portal import Terms, make, of_environment
from tests.contrib.workers import eventually

CUSTOMERS = 20
PUBLISHERS = WORKERS = 2
HALF = 0.5
"""Of the documents: when so many have been sent or done, all kills have happened."""
STUCK = 12
"""Seconds without anything sent or done, in which all that was only held must have come back."""

CONF = {
    "broker_transport_options": {
        "visibility_timeout": 3,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        # Else a worker killed while it looks for them keeps all others from looking for minutes.
        "unacked_mutex_expire": 3,
    },
    "task_ignore_result": True,
}

PUBLISHER = (
    "-c",
    "import sys, django; django.setup(); from tests.contrib.celery import killing; "
    "killing.publish(sys.argv[1], *map(int, sys.argv[2:]))",
)
WORKER = (
    *("-m", "celery", "-A", "tests.contrib.celery.worker_app", "worker"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING"),
    *("--pool=prefork", "--concurrency=1", "-Q"),
)


@dataclass(frozen=True)
class Outcome:
    """How many were begun at least once, and how many had to be sent again in the end."""

    documents: int
    kills: int
    seconds: float
    done: int
    more_than_once: int
    decided: int
    charged: int
    repeated: int

    def is_exact(self) -> bool:
        return self.done == self.decided == self.charged == self.documents


def publish(noted: str, *numbers: int) -> None:
    """Send these documents and note each; started again, go on behind the last one noted."""
    process: Any = make(of_environment()).tasks["portal.process"]
    done = Path(noted).stat().st_size if Path(noted).exists() else 0
    with Path(noted).open("ab", buffering=0) as notes:
        for number in numbers[done:]:
            sent = None
            while sent is None:
                with suppress(OperationalError):
                    sent = process.delay(f"customer-{number % CUSTOMERS}", f"D-{number}")
            notes.write(b".")


def outcome(
    terms: Terms, *, documents: int, kills: int, environment: Mapping[str, str], limit: float
) -> Outcome:
    """Kill so many times, spread over the work, and wait until everything is done."""
    began = monotonic()
    start = partial(_start, terms, {**os.environ, **terms.environment(), **environment})
    notes = [Path(terms.folder, f"noted-{number}") for number in range(PUBLISHERS)]
    starts: list[Callable[[], Any]] = [partial(start, *WORKER, terms.queue)] * WORKERS
    for number, note in enumerate(notes):
        share = map(str, range(number, documents, PUBLISHERS))
        starts.append(partial(start, *PUBLISHER, str(note), *share))

    def progress() -> int:
        sent = sum(note.stat().st_size for note in notes if note.exists())
        return sent + documents - len(_undone(terms, documents))

    crew = [begin() for begin in starts]
    repeated = 0
    try:
        for number in range(kills):
            due = HALF * documents * number / kills
            eventually(lambda due=due: progress() > due, seconds=limit)
            place = random.choice([one for one in range(len(crew)) if crew[one].poll() is None])
            _kill(crew[place])
            crew[place] = starts[place]()
        while (before := progress()) < 2 * documents:
            try:
                eventually(lambda before=before: progress() > before, seconds=STUCK)
            except AssertionError:
                assert monotonic() < began + limit
                left = _undone(terms, documents)
                repeated += len(left)
                again = start(*PUBLISHER, str(Path(terms.folder, f"again-{repeated}")), *left)
                assert again.wait(timeout=30) == 0
    finally:
        for process in crew:
            _kill(process)
    begun = Tally(line["document"] for line in terms.begun())
    pending = Counter.objects.values_list("pending_documents", flat=True)
    return Outcome(
        documents=documents,
        kills=kills,
        seconds=monotonic() - began,
        done=len(begun),
        more_than_once=sum(times > 1 for times in begun.values()),
        decided=DocumentDecision.objects.count(),
        charged=sum(1 - count for count in pending),
        repeated=repeated,
    )


def _undone(terms: Terms, documents: int) -> list[str]:
    begun = {line["document"] for line in terms.begun()}
    return [str(number) for number in range(documents) if f"D-{number}" not in begun]


def _start(terms: Terms, environment: Mapping[str, str], *arguments: str) -> Any:
    with Path(terms.folder, "output").open("ab") as output:
        return subprocess.Popen(
            (sys.executable, *arguments),
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a killed worker's own process ends with it
        )


def _kill(process: Any) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
