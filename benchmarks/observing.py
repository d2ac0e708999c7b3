"""Measure what watching a check costs: `python -m benchmarks.observing`.

In turns: a check that nobody watches, and one that a single observer watches. That is one that does
nothing, the recorder of the Prometheus metrics, and the spans of OpenTelemetry's SDK without an
exporter. What is told is the processor's time; the counters lie in SQLite, so that hardly anything
else is in it.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from statistics import mean, median, quantiles

from django.db import connections
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from benchmarks import places, report
from benchmarks.options import MOST_ROUNDS
from doc_priority import observing
from doc_priority.observing import Observer

DATABASE = "sqlite"
ROUNDS, QUICK_ROUNDS = 15, 3
TURNS = 8
CHECKS = 250
NOBODY = "nobody"
WIDTH = 46

Times = dict[str, float]
"""Seconds of a check, by who watches it."""


def main() -> int:
    given = _options()
    with (
        places.prepared_run(settings="benchmarks.settings", redis={}),
        places.databases([DATABASE]) as unreached,
    ):
        if unreached:
            report.say(f"Not measured: {unreached}")
            return 1
        connections["default"] = connections[DATABASE]
        _tell(list(_rounds(_observers(), given.rounds)))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.observing", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, choices=range(1, MOST_ROUNDS + 1))
    parser.add_argument("--quick", action="store_const", dest="rounds", const=QUICK_ROUNDS)
    return parser.parse_args()


def _observers() -> dict[str, list[Observer]]:
    trace.set_tracer_provider(TracerProvider(shutdown_on_exit=False))
    # Models and all that uses them can be imported only now.
    recording = import_module("doc_priority.contrib.prometheus.recording")
    tracing = import_module("doc_priority.contrib.opentelemetry.tracing")
    return {
        NOBODY: [],
        "an observer that does nothing": [Observer()],
        "Prometheus": [recording.recorder],
        "OpenTelemetry's SDK": [tracing.tracing],
    }


def _rounds(observers: dict[str, list[Observer]], rounds: int) -> Iterator[Times]:
    check = import_module("doc_priority.services").check
    for watching in observers.values():
        _seconds(check, watching)
    for _ in range(rounds):
        taken: dict[str, list[float]] = {name: [] for name in observers}
        for _ in range(TURNS):
            for name, times in taken.items():
                times.append(_seconds(check, observers[name]))
        yield {name: mean(times) for name, times in taken.items()}


def _seconds(check: Callable[[str], object], watching: list[Observer]) -> float:
    """Of the processor, for one check."""
    observing.observers[:] = watching
    started = time.process_time()
    for _ in range(CHECKS):
        check("acme")
    return (time.process_time() - started) / CHECKS


def _tell(rounds: list[Times]) -> None:
    for name in rounds[0]:
        report.say(f"{name + ', µs of a check':<{WIDTH}}{_middle(rounds, name) * 1e6:>10,.1f}")
    for name in list(rounds[0])[1:]:
        ratios = [times[name] / times[NOBODY] for times in rounds]
        low, middle, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        report.say(
            f"{middle:.2f} times the time with {name} (half of the rounds {low:.2f} to {high:.2f})"
        )


def _middle(rounds: list[Times], name: str) -> float:
    return median(times[name] for times in rounds)


if __name__ == "__main__":
    sys.exit(main())
