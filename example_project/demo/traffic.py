"""Live traffic: a few documents a second from changing clients, and now and then a burst."""

import logging
from collections.abc import Iterator
from itertools import cycle
from random import Random
from threading import Event
from uuid import uuid4

from django.db import OperationalError, connection

from doc_priority.exceptions import CounterBusy, TransactionConflict
from example_project.demo.companies import (
    COMPANIES,
    FLOODING,
    HURRIED,
    VISITED,
    Company,
    Size,
    of_size,
)
from example_project.demo.drops import file_name
from example_project.portal.engines import QueueDown
from example_project.portal.models import Client
from example_project.portal.services import File, drop_documents

logger = logging.getLogger(__name__)

PAUSE = (0.3, 0.7)
BURST = (40, 110)
BURSTS = 0.018
VISITS = 0.33
"""The share of drops that are bursts, and of those from small and medium companies."""

UNREADABLE = 0.01

VISIT = {Size.SMALL: (1, 3), Size.MEDIUM: (4, 18)}
"""How many documents such a company sends before it is another one's turn."""


def drop_until(stop: Event) -> None:
    """Drop documents until told to stop; the first thing is a burst."""
    random = Random()
    drops = _drops(random)
    try:
        while not stop.wait(random.uniform(*PAUSE)):
            company, documents = next(drops)
            _drop(company, documents, random)
    finally:
        connection.close()


def _drops(random: Random) -> Iterator[tuple[Company, int]]:
    large = of_size(Size.LARGE)
    bursting = [company for company in large if company.key not in {FLOODING.key, HURRIED.key}]
    visits = _visits(random)
    yield random.choice(bursting), random.randint(*BURST)
    while True:
        draw = random.random()
        if draw < BURSTS:
            yield random.choice(bursting), random.randint(*BURST)
        elif draw < BURSTS + VISITS:
            yield next(visits), 1
        else:
            yield random.choice(large), 1


def _visits(random: Random) -> Iterator[Company]:
    """One company after the other, each only once in about half an hour, so that it recovers."""
    others = [
        company
        for company in COMPANIES
        if company.size is not Size.LARGE and company.key != VISITED.key
    ]
    for company in cycle(random.sample(others, len(others))):
        yield from [company] * random.randint(*VISIT[company.size])


def _drop(company: Company, documents: int, random: Random) -> None:
    files = [File(f"doc-{uuid4().hex}", _file_name(random)) for _ in range(documents)]
    try:
        drop_documents(Client.objects.get(key=company.key), files=files)
    except Client.DoesNotExist:
        logger.debug("%s is no client any more", company.key)
    except (CounterBusy, TransactionConflict, OperationalError, QueueDown) as error:
        logger.warning("Traffic: nothing dropped for %s: %s", company.key, error)


def _file_name(random: Random) -> str:
    """Now and then one with which the worker fails."""
    name = file_name(random)
    return f"unreadable-{name}" if random.random() < UNREADABLE else name
