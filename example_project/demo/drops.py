"""A believable day before the demo starts: which company dropped how many documents, and when."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from example_project.demo.companies import (
    COMPANIES,
    FLOODING,
    VISITED,
    Company,
    Size,
    of_size,
)

HOURS = 24
STEP = timedelta(minutes=1)
CURVE = (2, 1, 1, 1, 2, 3, 5, 8, 12, 14, 13, 11, 9, 11, 13, 12, 10, 7, 5, 4, 3, 3, 2, 2)
"""How busy each hour of the day is, beside the others."""

FLOOD = 240
BUSY_DOCUMENTS = (4, 6, 8, 10, 12, 14, 16, 18, 22, 26)
"""So many documents came lately from one medium company each: they stand everywhere from 2 to 9."""

BUSY = [company for company in of_size(Size.MEDIUM) if company.policy is None][
    : len(BUSY_DOCUMENTS)
]
SETTLED = [*BUSY, VISITED]
"""What they stand at now is known: nothing else of theirs came within the last hour."""

RECOVERED = timedelta(hours=1)

FILE_NAMES = ("invoice-{}.pdf", "delivery-note-{}.pdf", "contract-{}.pdf", "scan-{}.tif")


class Plan(NamedTuple):
    """How often a company of some size drops documents in a day, and how many at once."""

    drops: tuple[int, int]
    documents: tuple[int, int]


PLANS = {
    Size.LARGE: Plan((25, 45), (2, 9)),
    Size.MEDIUM: Plan((2, 6), (1, 8)),
    Size.SMALL: Plan((0, 3), (1, 2)),
}


class PlannedDrop(NamedTuple):
    """Some documents of one company at one moment."""

    at: datetime
    company: Company
    documents: int


def day_before(until: datetime, random: Random) -> list[PlannedDrop]:
    """The drops of the day before this moment, in their order."""
    drops = [*_ordinary(until, random), *_busy_now(until), *_flood(until)]
    return sorted(drops, key=lambda drop: drop.at)


def file_name(random: Random) -> str:
    return random.choice(FILE_NAMES).format(random.randint(1000, 9999))


def _ordinary(until: datetime, random: Random) -> Iterator[PlannedDrop]:
    moments = [until - STEP * minutes for minutes in range(1, HOURS * 60)]
    weights = [CURVE[moment.hour] for moment in moments]
    for company in COMPANIES:
        plan = PLANS[company.size]
        for moment in random.choices(moments, weights, k=random.randint(*plan.drops)):
            if company not in SETTLED or until - moment > RECOVERED:
                yield PlannedDrop(moment, company, random.randint(*plan.documents))


def _busy_now(until: datetime) -> Iterator[PlannedDrop]:
    """Two drops each, a quarter of an hour and some minutes ago."""
    for place, (company, total) in enumerate(zip(BUSY, BUSY_DOCUMENTS, strict=True)):
        yield PlannedDrop(until - STEP * (15 + place % 4), company, total // 2)
        yield PlannedDrop(until - STEP * (4 + place % 5), company, total - total // 2)
    yield PlannedDrop(until - STEP * 12, VISITED, 2)


def _flood(until: datetime) -> Iterator[PlannedDrop]:
    for minutes in (3, 2, 1):
        yield PlannedDrop(until - STEP * minutes, FLOODING, FLOOD // 3)
