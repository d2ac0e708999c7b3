"""Measure the check beside the driver, the usual way and its peers: `python -m benchmarks.check`.

All take turns within one run, so that their ratios mean something where absolute numbers do not.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import mean

from benchmarks import options, places, report, workers
from benchmarks.measures import Measure
from benchmarks.plan import (
    CHECK,
    DATABASES,
    MANY_CUSTOMERS,
    TARGETS,
    Rates,
    comparisons,
    measures,
)

SERVERS = ("postgresql", "mariadb", "sqlite")
ROUNDS, QUICK_ROUNDS = 15, 2
SECONDS, QUICK_SECONDS = 0.2, 0.05
WARM_UP_SECONDS = 0.05
TURNS = 4


def main() -> int:
    given = options.read(
        "benchmarks.check", __doc__, databases=SERVERS, rounds=ROUNDS, quick=QUICK_ROUNDS
    )
    seconds = QUICK_SECONDS if given.quick else SECONDS
    results = _results(given.databases, given.rounds, seconds)
    tables = report.tables(results, of=CHECK, unit="checks per second")
    report.say(f"\n{tables}\n\n{report.verdicts(results, TARGETS)}")
    if given.json:
        report.write(results, given.json)
    return 0


def _results(wanted: Sequence[str], rounds: int, seconds: float) -> report.Results:
    with (
        places.redis_servers() as redis,
        places.prepared_run(settings="benchmarks.settings", redis=redis),
        places.databases(wanted) as unreached,
    ):
        for name, reason in unreached.items():
            report.say(f"{name} is left out: {reason}")
        if not redis:
            report.say("Redis is left out: there is no redis-server")
        reached = [alias for alias in DATABASES if _server(alias) in {*wanted} - {*unreached}]
        compared = comparisons(reached, redis=bool(redis))
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
        report.say(f"round {number + 1} of {rounds}: {time.monotonic() - started:.0f} s")


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
