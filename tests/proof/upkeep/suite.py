"""Mutants, random order, bandit and rules of our own."""

from dataclasses import dataclass

from tests.proof.suite import Suite, Trial
from tests.proof.upkeep.bandit import look_with_bandit
from tests.proof.upkeep.mutation import Mutation, mutate
from tests.proof.upkeep.random_order import run_in_random_order
from tests.proof.upkeep.semgrep import look_with_semgrep


@dataclass(frozen=True)
class Bounds:
    mutation: Mutation
    tests: tuple[str, ...]
    """Those that are run in random order."""
    runs: int


def run(trial: Trial, bounds: Bounds) -> None:
    """The code is the same everywhere; only counting is another one on every database."""
    if trial.place.name == "sqlite":
        look_with_bandit(trial)
        look_with_semgrep(trial)
        run_in_random_order(trial, tests=bounds.tests, runs=bounds.runs)
    mutate(trial, bounds.mutation)


UPKEEP = Suite(
    name="upkeep",
    title="mutants, random order, and rules for the code",
    places=("sqlite", "postgresql", "mariadb"),
    run=run,
    short=Bounds(Mutation(whole=False), tests=("tests/unit",), runs=2),
    full=Bounds(Mutation(whole=True), tests=("tests/unit", "tests/db"), runs=50),
    short_limit=300,
    full_limit=36_000,
)
