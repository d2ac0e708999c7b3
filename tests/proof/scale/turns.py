"""The same asked of databases of all sizes in turns, and what its times say."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.proof.scale.asking import Question
from tests.proof.scale.filling import COUNTING, wake
from tests.proof.scale.sizes import Size


@dataclass(frozen=True)
class Measured:
    """How long one takes at each size, how much longer than at the first, and in how many queries.

    A growth is the median over rounds, in each of which the sizes were asked one after another.
    """

    name: str
    milliseconds: dict[int, float]
    growth: dict[int, float]
    queries: dict[int, int]

    @property
    def largest(self) -> float:
        """The growth to the largest size."""
        return self.growth[max(self.growth)]


def measured(
    question: Question, sizes: Sequence[Size], *, rounds: int, counting: int = COUNTING
) -> Measured:
    """While so many customers count at each size."""
    asked = [size for size in sizes if size.customers >= question.least]
    queries = {size.customers: _prepared(question, size, counting) for size in asked}
    turns = [
        _round(question, asked if turn % 2 else asked[::-1])
        for turn in range(rounds * question.often)
    ]
    first = asked[0].customers
    return Measured(
        question.name,
        {one: median(turn[one] for turn in turns) * 1000 for one in queries},
        {one: median(turn[one] / turn[first] for turn in turns) for one in queries},
        queries,
    )


def _prepared(question: Question, size: Size, counting: int) -> int:
    """How many queries it takes; what it reads is then in the caches."""
    size.enter()
    wake(size.customers, counting=counting)
    with CaptureQueriesContext(connection) as queries:
        question.ask(size)
        return len(queries) // question.times


def _round(question: Question, sizes: Sequence[Size]) -> dict[int, float]:
    return {size.customers: _seconds(question, size) for size in sizes}


def _seconds(question: Question, size: Size) -> float:
    size.enter()
    began = time.perf_counter()
    question.ask(size)
    return (time.perf_counter() - began) / question.times
