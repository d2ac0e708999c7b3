"""Seeds run one after the other, and what the first step was that went wrong in each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.proof.simulation.bugs import BUGS
from tests.proof.simulation.comparing import difference
from tests.proof.simulation.inventing import invent
from tests.proof.simulation.minimising import fewest
from tests.proof.simulation.operations import Operation
from tests.proof.simulation.real import Day, a_day_in_one_transaction, a_day_of_commits, tidy

SHOWN = 3
"""Of so many seeds that fail the fewest steps are looked for; more would say the same."""


COMMITS_EVERY = 10
"""So often a seed commits after every call; the others are undone in the end, which is faster."""


class Failure(NamedTuple):
    """A seed at whose end the real code and the model had gone apart."""

    seed: int
    step: int
    steps: list[str]
    """The fewest that still show it; none where they were not looked for."""
    difference: str

    def __str__(self) -> str:
        told = self.steps or ["(not cut down to the steps that matter)"]
        steps = "".join(f"\n    {step}" for step in told)
        return f"seed {self.seed}, step {self.step}{steps}\n    -> {self.difference}"


class Ran(NamedTuple):
    """What was called how often, and what failed."""

    steps: dict[str, int]
    failures: list[Failure]


def run(seeds: Iterable[int], *, length: int) -> Ran:
    tally: Counter[str] = Counter()
    failures: list[Failure] = []
    for seed in seeds:
        steps = invent(seed, length=length)
        failure = failure_in(seed, steps)
        tally.update(step.name for step in steps[: failure.step if failure else length])
        if failure is not None:
            failures.append(minimised(failure, steps) if len(failures) < SHOWN else failure)
    tidy()
    return Ran(tally, failures)


def day_of(seed: int) -> Day:
    return a_day_of_commits if seed % COMMITS_EVERY == 0 else a_day_in_one_transaction


def failure_in(seed: int, steps: Sequence[Operation]) -> Failure | None:
    found = difference(steps, day=day_of(seed))
    return None if found is None else Failure(seed, found.step, [], str(found))


def minimised(failure: Failure, steps: Sequence[Operation]) -> Failure:
    """The same failure with the fewest of its steps that show a difference."""
    day = day_of(failure.seed)
    left = fewest(steps[: failure.step + 1], lambda some: difference(some, day=day) is not None)
    told = str(difference(left, day=day))
    return failure._replace(steps=[str(step) for step in left], difference=told)


def caught(bug: str, place: str, *, seeds: int, length: int) -> Failure | None:
    """The first of so many seeds that finds a bug which is planted for it."""
    with BUGS[bug].plants[place]():
        for seed in range(seeds):
            failure = failure_in(seed, invent(seed, length=length))
            if failure is not None:
                return failure
    return None


def cut_down(bug: str, place: str, *, seed: int, length: int) -> Failure | None:
    """What is left of a seed that finds the bug."""
    steps = invent(seed, length=length)
    with BUGS[bug].plants[place]():
        failure = failure_in(seed, steps)
        return None if failure is None else minimised(failure, steps)
