"""Which tests a mutant is tried with."""

import math
from collections import Counter as Tally
from collections.abc import Sequence

from tests.proof.upkeep.mutants.constants import uses_of_constant_at
from tests.proof.upkeep.mutants.mutant import Mutant
from tests.proof.upkeep.mutants.reach import Reach
from tests.proof.upkeep.mutants.trying import Choice, Tests

SLOW = 8.0
"""Seconds; a test that takes longer is left out."""


def always(files: Sequence[str], named: Sequence[str] = ()) -> Choice:
    return lambda mutant, kills: Tests(files, named)


def by_reach(reach: Reach, files: Sequence[str], *, seconds: float) -> Choice:
    """Those that run the line; if none do, those where its constant is at work, then the module's.

    Before all others come the ones that have killed most, and of equals the quick ones; together
    they take up to so many seconds.
    """

    def choice(mutant: Mutant, kills: Tally[str]) -> Tests | None:
        running = reach.of_line(mutant.file, mutant.line)
        near = running or reach.of_lines(uses_of_constant_at(mutant.file, mutant.line))
        named: list[str] = []
        left = seconds
        for test in sorted(
            running or near | reach.of_files(files),
            key=lambda test: (-kills[test], test not in near, reach.seconds[test]),
        ):
            if reach.seconds[test] > min(SLOW, left):
                continue
            left -= reach.seconds[test]
            named.append(test)
        if not named:
            return None
        where = sorted({test.partition("::")[0] for test in named})
        return Tests(where, named, math.ceil(2 * (seconds - left)) + 30)

    return choice
