"""A crowd of processes at one database, under one isolation level."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from tests.proof.counting.actions import Seen
from tests.proof.counting.items import Item, shares
from tests.proof.counting.levels import Level
from tests.proof.workers import Worker, workers
from tests.shared_database import environment_of_the_test_database


class Crowd:
    """Processes that have connected, each with so many threads."""

    def __init__(self, processes: Sequence[Worker], threads: int, level: Level) -> None:
        self._processes = processes
        self._threads = threads
        self._level = level

    def do(self, action: str, wanted: Sequence[Item]) -> list[Seen]:
        """Let all of them do it at once; what they saw."""
        handed = shares(wanted, len(self._processes) * self._threads)
        for number, process in enumerate(self._processes):
            share = handed[number * self._threads : (number + 1) * self._threads]
            process.order([action, share])
        answers = [process.answer() for process in self._processes]
        self._look_at(levels for levels, _ in answers)
        return [Seen(*row) for _, rows in answers for row in rows]

    def _look_at(self, levels: Iterable[Iterable[str]]) -> None:
        """Under another level than was meant nothing is proven."""
        told = set(chain.from_iterable(levels))
        if told != {self._level.told}:
            raise RuntimeError(f"sessions at {sorted(told)} were to be at {self._level.told}")


@contextmanager
def crowd(processes: int, threads: int, level: Level) -> Iterator[Crowd]:
    environment = environment_of_the_test_database(**level.options)
    with workers("tests.proof.counting.worker", [environment] * processes) as started:
        yield Crowd(started, threads, level)
