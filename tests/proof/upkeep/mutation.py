"""Mutants of the rule, the counters and the services: of 100 at least 95 must be noticed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.proof.suite import Trial
from tests.proof.upkeep.mutants.choosing import always, by_reach
from tests.proof.upkeep.mutants.equivalents import is_equivalent
from tests.proof.upkeep.mutants.mutant import mutants_of
from tests.proof.upkeep.mutants.rates import Rate, rates
from tests.proof.upkeep.mutants.trying import PATIENCE, Choice, Result, Tests, require_good, tried
from tests.proof.upkeep.mutants.workers import Worker, workers
from tests.proof.upkeep.parts import PARTS, Part

WORKERS = 2
ASKED = 0.95
ASKED_OF_SAMPLE = 0.5
"""Few mutants and few tests: it shows that mutants are noticed, and the full form how many."""
SEED = 7


@dataclass(frozen=True)
class Mutation:
    whole: bool
    """Whether all mutants are tried, with all tests that reach them, or some of each part."""
    seconds: float = 60.0
    """What the tests of one mutant may take."""


def mutate(trial: Trial, mutation: Mutation) -> None:
    parts = PARTS[trial.place.name]
    with workers(WORKERS) as started:
        for part in parts:
            choice = _choice(trial, started, part, mutation)
            results = _results(trial, started, part, choice, mutation)
            _find(trial, part, results, mutation)
        _weaken(trial, started, parts[0])


def _choice(trial: Trial, started: Sequence[Worker], part: Part, mutation: Mutation) -> Choice:
    """Nothing counts unless the tests pass where there is no bug."""
    if not mutation.whole:
        require_good(started[0], Tests(part.sample_tests))
        return always(part.sample_tests)
    trial.say(f"{part.title}: which tests reach it?")
    reach = started[0].reach(part.tests, seconds=PATIENCE)
    return by_reach(reach, part.files, seconds=mutation.seconds)


def _results(
    trial: Trial, started: Sequence[Worker], part: Part, choice: Choice, mutation: Mutation
) -> list[Result]:
    files = part.files if mutation.whole else part.sample_files or part.files
    mutants = [mutant for mutant in mutants_of(files) if not is_equivalent(mutant)]
    if not mutation.whole:
        mutants = random.Random(SEED).sample(mutants, part.sample)
    trial.say(f"{part.title}: {len(mutants)} mutants")

    def tell(result: Result) -> None:
        if result.survived:
            trial.say(f"survived: {result.mutant}")

    results = tried(started, mutants, choice, tell=tell)
    _require_no_false_alarm(started, results)
    return results


def _require_no_false_alarm(started: Sequence[Worker], results: Sequence[Result]) -> None:
    """What noticed a bug passes without one, also where the bugs have run."""
    noticed = sorted({result.ended.failed for result in results} - {""})
    files = sorted({test.partition("::")[0] for test in noticed})
    for worker in started if noticed else ():
        require_good(worker, Tests(files, noticed))


def _find(trial: Trial, part: Part, results: Sequence[Result], mutation: Mutation) -> None:
    whole = Rate.of(results)
    for file, rate in rates(results).items():
        trial.say(f"{file}: {rate}")
    equivalent = sum(is_equivalent(mutant) for mutant in mutants_of(part.files))
    asked = ASKED if mutation.whole else ASKED_OF_SAMPLE
    trial.find(
        f"Tests notice what goes wrong in {part.title}",
        asked=f"{asked:.0%} of the mutants killed",
        seen=f"{whole}; {equivalent} of the part's are equivalent",
        held=whole.killed >= asked * whole.tried,
    )


def _weaken(trial: Trial, started: Sequence[Worker], part: Part) -> None:
    mutants = random.Random(SEED).sample(mutants_of(part.files), 4)
    rate = Rate.of(tried(started, mutants, always(part.weak_tests)))
    trial.control(
        f"{part.title} tested by {', '.join(part.weak_tests)} alone",
        seen=str(rate),
        caught=rate.killed < rate.tried,
    )
