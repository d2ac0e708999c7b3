"""Measure what a flood does to the others: `python -m benchmarks.noisy_neighbour`.

Real engines with real workers and priorities off, then under each recovery, all in one run. One
customer drops 5,000 documents, 50 send one a minute, one sends one every 20 minutes; time is
compressed. The simulator plays the same beside it.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import noisy_report, noisy_stamps, places
from benchmarks.noisy_plan import DISCIPLINES, ENGINES, Plan
from benchmarks.noisy_processes import send_everything, workers
from benchmarks.report import say
from benchmarks.run import Run
from doc_priority.simulation.drawing import drawing_of

SETTINGS = "benchmarks.noisy_settings"
LIMIT = 2_400
"""Seconds for everything; what is not done then never will be."""


def main() -> int:
    given = _options()
    plan = Plan(
        documents=round(5_000 * given.scale),
        interval=given.interval,
        workers=given.workers,
        service=given.service,
        seed=given.seed,
    )
    plan.publish()
    deadline = time.monotonic() + given.limit
    with (
        places.redis_servers() as redis,
        places.prepared_run(settings=SETTINGS, redis=redis) as run,
        places.databases(["default"]) as unreached,
    ):
        if unreached or not redis:
            say(f"PostgreSQL and redis-server are needed: {unreached or 'no redis-server'}")
            return 2
        kept = [
            _compared(replace(plan, engine=engine), run, given, deadline)
            for engine in given.engines
        ]
    return 0 if all(kept) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.noisy_neighbour")
    parser.description = __doc__
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--scale", type=float, default=1.0, help="0.1 is a flood of 500")
    parser.add_argument("--interval", type=int, default=Plan.interval, help="45 instead of 1500 s")
    parser.add_argument("--workers", type=int, default=Plan.workers)
    parser.add_argument("--service", type=float, default=Plan.service, help="seconds a document")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for everything")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="FILE-celery.svg, FILE-tasks.svg")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep what was measured")
    return parser.parse_args()


def _compared(plan: Plan, run: Run, given: argparse.Namespace, deadline: float) -> bool:
    """Whether this engine reaches what is aimed at."""
    # What uses models can be imported only now.
    real: Any = import_module("benchmarks.noisy_measures")
    runs = {one.discipline: _played(one, run, real, deadline) for one in _plans(plan)}
    result = real.side_by_side(plan, runs)
    for line in noisy_report.lines_of(plan, result):
        say(line)
    _keep(plan, result, given)
    return noisy_report.is_met(result)


def _plans(plan: Plan) -> Iterator[Plan]:
    for discipline in DISCIPLINES:
        yield plan.under(discipline)


def _played(plan: Plan, run: Run, real: Any, deadline: float) -> Any:
    """One engine under one discipline, from empty tables to the last document."""
    started = time.monotonic()
    plan.publish()
    real.empty(run)
    noisy_stamps.forget()
    with workers(plan):
        real.analyse()
        send_everything(plan, limit=deadline - time.monotonic())
        played = real.played()
    load = os.getloadavg()[0]
    seconds = time.monotonic() - started
    say(f"{plan.engine}, {plan.discipline}: {seconds:.0f} s, load of the machine {load:.1f}")
    return played


def _keep(plan: Plan, result: Any, given: argparse.Namespace) -> None:
    if given.json:
        path = given.json.with_stem(f"{given.json.stem}-{plan.engine}")
        path.write_text(json.dumps(asdict(result), indent=2), encoding="utf-8")
    if given.plot:
        title, subtitle = noisy_report.titles(plan)
        drawing = drawing_of(result.outcomes, title=title, subtitle=subtitle)
        path = given.plot.with_name(f"{given.plot.stem}-{plan.engine}.svg")
        path.write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
