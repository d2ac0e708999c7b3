"""Live traffic: a few documents a second from changing customers, and now and then a burst."""

import logging
from collections.abc import Iterator
from itertools import cycle
from random import Random
from threading import Event
from uuid import uuid4

from django.db import OperationalError, connection

from doc_priority.exceptions import CounterBusy, TransactionConflict
from example_project.demo.data import COMPANIES, LARGE, VISITED, Company, Size, file_name
from example_project.portal.engines import QueueDown
from example_project.portal.models import Client
from example_project.portal.services import File, drop_documents

logger = logging.getLogger(__name__)


def submit_until(stop: Event) -> None:
    """Submit documents until told to stop; the first thing is a burst."""
    random = Random()
    try:
        for company, documents in traffic(random):
            if stop.wait(random.uniform(0.3, 0.7)):
                return
            names = [file_name(random) for _ in range(documents)]
            # Now and then there is one with which the worker fails.
            names = [f"unreadable-{name}" if random.random() < 0.01 else name for name in names]
            files = [File(f"doc-{uuid4().hex}", name) for name in names]
            try:
                drop_documents(Client.objects.get(key=company.key), files=files)
            except Client.DoesNotExist:
                logger.debug("%s is no customer any more", company.key)
            except (CounterBusy, TransactionConflict, OperationalError, QueueDown) as error:
                logger.warning("Traffic: nothing submitted for %s: %s", company.key, error)
    finally:
        connection.close()


def traffic(random: Random) -> Iterator[tuple[Company, int]]:
    """Whose documents come next, and how many."""
    bursting = LARGE[2:]  # The first two have their own story.
    visits = _visits(random)
    yield random.choice(bursting), random.randint(40, 110)
    while True:
        draw = random.random()
        if draw < 0.018:
            yield random.choice(bursting), random.randint(40, 110)
        elif draw < 0.35:
            yield next(visits), 1
        else:
            yield random.choice(LARGE), 1


def _visits(random: Random) -> Iterator[Company]:
    """One company after the other, each only once in about half an hour, so that it recovers."""
    others = [one for one in COMPANIES if one.size is not Size.LARGE and one != VISITED]
    for company in cycle(random.sample(others, len(others))):
        visits = (1, 3) if company.size is Size.SMALL else (4, 18)
        yield from [company] * random.randint(*visits)
