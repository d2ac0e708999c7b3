"""Measure what the Celery adapter adds to `delay()`: `python -m benchmarks.celery_overhead`.

In turns: a check, a plain `delay()`, both one after the other as a portal would write them by hand,
and `delay()` of the prioritised task. At least 60 % is aimed at, both of the rate by hand and of
what the two would give if their times in loops of their own were added up. Nothing reaches all of
that, for whoever goes back and forth between two servers finds each of them asleep. The counters
lie in PostgreSQL, the broker is a Redis of this run's own.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count
from statistics import mean, median, quantiles
from typing import Any

from django.db import connections

from benchmarks import places, report
from benchmarks.options import MOST_ROUNDS

DATABASE = "postgresql"
TARGET = 0.6
ROUNDS, QUICK_ROUNDS = 15, 3
SECONDS = 0.1
TURNS = 4
CHECK, PLAIN, BY_HAND, ADAPTER = "check", "plain delay", "both by hand", "prioritised delay"
WIDTH = 34

Operation = Callable[[], object]
Rates = dict[str, float]


def main() -> int:
    given = _options()
    with (
        places.redis_servers() as redis,
        places.prepared_run(settings="benchmarks.settings", redis=redis),
        places.databases([DATABASE]) as unreached,
    ):
        if unreached or not redis:
            report.say(f"Not measured: {unreached or 'there is no redis-server'}")
            return 1
        connections["default"] = connections[DATABASE]
        kinds = {"with a document": True, "without a document": False}
        kept = [
            _told(kind, list(_rounds(_operations(redis["volatile"], named=named), given.rounds)))
            for kind, named in kinds.items()
        ]
    return 0 if all(kept) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.celery_overhead", description=__doc__
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, choices=range(1, MOST_ROUNDS + 1))
    parser.add_argument("--quick", action="store_const", dest="rounds", const=QUICK_ROUNDS)
    return parser.parse_args()


def _operations(port: int, *, named: bool) -> dict[str, Operation]:
    # Models and all that uses them can be imported only now.
    check = import_module("doc_priority.services").check
    prioritize = import_module("doc_priority.contrib.celery").prioritize
    plain, prioritized = _app(port, "plain"), _app(port, "prioritized")
    prioritize(prioritized, "process", customer="customer", document="document" if named else "")
    numbers = count(time.time_ns())

    def document() -> str:
        return f"D-{next(numbers)}" if named else ""

    tasks = [app.tasks["process"] for app in (plain, prioritized)]
    return {
        CHECK: lambda: check("acme", document=document()),
        PLAIN: lambda: tasks[0].delay("acme", document()),
        BY_HAND: lambda: (
            check("acme", document=document()),
            tasks[0].delay("acme", document()),
        ),
        ADAPTER: lambda: tasks[1].delay("acme", document()),
    }


def _app(port: int, name: str) -> Any:
    celery = import_module("celery").Celery
    app = celery(name, broker=f"redis://127.0.0.1:{port}/0", set_as_current=False)
    app.conf.task_default_queue = name
    app.task(name="process", shared=False)(process)
    return app


def process(customer: str, document: str) -> None:
    """No worker ever runs it."""


def _rounds(operations: dict[str, Operation], rounds: int) -> Iterator[Rates]:
    for operation in operations.values():
        _rate(operation)
    for _ in range(rounds):
        taken: dict[str, list[float]] = {name: [] for name in operations}
        for _ in range(TURNS):
            for name, rates in taken.items():
                rates.append(_rate(operations[name]))
        yield {name: mean(rates) for name, rates in taken.items()}


def _rate(operation: Operation) -> float:
    done = 0
    started = time.perf_counter()
    while (now := time.perf_counter()) < started + SECONDS / TURNS or not done:
        operation()
        done += 1
    return done / (now - started)


def _told(kind: str, rounds: list[Rates]) -> bool:
    """Whether the target is met."""
    report.say(kind)
    for name in rounds[0]:
        report.say(f"  {name + ', per second':<{WIDTH}}{median(r[name] for r in rounds):>10,.0f}")
    apart = [r[ADAPTER] * (1 / r[CHECK] + 1 / r[PLAIN]) for r in rounds]
    by_hand = [r[ADAPTER] / r[BY_HAND] for r in rounds]
    kept = [_kept("a check and a plain delay in loops of their own", apart)]
    kept.append(_kept("both by hand", by_hand))
    report.say("")
    return all(kept)


def _kept(beside: str, ratios: list[float]) -> bool:
    low, middle, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    word = "met   " if middle >= TARGET else "MISSED"
    report.say(
        f"{word} {middle:.2f} of {beside}, at least {TARGET} "
        f"(half of the rounds {low:.2f} to {high:.2f})"
    )
    return middle >= TARGET


if __name__ == "__main__":
    sys.exit(main())
