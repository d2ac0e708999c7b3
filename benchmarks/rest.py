"""Measure the REST check beside bare views: `python -m benchmarks.rest`.

All take turns within one run, so that their ratios mean something where absolute numbers do not.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module

from benchmarks import options, places, report, rest_proof, wrk
from benchmarks.plan import Comparison, Rates
from benchmarks.rest_plan import (
    ALL_LOADS,
    CONTENDERS,
    DATABASES,
    OURS,
    QUICK_LOADS,
    TARGETS,
    VIEWS,
    Load,
    Turn,
    comparisons,
    turns,
)
from benchmarks.rest_server import serving

ROUNDS, QUICK_ROUNDS = 5, 1
SECONDS = 1
"""Of one turn; wrk takes whole ones."""

Take = Callable[[Turn], float]


def main() -> int:
    given = options.read(
        "benchmarks.rest", __doc__, databases=DATABASES, rounds=ROUNDS, quick=QUICK_ROUNDS
    )
    if not wrk.program():
        sys.stderr.write("wrk is missing: install it (Debian: apt install wrk).\n")
        return 1
    results = _results(given.databases, QUICK_LOADS if given.quick else ALL_LOADS, given.rounds)
    tables = report.tables(results, of=OURS, unit="requests per second")
    report.say(f"\n{tables}\n\n{report.verdicts(results, TARGETS)}")
    if given.json:
        report.write(results, given.json)
    return 0


def _results(wanted: Sequence[str], loads: Sequence[Load], rounds: int) -> report.Results:
    compared: list[Comparison] = []
    measured: list[dict[Turn, float]] = [{} for _ in range(rounds)]
    with (
        places.prepared_run(settings="benchmarks.rest_settings", redis={}),
        places.databases(wanted) as unreached,
    ):
        for name, reason in unreached.items():
            report.say(f"{name} is left out: {reason}")
        for database in (name for name in wanted if name not in unreached):
            mine = comparisons(database, loads)
            compared += mine
            for number, rates in enumerate(_rounds(database, mine, rounds)):
                measured[number] |= rates
    return report.Results(compared, measured)


def _rounds(database: str, compared: Sequence[Comparison], rounds: int) -> Iterator[Rates]:
    """Rates of one round after another, every other one in the opposite order."""
    order = turns(compared)
    with ExitStack() as stack:
        take = _prepared(stack, database)
        for contender in VIEWS:
            take(Turn(database, contender, Load.MANY))  # so that every view is warm
        for number in range(rounds):
            started = time.monotonic()
            yield {turn: take(turn) for turn in order}
            order.reverse()
            seconds = time.monotonic() - started
            report.say(f"{database}: round {number + 1} of {rounds}: {seconds:.0f} s")


def _prepared(stack: ExitStack, database: str) -> Take:
    """Servers, people and customers, seen to work; what takes a turn there."""
    # Models and all that uses them can be imported only now.
    tokens = import_module("benchmarks.rest_people").prepared(database)
    addresses = {
        keeps: stack.enter_context(serving(database, keeps_connections=keeps))
        for keeps in (True, False)
    }
    rest_proof.prove(addresses, tokens)

    def take(turn: Turn) -> float:
        contender = CONTENDERS[turn.contender]
        address = addresses[contender.keeps_connections]
        return wrk.rate(turn, address, tokens[contender.person], SECONDS)

    return take


if __name__ == "__main__":
    sys.exit(main())
