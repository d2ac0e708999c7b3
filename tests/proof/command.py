"""`python -m tests.proof [SUITE …] [--full]`."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.proof.interrupting import INTERRUPTED, heed_interruptions
from tests.proof.outcomes import LeftOut, Outcome
from tests.proof.performing import perform
from tests.proof.places import PLACES, Place
from tests.proof.records import keep
from tests.proof.suite import Suite
from tests.proof.suites import SUITES

ATTEMPTS = 3


@dataclass(frozen=True)
class Run:
    """A suite at one place, and what it found if it came to its end."""

    suite: Suite[Any]
    place: Place
    outcome: Outcome | None

    def __str__(self) -> str:
        return f"{self.suite.name} on {self.place.title}"

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        return self.outcome.left_out if self.outcome else ()

    @property
    def is_proven(self) -> bool:
        return self.outcome is not None and self.outcome.is_good


def main() -> int:
    heed_interruptions()
    try:
        return _run(_given())
    except KeyboardInterrupt:
        print("\nproof: interrupted", file=sys.stderr, flush=True)
        return INTERRUPTED


def _run(given: argparse.Namespace) -> int:
    suites = [SUITES[name] for name in dict.fromkeys(given.suites or SUITES)]
    wanted = {name for suite in suites for name in suite.places if name in given.places}
    obstacles = {name: reason for name in wanted if (reason := PLACES[name].obstacle())}
    runs = [
        Run(suite, place, _perform(suite, place, full=given.full, record=given.record))
        for suite, place in _turns(suites, given, obstacles)
    ]
    for name, reason in obstacles.items():
        print(f"not run: {PLACES[name].title}: {reason}")
    for one in runs:
        for part in one.left_out:
            print(f"not run: {one}: {part}")
    failed = [
        *_failed(runs, whole=given.strict or given.record),
        *_run_nowhere(given, runs),
        *_not_reached(given, obstacles),
    ]
    for name in failed:
        print(f"FAILED  {name}", file=sys.stderr)
    bounds = "figures that are promised" if given.full else "small bounds"
    result = "failed" if failed else "everything that was run held"
    print(f"\nproof: {result} ({bounds})", flush=True)
    return 1 if failed else 0


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    parser.add_argument(
        "--places",
        nargs="+",
        choices=PLACES,
        help="only there (all that the suite runs at); to be named after the suites",
    )
    parser.add_argument("--full", action="store_true", help="with the figures that are promised")
    parser.add_argument("--strict", action="store_true", help="fail where anything is left out")
    parser.add_argument(
        "--record", action="store_true", help="keep what was seen for the documentation"
    )
    given = parser.parse_args()
    if unknown := set(given.suites) - set(SUITES):
        parser.error(
            f"there is no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}"
        )
    if given.record and not given.full:
        parser.error("--record keeps what --full sees")
    given.all_are_wanted = given.strict or given.places is not None
    given.places = given.places or list(PLACES)
    return given


def _turns(
    suites: list[Suite[Any]], given: argparse.Namespace, obstacles: dict[str, str]
) -> Iterator[tuple[Suite[Any], Place]]:
    for suite in suites:
        print(f"\n=== {suite.name}: {suite.title}", flush=True)
        for name in suite.places:
            if name in given.places and name not in obstacles:
                yield suite, PLACES[name]


def _failed(runs: Sequence[Run], *, whole: bool) -> Iterator[str]:
    for one in runs:
        if not one.is_proven:
            yield str(one)
        elif whole and one.left_out:
            yield f"{one}: not all of it was run"


def _run_nowhere(given: argparse.Namespace, runs: Sequence[Run]) -> Iterator[str]:
    """Who names a suite wants to know whether it holds."""
    ran = {one.suite.name for one in runs}
    for name in dict.fromkeys(given.suites):
        if name not in ran:
            yield f"{name}: it ran at no place; it runs at {', '.join(SUITES[name].places)}"


def _not_reached(given: argparse.Namespace, obstacles: dict[str, str]) -> Iterator[str]:
    """Nor is it enough for somebody who names a place that the others were run."""
    if given.all_are_wanted:
        for name, reason in obstacles.items():
            yield f"{PLACES[name].title}: {reason}"


def _perform(suite: Suite[Any], place: Place, *, full: bool, record: bool) -> Outcome | None:
    """What was found; a record is kept only of a whole run in which everything held."""
    began = time.monotonic()
    outcome = perform(suite, place, full=full) if full else _perform_briefly(suite, place)
    print(f"  {place.title}: {time.monotonic() - began:.0f} s", flush=True)
    if record and outcome is not None and outcome.is_good and not outcome.left_out:
        keep(suite.name, place, outcome)
    return outcome


def _perform_briefly(suite: Suite[Any], place: Place) -> Outcome | None:
    """The short form measures so little that a moment of the machine's may spoil it.

    What has become slow is so each time; what is wrong but once is wrong.
    """
    for attempt in range(1, ATTEMPTS + 1):
        outcome = perform(suite, place, full=False)
        if outcome is None or outcome.is_good or not outcome.may_be_chance:
            return outcome
        print(f"  {place.title}: measured amiss, run {attempt} of {ATTEMPTS} at most", flush=True)
    return outcome
