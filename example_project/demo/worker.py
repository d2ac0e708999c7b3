"""The worker of the engine: a process of its own, started, watched, started again and stopped."""

import logging
import subprocess
import sys
import time
from collections import deque
from contextlib import closing
from datetime import timedelta
from threading import Event

from django.db import OperationalError, connection

from doc_priority.exceptions import DocPriorityError
from example_project import storage
from example_project.demo.attended import SECONDS_TO_STOP
from example_project.portal.engines import QueueDown, current
from example_project.portal.requeueing import put_back_abandoned

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.2
PAUSES = (1.0, 60.0)
"""Before another one is started, in seconds: after the first end, and at most."""
LONG_ENOUGH = 30
"""Who ran for so many seconds was no false start."""
LAST_LINES = 5

Process = subprocess.Popen[bytes]


def attend(stop: Event) -> None:
    """Keep one worker running until told to stop."""
    pause = PAUSES[0]
    with closing(connection):
        while not stop.is_set():
            started = time.monotonic()
            code = _run(stop)
            if stop.is_set():
                return
            pause = PAUSES[0] if time.monotonic() - started > LONG_ENOUGH else pause
            _complain(code, pause)
            stop.wait(pause)
            pause = min(2 * pause, PAUSES[1])


def _run(stop: Event) -> int:
    """Run a worker to its end, which comes soon once somebody wants to stop."""
    _put_back()
    with _started() as worker:
        logger.info("Worker: %s, process %s", current().name, worker.pid)
        while worker.poll() is None and not stop.wait(SECONDS_BETWEEN_LOOKS):
            pass
        _end(worker)
    return worker.returncode


def _put_back() -> None:
    """No worker runs now: what is started was abandoned by one that was killed."""
    try:
        documents = put_back_abandoned(older_than=timedelta())
    except (OperationalError, DocPriorityError, QueueDown) as error:
        logger.warning("Worker: what the last one left behind waits on: %s", error)
    else:
        if documents:
            logger.info("Worker: %s left behind by the last one waits again", documents)


def _started() -> Process:
    """In a session of its own, so that Ctrl-C reaches the demo alone, which then ends it."""
    with storage.WORKER_LOG.open("wb") as log:
        return subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-m", "example_project.demo.attended", *current().worker],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _end(worker: Process) -> None:
    """Let it finish its document; one that does not is killed."""
    worker.terminate()
    try:
        worker.wait(timeout=SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        worker.kill()


def _complain(code: int, pause: float) -> None:
    with storage.WORKER_LOG.open(encoding="utf-8", errors="replace") as log:
        last = "".join(f"\n    {line.rstrip()}" for line in deque(log, LAST_LINES))
    logger.error(
        "Worker: it ended with code %s; another one starts in %d s. What was in its work waits "
        "again. If it keeps ending, see %s:%s",
        code,
        pause,
        storage.WORKER_LOG,
        last or " nothing is said there.",
    )
