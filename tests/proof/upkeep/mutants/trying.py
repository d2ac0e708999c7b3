"""Try mutants on several workers at once: which of them does no test notice?"""

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

from tests.proof.upkeep.mutants.mutant import Mutant
from tests.proof.upkeep.mutants.workers import Ended, Worker

PATIENCE = 3600
"""Seconds of the processor in which all tests have run once without a bug."""
NO_TESTS = 5
"""How pytest ends when there was nothing to run."""


class Result(NamedTuple):
    mutant: Mutant
    ended: Ended

    @property
    def survived(self) -> bool:
        return self.ended.code in (0, NO_TESTS)


class Tests(NamedTuple):
    """What is run for a mutant: tests of these files, all of them if none are named."""

    files: Sequence[str]
    named: Sequence[str] = ()
    seconds: int = 30
    """Of the processor, after which a bug is taken to loop."""


Choice = Callable[[Mutant, Tally[str]], Tests | None]
"""The tests of a mutant, given how often each test has killed one; None if none reach it."""


def require_good(worker: Worker, tests: Tests) -> None:
    """Without a bug they pass."""
    worker.require_good(worker.run(tests.files, tests=tests.named, seconds=PATIENCE))


def tried(
    workers: Sequence[Worker],
    mutants: Sequence[Mutant],
    choice: Choice,
    *,
    tell: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """In the order of the mutants; each is told as soon as it is known."""
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)
    kills: Tally[str] = Tally()

    def try_one(mutant: Mutant) -> Result:
        tests = choice(mutant, kills)
        if tests is None:
            return Result(mutant, Ended(NO_TESTS, ""))
        worker = free.get()
        try:
            ended = worker.run(tests.files, tests=tests.named, mutant=mutant, seconds=tests.seconds)
            if not (ended.is_good or ended.names_a_test):
                # The bug's doing only if it ends well without.
                require_good(worker, tests)
        finally:
            free.put(worker)
        kills[ended.failed] += 1
        result = Result(mutant, ended)
        tell(result)
        return result

    with ThreadPoolExecutor(len(workers)) as threads:
        return list(threads.map(try_one, mutants))
