"""The worker of the engine: a process of its own, started, watched, started again and stopped."""

import logging
import signal
import subprocess
import sys
import time
from typing import Never

from django.db import OperationalError

from doc_priority.exceptions import DocPriorityError
from example_project import storage
from example_project.portal.engines import QueueDown, current
from example_project.portal.services import put_back_abandoned

logger = logging.getLogger(__name__)

SECONDS_TO_STOP = 5  # what does not end within this time is killed

signals: list[int] = []
"""Those that asked to stop. They are remembered only: an exception out of nowhere, within an import
or a finalizer, may be dropped or leave a traceback."""


def listen() -> None:
    """From now on Ctrl-C and SIGTERM are requests, and kill nothing."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: signals.append(number))


def obey() -> None:
    """Go no further if somebody asked to stop."""
    if signals:
        raise KeyboardInterrupt


def attend() -> Never:
    """Keep one worker running until somebody asks to stop."""
    while True:
        try:
            # No worker runs now: what is started was abandoned by one that was killed.
            if documents := put_back_abandoned():
                logger.info("Worker: %s left behind by the last one waits again", documents)
        except (OperationalError, DocPriorityError, QueueDown) as error:
            logger.warning("Worker: what the last one left behind waits on: %s", error)
        code = run()
        text = (
            "Worker: it ended with code %s; another one starts in 1 s. If it keeps ending, see %s"
        )
        logger.error(text, code, storage.WORKER_LOG)
        time.sleep(1)


def run() -> int:
    """Run a worker to its end, which comes soon once somebody wants to stop."""
    program = [sys.executable, "-m", "example_project.demo", "worker", *current().worker]
    with (
        storage.WORKER_LOG.open("wb") as log,
        # In a session of its own: Ctrl-C reaches the demo alone, which then ends the worker.
        subprocess.Popen(  # noqa: S603 - our own words
            program, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
        ) as worker,
    ):
        logger.info("Worker: %s, process %s", current().name, worker.pid)
        try:
            while worker.poll() is None:
                obey()
                time.sleep(0.2)
        finally:
            worker.terminate()  # It finishes its document.
            try:
                worker.wait(timeout=SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                worker.kill()
    return worker.returncode
