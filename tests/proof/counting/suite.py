"""100,000 checks at once on one, 50 and 5,000 customers, under every isolation level."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from doc_priority.models import Counter, Customer
from tests.proof.counting.crowds import Crowd, crowd
from tests.proof.counting.exactness import exactness
from tests.proof.counting.items import customers, items
from tests.proof.counting.levels import LEVELS
from tests.proof.suite import Suite, Trial


@dataclass(frozen=True)
class Bounds:
    processes: int
    threads: int
    checks: int
    customers: tuple[int, ...]
    asked_again: Mapping[str, float]
    """At each place so many of the calls, as a share, may be refused at first."""


def run(trial: Trial, bounds: Bounds) -> None:
    levels = LEVELS[trial.place.name]
    for level in levels:
        with crowd(bounds.processes, bounds.threads, level) as workers:
            for count in bounds.customers:
                _count(trial, workers, bounds, level=level.name, count=count)
    with crowd(bounds.processes, bounds.threads, levels[0]) as workers:
        _count_naively(trial, workers, bounds)


def _count(trial: Trial, workers: Crowd, bounds: Bounds, *, level: str, count: int) -> None:
    keys = customers(count, of=f"{level.replace(' ', '-')}-{count}")
    wanted = items(keys, bounds.checks)
    began = time.monotonic()
    seen = workers.do("check", wanted)
    seconds = time.monotonic() - began
    found = exactness(wanted, seen)
    again = bounds.asked_again[trial.place.name]
    trial.find(
        f"Every check counts exactly once ({level}, customers: {count:,})",
        asked=f"{bounds.checks:,} checks, 0 lost, 0 twice, at most {again:.1%} asked again",
        seen=f"{bounds.checks:,} checks, {found} ({len(seen) / seconds:,.0f}/s)",
        held=found.is_perfect and found.asked_again <= again,
        measured=found.is_perfect,
    )


def _count_naively(trial: Trial, workers: Crowd, bounds: Bounds) -> None:
    Customer.objects.create(key="naive")
    Counter.objects.create(customer_id="naive")
    total = bounds.checks // 10
    workers.do("read_then_save", items(["naive"], total))
    pending = Counter.objects.get(customer_id="naive").pending_documents
    trial.control(
        "reading, thinking, then saving",
        seen=f"{total + total // 10 + pending:,} of {total + total // 10:,} counts lost",
        caught=total + total // 10 + pending > 0,
    )


COUNTING = Suite(
    name="counting",
    title="many processes with many threads count at once",
    places=("postgresql", "mariadb", "sqlite"),
    run=run,
    # Of so few calls a single one is half a thousandth.
    short=Bounds(
        processes=4,
        threads=4,
        checks=2_000,
        customers=(1, 50),
        asked_again={"postgresql": 0.01, "mariadb": 0.01, "sqlite": 0.01},
    ),
    full=Bounds(
        processes=8,
        threads=8,
        checks=100_000,
        customers=(1, 50, 5_000),
        # Who gets SQLite's lock next is left to chance, so now and then one waits too long.
        asked_again={"postgresql": 0.001, "mariadb": 0.001, "sqlite": 0.01},
    ),
    short_limit=300,
    full_limit=7_200,
)
