"""When something happens next: where rules change, a microsecond before and after, and between."""

from collections.abc import Iterator
from random import Random

from tests.proof.simulation.model import DAY, Model
from tests.proof.simulation.operations import START

SECOND = 10**6
BACK = 0.1
"""So often a moment that has passed already is taken: a clock that goes back."""
TENTHS = (*range(1, 13), 29, 30, 31, 32)


def next_moment(random: Random, model: Model) -> int:
    """Mostly later than now, now and then earlier, never before the first day."""
    if random.random() < 0.4:
        return model.now + random.randrange(60 * SECOND)
    chosen = random.choice(list(_edges(random, model))) + random.choice((-1, 0, 0, 1))
    if chosen < model.now and random.random() >= BACK:
        chosen = model.now + random.choice((0, 1, SECOND, random.randrange(20 * 60 * SECOND)))
    return max(chosen, START - DAY)


def _edges(random: Random, model: Model) -> Iterator[int]:
    yield model.now
    yield model.now - random.randrange(2 * 3600 * SECOND)
    if model.customers:
        yield from _edges_of_a_counter(random, model)
    if random.random() < 0.05:
        yield from _ends_of_retention(model)


def _edges_of_a_counter(random: Random, model: Model) -> Iterator[int]:
    customer = model.customers[random.choice(sorted(model.customers))]
    interval = model.terms_of(customer).seconds * SECOND
    if customer.counter.updated is not None and customer.counter.recovered is not None:
        # Towards the end of the world the years would not do.
        yield min(customer.counter.updated + interval, START + 10_000 * DAY)
        yield min(customer.counter.recovered + interval, START + 10_000 * DAY)
        tenths = random.choice(TENTHS) * interval // 10
        yield min(customer.counter.recovered + tenths, START + 10_000 * DAY)
    if customer.counter.pin is not None:
        yield customer.counter.pin[1]


def _ends_of_retention(model: Model) -> Iterator[int]:
    for one in model.customers.values():
        for answer in one.decisions.values():
            yield answer.decided_at + model.values["DOCUMENT_RETENTION_DAYS"] * DAY
    for event in model.events:
        yield event.created_at + model.values["EVENT_RETENTION_DAYS"] * DAY
