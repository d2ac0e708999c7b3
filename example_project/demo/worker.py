"""The worker: takes one document after the other in the order of the queue."""

import logging
from datetime import timedelta
from threading import Event

from django.db import OperationalError, connection
from django.utils import timezone

from example_project.portal import queue

logger = logging.getLogger(__name__)

SECONDS_PER_DOCUMENT = 0.17
SECONDS_WITHOUT_WORK = 0.3
ABANDONED_AFTER = timedelta(minutes=1)


def work_until(stop: Event) -> None:
    """Process documents until told to stop; one that is not done then goes back to its place."""
    try:
        while not stop.is_set():
            _process_next(stop)
    finally:
        connection.close()


def _process_next(stop: Event) -> None:
    try:
        document = queue.take_next()
        if document is None:
            queue.put_back_abandoned(taken_before=timezone.now() - ABANDONED_AFTER)
            stop.wait(SECONDS_WITHOUT_WORK)
        elif stop.wait(SECONDS_PER_DOCUMENT):
            queue.put_back(document)
        else:
            queue.finish(document)
    except OperationalError as error:
        logger.warning("Worker: the database did not answer: %s", error)
        stop.wait(SECONDS_WITHOUT_WORK)
