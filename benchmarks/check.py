"""Measure the check beside the driver, the usual way and its peers: `python -m benchmarks.check`.

All take turns within one run, so that their ratios mean something where absolute numbers do not.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean

from benchmarks import places, report, workers
from benchmarks.measures import Measure
from benchmarks.plan import (
    DATABASES,
    MANY_CUSTOMERS,
    Rates,
    comparisons,
    measures,
)

SERVERS = ("postgresql", "mariadb", "sqlite")
MOST_ROUNDS = 100
SECONDS, QUICK_SECONDS = 0.2, 0.05
WARM_UP_SECONDS = 0.05
TURNS = 4


def main() -> int:
    options = _options()
    rounds = options.rounds or (2 if options.quick else 15)
    seconds = QUICK_SECONDS if options.quick else SECONDS
    results = _results(options.databases, rounds, seconds)
    say(f"\n{report.tables(results)}\n\n{report.verdicts(results)}")
    if options.json:
        report.write(results, options.json)
    return 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=__doc__)
    parser.add_argument(
        "--databases", nargs="+", choices=SERVERS, default=SERVERS, help="all three if left out"
    )
    parser.add_argument("--rounds", type=_round_count, help="15, or 2 when quick")
    parser.add_argument("--quick", action="store_true", help="under a minute, and noisy")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every round's numbers")
    return parser.parse_args()


def _round_count(text: str) -> int:
    if not 1 <= (count := int(text)) <= MOST_ROUNDS:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {MOST_ROUNDS}")
    return count


def _results(wanted: Sequence[str], rounds: int, seconds: float) -> report.Results:
    with places.prepared_run() as run, places.databases(wanted) as unreached:
        for name, reason in unreached.items():
            say(f"{name} is left out: {reason}")
        if not run.redis:
            say("Redis is left out: there is no redis-server")
        reached = [alias for alias in DATABASES if _server(alias) in {*wanted} - {*unreached}]
        compared = comparisons(reached, redis=bool(run.redis))
        with workers.started() as clients:
            measured = list(_rounds(clients, measures(compared), rounds, seconds))
    return report.Results(compared, measured)


def _server(alias: str) -> str:
    return alias.removesuffix("-prepared")


def _rounds(
    clients: workers.Workers, slices: Sequence[Measure], rounds: int, seconds: float
) -> Iterator[Rates]:
    """Rates of one round after another."""
    for database in dict.fromkeys(measure.database for measure in slices):
        clients.rate(Measure(database, MANY_CUSTOMERS), 0)  # makes the customers
    for measure in slices:
        clients.rate(measure, WARM_UP_SECONDS)
    for number in range(rounds):
        started = time.monotonic()
        rates: dict[Measure, float] = {}
        for _, group in groupby(slices, key=lambda measure: (measure.load, measure.database)):
            rates |= _in_turn(clients, list(group), seconds)
        yield rates
        say(f"round {number + 1} of {rounds}: {time.monotonic() - started:.0f} s")


def _in_turn(
    clients: workers.Workers, group: Sequence[Measure], seconds: float
) -> dict[Measure, float]:
    """Rates of those that are compared with each other, in short turns against the noise."""
    taken: dict[Measure, list[float]] = {measure: [] for measure in group}
    for _ in range(TURNS):
        for measure, rates in taken.items():
            rates.append(clients.rate(measure, seconds / TURNS))
    return {measure: mean(rates) for measure, rates in taken.items()}


if __name__ == "__main__":
    sys.exit(main())
