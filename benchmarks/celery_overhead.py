"""Measure what the Celery adapter adds to `delay()`: `python -m benchmarks.celery_overhead`.

In turns: a check, a plain `delay()`, both one after the other as a portal would write them by hand,
and `delay()` of the prioritised task, beside what the two would give if their times in loops of
their own were added up. Nothing reaches all of that, for whoever goes back and forth between two
servers finds each of them asleep. The counters lie in PostgreSQL, the broker is a Redis of its own.
"""

import sys
import time
from collections.abc import Callable
from itertools import count
from statistics import mean

from celery import Celery
from django.conf import settings

from benchmarks import run
from benchmarks.run import Comparison, Measure

SECONDS, TURNS = 0.1, 4
CHECK, PLAIN, BY_HAND, ADAPTER = "check", "plain delay", "both by hand", "prioritised delay"


def main() -> int:
    parser = run.options("celery_overhead", __doc__, rounds=15)
    parser.add_argument("--quick", action="store_const", dest="rounds", const=3)
    given = parser.parse_args()
    with run.prepared(["postgresql"], redis=True) as reached:
        if not reached or not settings.REDIS:
            return 1
        run.enter("postgresql")
        address = f"redis://127.0.0.1:{settings.REDIS['volatile']}/0"
        for load in ("with a document", "without a document"):
            measure_rounds(operations(address, named=load.startswith("with ")), load, given.rounds)
    return 0


def operations(address: str, *, named: bool) -> dict[str, Callable[[], object]]:
    from doc_priority.contrib.celery import prioritize
    from doc_priority.services import check

    apps = []
    for name in ("plain", "prioritized"):
        app = Celery(name, broker=address, set_as_current=False)
        app.conf.task_default_queue = name
        app.task(name="process", shared=False)(process)
        apps.append(app)
    prioritize(apps[1], "process", customer="customer", document="document" if named else "")
    plain, prioritized = (app.tasks["process"] for app in apps)
    numbers = count(time.time_ns())

    def document() -> str:
        return f"D-{next(numbers)}" if named else ""

    def by_hand() -> None:
        check("acme", document=document())
        plain.delay("acme", document())

    return {
        CHECK: lambda: check("acme", document=document()),
        PLAIN: lambda: plain.delay("acme", document()),
        BY_HAND: by_hand,
        ADAPTER: lambda: prioritized.delay("acme", document()),
    }


def process(customer: str, document: str) -> None:
    """No worker ever runs it."""


def measure_rounds(measured: dict[str, Callable[[], object]], load: str, rounds: int) -> None:
    found = []
    for _ in range(rounds + 1):
        turns = [
            {name: run.rate(operation, SECONDS / TURNS) for name, operation in measured.items()}
            for _ in range(TURNS)
        ]
        found.append(
            {("postgresql", name, load): mean(turn[name] for turn in turns) for name in measured}
        )

    def needs(*names: str) -> tuple[Measure, ...]:
        return tuple(("postgresql", name, load) for name in names)

    compared = [
        Comparison("a check and a plain delay, one after the other", needs(ADAPTER, BY_HAND)),
        Comparison(
            "their times in loops of their own, added up",
            needs(ADAPTER, CHECK, PLAIN),
            lambda adapter, check, plain: adapter * (1 / check + 1 / plain),
        ),
    ]
    run.report(compared, found[1:], unit="per second")  # the first round warms up


if __name__ == "__main__":
    sys.exit(main())
