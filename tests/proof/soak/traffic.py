"""People who ask at a steady pace, whoever is still waiting, and how long they wait."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from time import monotonic
from typing import NamedTuple

from tests.proof.soak.asking import ask
from tests.proof.soak.day import Day
from tests.proof.soak.people import People
from tests.proof.soak.requests import Request

PEOPLE_AT_ONCE = 16
"""More than there are workers, so that the pace is kept while some of them are slow."""


class Answer(NamedTuple):
    """Times are counted from when it was due: a request that others hold up waits as well."""

    due: float
    """So many seconds from the beginning."""
    late: float
    """Seconds until it was asked for."""
    took: float
    """Seconds until it was there."""
    wrong: str


def traffic(
    port: int, people: People, day: Day, *, seconds: float, per_second: float
) -> list[Answer]:
    """All answers to what is due in this time, in the order in which it is due."""
    began = monotonic()

    def answer(due: float, request: Request) -> Answer:
        late = monotonic() - began - due
        wrong = ask(port, people, request)
        return Answer(due, late, monotonic() - began - due, wrong)

    with ThreadPoolExecutor(PEOPLE_AT_ONCE) as pool:
        asked = []
        for number in range(round(seconds * per_second)):
            due = number / per_second
            Event().wait(max(0, began + due - monotonic()))
            asked.append(pool.submit(answer, due, day.draw()))
        return [one.result() for one in asked]


def warm_up(port: int, people: People, day: Day, *, requests: int) -> None:
    """Let the workers serve every kind of request, as fast as they can."""
    drawn = [day.draw() for _ in range(requests)]
    with ThreadPoolExecutor(PEOPLE_AT_ONCE) as pool:
        list(pool.map(partial(ask, port, people), drawn))
