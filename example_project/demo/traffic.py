"""Live traffic: a few documents a second from changing customers, and now and then a burst."""

import logging
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle
from random import Random
from threading import Event
from uuid import uuid4

from django.db import OperationalError, connection

from doc_priority.exceptions import CounterBusy, TransactionConflict
from example_project.demo.data import COMPANIES, LARGE, VISITED, Company, file_name
from example_project.portal.engines import QueueDown
from example_project.portal.models import Client
from example_project.portal.services import drop_documents

logger = logging.getLogger(__name__)


def submit_until(stop: Event) -> None:
    """Submit documents until told to stop; the first thing is a burst."""
    random = Random()
    with closing(connection):
        for company, documents in traffic(random):
            if stop.wait(random.uniform(0.4, 0.7)):
                return
            names = [file_name(random) for _ in range(documents)]
            # Now and then there is one with which the worker fails.
            names = [f"unreadable-{name}" if random.random() < 0.01 else name for name in names]
            try:
                client = Client.objects.get(key=company.key)
                drop_documents(client, names={f"doc-{uuid4().hex}": name for name in names})
            except Client.DoesNotExist:
                logger.debug("%s is no customer any more", company.key)
            except (CounterBusy, TransactionConflict, OperationalError, QueueDown) as error:
                logger.warning("Traffic: nothing submitted for %s: %s", company.key, error)


def traffic(random: Random) -> Iterator[tuple[Company, int]]:
    """Whose documents come next, and how many."""
    bursting = LARGE[2:]  # The first two have their own story.
    others = [company for company in COMPANIES[len(LARGE) :] if company != VISITED]
    # Each of them comes only once in about half an hour, so that it recovers.
    visits = cycle(random.sample(others, len(others)))
    yield random.choice(bursting), random.randint(40, 110)
    while True:
        draw = random.random()
        if draw < 0.018:
            yield random.choice(bursting), random.randint(40, 110)
        elif draw < 0.12:
            company = next(visits)
            yield company, random.randint(*company.documents)
        else:
            yield random.choice(LARGE), 1
