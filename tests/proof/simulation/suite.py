"""The real code and the model, seed by seed, and what the two make of planted bugs."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.proof.simulation.bugs import BUGS
from tests.proof.simulation.copies import environments
from tests.proof.simulation.seeds import Failure
from tests.proof.simulation.vectors_held import results, wrong_results
from tests.proof.suite import Suite, Trial
from tests.proof.workers import Worker, workers

ROUND = 100
"""So many seeds until it is said how far things are."""

WELL_KNOWN = "a pin ends a microsecond late"
FEW = 5
"""So many steps show that bug: somebody comes, is pinned, the clock moves, a document comes."""


@dataclass(frozen=True)
class Bounds:
    processes: int
    seeds: int
    length: int
    seeds_for_a_bug: int


def run(trial: Trial, bounds: Bounds) -> None:
    _hold_the_model_to_the_vectors(trial)
    with (
        environments(bounds.processes) as copies,
        workers("tests.proof.simulation.worker", copies) as crew,
    ):
        _simulate(trial, crew, bounds)
        found = _plant(trial, crew, bounds)
        if WELL_KNOWN in found:
            _cut_down(trial, crew[0], bounds, found[WELL_KNOWN].seed)


def _hold_the_model_to_the_vectors(trial: Trial) -> None:
    wrong = wrong_results()
    trial.find(
        "The model knows the rule",
        asked=f"all {results()} results of rule-vectors.json",
        seen=f"{wrong} wrong",
        held=wrong == 0,
    )


def _simulate(trial: Trial, crew: list[Worker], bounds: Bounds) -> None:
    began = time.monotonic()
    tally: Counter[str] = Counter()
    failures: list[Failure] = []
    for seeds in _rounds(bounds.seeds):
        for number, worker in enumerate(crew):
            share = list(seeds)[number :: len(crew)]
            worker.order(["run", {"seeds": share, "length": bounds.length}])
        for worker in crew:
            taken, failed = worker.answer()
            tally.update(taken)
            failures += [Failure(*one) for one in failed]
        trial.say(
            f"{seeds.stop:,} seeds, {tally.total():,} steps, {time.monotonic() - began:,.0f} s"
        )
    trial.say(", ".join(f"{name} {number:,}" for name, number in tally.most_common()))
    for failure in failures:
        trial.say(f"{failure}\n    again: {_again(trial, failure.seed)}")
    trial.find(
        "Every answer, every counter and all that is stored are the model's",
        asked=f"{bounds.seeds:,} seeds of {bounds.length} steps, 0 differences",
        seen=f"{tally.total():,} steps, {len(failures)} seeds differ "
        f"({tally.total() / (time.monotonic() - began):,.0f} steps/s)",
        held=not failures and tally.total() == bounds.seeds * bounds.length,
    )


def _rounds(seeds: int) -> Iterator[range]:
    for first in range(0, seeds, ROUND):
        yield range(first, min(first + ROUND, seeds))


def _again(trial: Trial, seed: int) -> str:
    return (
        f"DATABASE_URL={trial.place.url} {sys.executable} -m tests.proof.simulation.replay {seed}"
    )


def _plant(trial: Trial, crew: list[Worker], bounds: Bounds) -> dict[str, Failure]:
    """Each bug for as many seeds as it takes to find it; what found it, where one did."""
    found: dict[str, Failure] = {}
    titles = [title for title, bug in BUGS.items() if trial.place.name in bug.plants]
    for first in range(0, len(titles), len(crew)):
        turn = list(zip(titles[first:], crew, strict=False))
        for title, worker in turn:
            worker.order(["caught", _order(trial, bounds, title)])
        for title, worker in turn:
            answer = worker.answer()
            if answer is not None:
                found[title] = Failure(*answer)
            seen = _seen(found.get(title), bounds)
            trial.control(title, seen=seen, caught=title in found)
    return found


def _cut_down(trial: Trial, worker: Worker, bounds: Bounds, seed: int) -> None:
    """A failure is of use when one can read it."""
    order = {"bug": WELL_KNOWN, "place": trial.place.name, "length": bounds.length, "seed": seed}
    worker.order(["cut_down", order])
    failure = Failure(*worker.answer())
    trial.say(f"a bug on purpose ({WELL_KNOWN}), cut down: {failure}")
    trial.find(
        "A seed that fails is cut down to the steps that matter",
        asked=f"at most {FEW} of {failure.step + 1}",
        seen=f"{len(failure.steps)}",
        held=len(failure.steps) <= FEW,
    )


def _order(trial: Trial, bounds: Bounds, title: str) -> dict[str, object]:
    return {
        "bug": title,
        "place": trial.place.name,
        "seeds": bounds.seeds_for_a_bug,
        "length": bounds.length,
    }


def _seen(failure: Failure | None, bounds: Bounds) -> str:
    if failure is None:
        return f"not found by {bounds.seeds_for_a_bug} seeds"
    return f"found by seed {failure.seed} in step {failure.step}"


SIMULATION = Suite(
    name="simulation",
    title="the real code beside an independent model, under a virtual clock",
    places=("sqlite", "postgresql"),
    run=run,
    short=Bounds(processes=2, seeds=500, length=200, seeds_for_a_bug=50),
    full=Bounds(processes=2, seeds=10_000, length=200, seeds_for_a_bug=50),
    short_limit=1_800,
    full_limit=14_400,
)
