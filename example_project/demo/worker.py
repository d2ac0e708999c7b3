"""The worker of the engine: a process of its own, started, watched, started again and stopped."""

import logging
import subprocess
import sys
from contextlib import closing
from threading import Event

from django.db import OperationalError, connection

from doc_priority.exceptions import DocPriorityError
from example_project import storage
from example_project.demo.stopping import SECONDS_TO_STOP
from example_project.portal.engines import QueueDown, current
from example_project.portal.services import put_back_abandoned

logger = logging.getLogger(__name__)


def attend(stop: Event) -> None:
    """Keep one worker running until told to stop."""
    with closing(connection):
        while not stop.is_set():
            code = run(stop)
            if not stop.is_set():
                logger.error(
                    "Worker: it ended with code %s; another one starts in 1 s. What was in its "
                    "work waits again. If it keeps ending, see %s",
                    code,
                    storage.WORKER_LOG,
                )
                stop.wait(1)


def run(stop: Event) -> int:
    """Run a worker to its end, which comes soon once somebody wants to stop."""
    try:
        # No worker runs now: what is started was abandoned by one that was killed.
        if documents := put_back_abandoned():
            logger.info("Worker: %s left behind by the last one waits again", documents)
    except (OperationalError, DocPriorityError, QueueDown) as error:
        logger.warning("Worker: what the last one left behind waits on: %s", error)
    program = [sys.executable, "-m", "example_project.demo", "worker", *current().worker]
    with (
        storage.WORKER_LOG.open("wb") as log,
        # In a session of its own: Ctrl-C reaches the demo alone, which then ends the worker.
        subprocess.Popen(  # noqa: S603 - our own words
            program, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
        ) as worker,
    ):
        logger.info("Worker: %s, process %s", current().name, worker.pid)
        while worker.poll() is None and not stop.wait(0.2):
            pass
        worker.terminate()  # It finishes its document.
        try:
            worker.wait(timeout=SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            worker.kill()
    return worker.returncode
