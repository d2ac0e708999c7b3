"""What a benchmark that takes turns can be told."""

import argparse
from collections.abc import Sequence
from pathlib import Path

MOST_ROUNDS = 100


def read(
    program: str, description: str | None, *, databases: Sequence[str], rounds: int, quick: int
) -> argparse.Namespace:
    """The databases, the rounds, whether it must be quick, and a file for the numbers."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=description)
    parser.add_argument(
        "--databases", nargs="+", choices=databases, default=databases, help="all if left out"
    )
    parser.add_argument("--rounds", type=_round_count, help=f"{rounds}, or {quick} when quick")
    parser.add_argument("--quick", action="store_true", help="about a minute, and noisy")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every round's numbers")
    given = parser.parse_args()
    given.rounds = given.rounds or (quick if given.quick else rounds)
    return given


def _round_count(text: str) -> int:
    if not 1 <= (count := int(text)) <= MOST_ROUNDS:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {MOST_ROUNDS}")
    return count
