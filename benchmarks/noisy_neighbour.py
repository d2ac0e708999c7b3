"""Measure what a flood does to the others: `python -m benchmarks.noisy_neighbour`.

Real engines with real workers and priorities off, then under each recovery, all in one run. One
customer drops 5,000 documents, 50 send one a minute, one sends one every 20 minutes; time is
compressed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from statistics import median

import redis
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from benchmarks import run
from benchmarks.noisy_portal import (
    BEGUN,
    ENDED,
    FIRST_IN_FIRST_OUT,
    FLOOD,
    OTHERS,
    QUIET,
    RARE,
    SENT,
    WARM,
    Plan,
    folder,
    stamped,
)
from doc_priority.types import SECOND, Recovery

TITLES = {"celery": "Celery on Redis", "tasks": "Django tasks on PostgreSQL"}
SLICE = 5 * SECOND


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.noisy_neighbour")
    parser.description = __doc__
    parser.add_argument("--engines", nargs="+", choices=TITLES, default=list(TITLES))
    parser.add_argument("--scale", type=float, default=1.0, help="0.1 is a flood of 500")
    parser.add_argument("--limit", type=float, default=2_400, help="seconds for everything")
    given = parser.parse_args()
    deadline = time.monotonic() + given.limit
    tasks = (
        ["django_tasks_db"] if find_spec("django.tasks") else ["django_tasks", "django_tasks_db"]
    )
    plan = Plan(documents=round(5_000 * given.scale))
    apps = ["django.contrib.contenttypes", *tasks, "doc_priority"]
    with run.prepared(["default"], redis=True, INSTALLED_APPS=apps, **plan.settings()) as reached:
        if not reached or not settings.REDIS:
            return 2
        kept = [compare(replace(plan, engine=name), deadline) for name in given.engines]
    return 0 if all(kept) else 1


def compare(plan: Plan, deadline: float) -> bool:
    """Print the waits under each discipline; whether they are what is aimed at."""
    table: dict[str, list[str]] = {}
    worst: dict[str, float] = {}
    rates: dict[str, float] = {}
    for name in (FIRST_IN_FIRST_OUT, *Recovery):
        sent, begun, at_9 = played(replace(plan, discipline=name), deadline)
        for kind in (FLOOD, QUIET, RARE):
            mine = [document for document in sent if document.startswith(kind)]
            waits = sorted((begun[one] - sent[one]) / SECOND for one in mine) or [0.0]
            middle, high, highest = (waits[len(waits) * of_100 // 100] for of_100 in (50, 95, 99))
            row = f"{kind} ({len(mine):,}): median / 95 % / 99 %, seconds"
            table.setdefault(row, []).append(f"{middle:.3g} / {high:.3g} / {highest:.3g}")
            if kind == QUIET:
                worst[name] = high
        rates[name] = per_second(sent, begun)
        table.setdefault("quiet at 9", []).append(f"{at_9:.0%}")
        table.setdefault("documents/s", []).append(f"{rates[name]:.1f}")
    run.say(f"\n| {TITLES[plan.engine]} | {' | '.join(rates)} |\n|---|{'---|' * len(rates)}")
    for row, cells in table.items():
        run.say(f"| {row} | {' | '.join(cells)} |")
    ratio = worst[Recovery.HALVING] / worst[FIRST_IN_FIRST_OUT]
    price = rates[Recovery.HALVING] / rates[FIRST_IN_FIRST_OUT] - 1
    met = {
        f"halving: the quiet ones' 95 % is {ratio:.4f} of first come, first served": ratio <= 0.01,
        f"halving: throughput {price:+.1%} beside first come, first served": abs(price) <= 0.02,
    }
    for told, is_met in met.items():
        run.say(f"{'met   ' if is_met else 'MISSED'} {told}")
    return all(met.values())


def played(plan: Plan, deadline: float) -> tuple[dict[str, int], dict[str, int], float]:
    """From empty tables to the last document: when each was sent and begun, and who was at 9."""
    from doc_priority.models import DocumentDecision

    started = time.monotonic()
    call_command("flush", interactive=False, verbosity=0)
    with redis.Redis(port=settings.REDIS["volatile"]) as server:
        server.flushall()
    for path in folder().glob("*-*"):
        path.unlink()
    environment = run.environment(**plan.settings())
    command = ["celery", "-A", "benchmarks.noisy_tasks", "worker", "--loglevel", "WARNING"]
    command += ["--concurrency", str(plan.workers), "--without-gossip", "--without-mingle"]
    workers = [command]
    if plan.engine == "tasks":
        options = ["--interval", "0.1", "--no-startup-delay", "-v", "0"]
        workers = [["django", "db_worker", *options]] * plan.workers
    portal = "benchmarks.noisy_portal"
    warm, expected = 2 * plan.workers, len(plan.scenario().arrivals)
    with processes(workers, environment):
        with processes([[portal, WARM, "0"]], environment):
            wait_for(warm, time.monotonic() + 60)
        with connection.cursor() as cursor:
            # As on a portal that has run for a day. PostgreSQL else sorts all that waits whenever
            # a worker asks for a task.
            cursor.execute("ANALYZE")
        begin = str(time.monotonic_ns() // 1_000 + 4 * SECOND)
        with processes([[portal, who, begin] for who in (FLOOD, OTHERS)], environment):
            wait_for(warm + expected, deadline)
    took, load = time.monotonic() - started, os.getloadavg()[0]
    run.say(f"{plan.engine}, {plan.discipline}: {took:.0f} s, load of the machine {load:.1f}")
    sent, begun, ended = (stamped(what) for what in (SENT, BEGUN, ENDED))
    if lost := sent.keys() - ended.keys():
        raise LookupError(f"{len(lost)} documents were never done, such as {min(lost)}.")
    decided = DocumentDecision.objects.filter(document__startswith=QUIET)
    at_9 = decided.filter(priority=9).count() / max(1, decided.count())
    return sent, begun, at_9


@contextmanager
def processes(modules: Sequence[Sequence[str]], environment: dict[str, str]) -> Iterator[None]:
    """They run during the block; asked to end, and killed where they do not listen."""
    started = []
    try:
        for module in modules:
            command = [sys.executable, "-m", *module]
            with (folder() / "processes.log").open("ab") as log:
                started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))  # noqa: S603
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(documents: int, deadline: float) -> None:
    while (done := len(stamped(ENDED))) < documents:
        if time.monotonic() > deadline:
            words = (folder() / "processes.log").read_text("utf-8", errors="replace")[-2_000:]
            raise TimeoutError(f"{done:,} of {documents:,} documents are done; last words: {words}")
        time.sleep(0.25)


def per_second(sent: Mapping[str, int], begun: Mapping[str, int]) -> float:
    """Documents begun a second while one of the flood was waiting.

    The median of slices, so that what else runs on the machine for a while does not count.
    """
    flood = [document for document in sent if document.startswith(FLOOD)]
    first, last = (
        pick(stamps[one] for one in flood) for pick, stamps in ((min, sent), (max, begun))
    )
    counts = [0] * max(1, (last - first) // SLICE)
    for moment in begun.values():
        if first <= moment < first + SLICE * len(counts):
            counts[(moment - first) // SLICE] += 1
    return median(counts) * SECOND / SLICE


if __name__ == "__main__":
    sys.exit(main())
