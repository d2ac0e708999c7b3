"""Measure the check beside the driver, the usual way and its peers: `python -m benchmarks.check`.

All take turns within one run, so that their ratios mean something where absolute numbers do not.
"""

import multiprocessing
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from itertools import groupby
from multiprocessing.synchronize import Barrier
from operator import itemgetter
from statistics import mean, median

import django
from django.conf import settings
from django.db import connections

from benchmarks import run
from benchmarks.run import Comparison, Measure, customer, rate

ONE, DIFFERENT, SAME = LOADS = ("1 client", "8 on different customers", "8 on one customer")
CLIENTS = 8
TURNS = 4
PATIENCE = 60
"""Seconds after which a slice counts as hanging."""
SLOW = 0.005
Clients = Sequence[ProcessPoolExecutor]

USUAL = (
    "driver alone",
    "select_for_update + save, with policy",
    "select_for_update + save, counter only",
)
PEERS_IN_DATABASE = (
    "django-ratelimit, database cache",
    "DRF throttle, database cache",
    "django-axes, database handler",
)
PEERS_ON_REDIS = (
    "django-ratelimit, Redis",
    "DRF throttle, Redis",
    "limits, Redis",
    "limits, Redis appendfsync always",
)
BESIDE_ITSELF = (
    "check, new documents",
    "check, a repeated document",
    "check_many, 10,000 documents of one",
    "watched by an observer that does nothing",
    "watched by Prometheus",
    "watched by OpenTelemetry",
)
MANY_CUSTOMERS = "check_many, 10,000 customers"


def main() -> None:
    parser = run.options("check", __doc__, rounds=15, databases=True)
    parser.add_argument("--quick", action="store_true", help="2 short rounds: noisy")
    given = parser.parse_args()
    caches = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        "database": {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "bench_cache",
            # A full cache is emptied in part again and again; that is not what is measured.
            "OPTIONS": {"MAX_ENTRIES": 1_000_000},
        },
    }
    apps = ["django.contrib.auth", "django.contrib.contenttypes", "axes", "doc_priority"]
    with run.prepared(
        given.databases,
        redis=True,
        CACHES=caches,
        INSTALLED_APPS=apps,
        LOGGING={"version": 1, "loggers": {"axes": {"level": "ERROR"}}},
        AXES_VERBOSE=False,
        AXES_FAILURE_LIMIT=1_000_000_000,
        SILENCED_SYSTEM_CHECKS=["axes.W002", "axes.W003"],
    ) as reached:
        if "postgresql" in reached:
            reached.insert(1 + reached.index("postgresql"), "postgresql-prepared")
        compared = [
            one for name in reached for one in comparisons(name, redis=bool(settings.REDIS))
        ]
        rounds, seconds = (2, 0.05) if given.quick else (given.rounds, 0.2)
        with ExitStack() as stack:
            found = list(rounds_of(started(stack), compared, rounds, seconds))
    run.report(compared, found, unit="checks per second")


def comparisons(database: str, *, redis: bool) -> Iterator[Comparison]:
    """How many times as fast a check is as each of the others; then a check beside itself."""
    # One SQLite file has one writer at a time: eight clients measure how it waits.
    for load in (ONE,) if database == "sqlite" else LOADS:
        others = [*USUAL, *PEERS_IN_DATABASE, *(PEERS_ON_REDIS if redis else ())]
        for contender in USUAL if load == SAME else others:
            needs = ((database, "check", load), (database, contender, load))
            yield Comparison(contender, needs)

    def beside(*contenders: str) -> tuple[Measure, ...]:
        return tuple((database, contender, ONE) for contender in contenders)

    for contender in BESIDE_ITSELF:
        yield Comparison(contender, beside("check", contender))
    yield Comparison(
        "10,000 customers, per item",
        beside(MANY_CUSTOMERS, "check, one customer after another"),
        lambda all_at_once, each: all_at_once * 10_000 / each,
    )


def rounds_of(
    clients: Clients, compared: Sequence[Comparison], rounds: int, seconds: float
) -> Iterator[run.Rates]:
    """What is compared under one load takes short turns, against the noise."""
    measures = sorted({measure for one in compared for measure in one.needs}, key=itemgetter(2, 0))
    for database in dict.fromkeys(database for database, _, _ in measures):
        measured(clients, (database, MANY_CUSTOMERS, ONE), 0)  # makes the customers
    for measure in measures:
        measured(clients, measure, 0.05)  # warms up
    for number in range(rounds):
        started = time.monotonic()
        rates: dict[Measure, float] = {}
        for _, group in groupby(measures, key=itemgetter(2, 0)):
            taken: dict[Measure, list[float]] = {measure: [] for measure in group}
            for _ in range(TURNS):
                for measure, found in taken.items():
                    found.append(measured(clients, measure, seconds / TURNS))
            rates |= {measure: mean(found) for measure, found in taken.items()}
        yield rates
        run.say(f"round {number + 1} of {rounds}: {time.monotonic() - started:.0f} s")


def measured(clients: Clients, measure: Measure, seconds: float) -> float:
    """Operations per second, of all clients together."""
    load = measure[2]
    working = [
        client.submit(slice_of, measure, customer(0 if load == SAME else number), seconds)
        for number, client in enumerate(clients[: 1 if load == ONE else CLIENTS])
    ]
    return sum(slice_.result(PATIENCE) for slice_ in working)


def started(stack: ExitStack) -> Clients:
    """Processes that are started once and kept, each with connections of its own."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(CLIENTS)
    return [
        stack.enter_context(ProcessPoolExecutor(1, context, initializer=begin, initargs=(barrier,)))
        for _ in range(CLIENTS)
    ]


def begin(barrier: Barrier) -> None:
    # Ctrl-C reaches the whole group; the one who asks ends the clients.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    django.setup()
    slice_of.barrier = barrier  # type: ignore[attr-defined]


def slice_of(measure: Measure, key: str, seconds: float) -> float:
    """Operations per second of one client."""
    contenders = import_module("benchmarks.contenders")
    database, contender, load = measure
    connections["default"] = connections[database]
    operation = contenders.begun(contender, key)
    is_slow = 1 / rate(operation, 0) > SLOW
    if load != ONE:
        slice_of.barrier.wait(PATIENCE)  # type: ignore[attr-defined]
    if not is_slow:
        return rate(operation, seconds)
    # Of what takes long enough to be timed by itself the middle one counts.
    end = time.perf_counter() + seconds
    rates = [rate(operation, 0)]
    while time.perf_counter() < end:
        rates.append(rate(operation, 0))
    return median(rates)


if __name__ == "__main__":
    main()
