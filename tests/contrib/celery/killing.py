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
import time
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from doc_priority.models import Counter, DocumentDecision
from tests.contrib.celery.portal import Terms
from tests.contrib.celery.workers import QUIET, lines

PUBLISHERS = WORKERS = 2
LOOK = 0.005
STEP = 0.5
"""Of the documents due between two kills, so much has to be sent or done before the next."""

SECONDS_TO_REPEAT = 30
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


@dataclass(frozen=True)
class Outcome:
    """What came of it all; `repeated` is how many documents had to be sent again in the end."""

    documents: int
    kills: int
    seconds: float
    done: int
    """Documents that were begun at least once."""
    more_than_once: int
    decided: int
    charged: int
    repeated: int

    def is_exact(self) -> bool:
        return self.done == self.decided == self.charged == self.documents


class Crew:
    """The processes, each of which can be replaced."""

    def __init__(self, terms: Terms, documents: int, environment: Mapping[str, str]) -> None:
        self.terms = terms
        self.documents = documents
        self._environment = {**terms.environment(), **environment}
        starts = [*map(self._publisher, range(PUBLISHERS)), *[self._worker] * WORKERS]
        self._alive = [(start, start()) for start in starts]

    def _publisher(self, number: int) -> Callable[[], "subprocess.Popen[bytes]"]:
        share = (str(number), str(self.documents), str(PUBLISHERS))
        noted = self._notes(number)
        module = "tests.contrib.celery.killing_publisher"
        return lambda: self._process(module, str(noted), *share)

    def _notes(self, number: int) -> Path:
        return Path(self.terms.folder, f"noted-{number}")

    def _worker(self) -> "subprocess.Popen[bytes]":
        app = ("-A", "tests.contrib.celery.worker_app", "worker", "-Q", self.terms.queue)
        return self._process("celery", *app, *QUIET, "--pool=prefork", "--concurrency=1")

    def _process(self, module: str, *arguments: str) -> "subprocess.Popen[bytes]":
        with Path(self.terms.folder, "output").open("ab") as output:
            return subprocess.Popen(
                (sys.executable, "-m", module, *arguments),
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a killed worker's own process ends with it
            )

    def sent(self) -> int:
        noted = [self._notes(number) for number in range(PUBLISHERS)]
        return sum(one.stat().st_size for one in noted if one.exists())

    def done(self) -> int:
        return self.documents - len(self.undone())

    def undone(self) -> list[str]:
        begun = {line["document"] for line in lines(self.terms)}
        return [str(number) for number in range(self.documents) if f"D-{number}" not in begun]

    def repeat(self, numbers: Sequence[str]) -> None:
        """Send these once more."""
        again = self._process("tests.contrib.celery.killing_publisher", "again", *numbers)
        assert again.wait(timeout=SECONDS_TO_REPEAT) == 0

    def kill_one(self) -> bool:
        """Whether there was one that had not ended by itself."""
        number = random.randrange(len(self._alive))
        start, process = self._alive[number]
        if process.poll() is not None:
            return False
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._alive[number] = (start, start())
        return True

    def end(self) -> None:
        for _, process in self._alive:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def outcome(
    terms: Terms, *, documents: int, kills: int, environment: Mapping[str, str], limit: float
) -> Outcome:
    """Kill so many times, spread over the work, and wait until everything is done."""
    began = time.monotonic()
    with ExitStack() as stack:
        crew = Crew(terms, documents, environment)
        stack.callback(crew.end)
        killed, due, repeated = 0, 1.0, 0
        last, moved = 0, began
        for progress in _progress(crew, began + limit):
            if progress != last:
                last, moved = progress, time.monotonic()
            if killed < kills and progress >= due:
                killed += crew.kill_one()
                due = progress + STEP * documents / kills
            elif progress >= 2 * documents:
                break
            elif time.monotonic() - moved > STUCK:
                repeated += len(undone := crew.undone())
                crew.repeat(undone)
                moved = time.monotonic()
    return _outcome(terms, documents, killed, time.monotonic() - began, repeated=repeated)


def _progress(crew: Crew, ends: float) -> Iterator[int]:
    """Documents sent and documents done, together."""
    while time.monotonic() < ends:
        yield crew.sent() + crew.done()
        Event().wait(LOOK)


def _outcome(terms: Terms, documents: int, kills: int, seconds: float, *, repeated: int) -> Outcome:
    begun = Tally(line["document"] for line in lines(terms))
    pending = Counter.objects.values_list("pending_documents", flat=True)
    return Outcome(
        documents=documents,
        kills=kills,
        seconds=seconds,
        done=len(begun),
        more_than_once=sum(times > 1 for times in begun.values()),
        decided=DocumentDecision.objects.count(),
        charged=sum(1 - count for count in pending),
        repeated=repeated,
    )
