"""One seed again, by itself: `python -m tests.proof.simulation.replay SEED [--bug TITLE]`.

On the database behind DATABASE_URL, as all tests. Says the fewest steps that show a difference.
"""

import argparse
import os
import sys

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

from contextlib import nullcontext

from django.db import connection

from tests.proof.own_database import database_of_its_own
from tests.proof.simulation.bugs import BUGS
from tests.proof.simulation.inventing import invent
from tests.proof.simulation.seeds import failure_in, minimised


def main() -> int:
    given = _given()
    with database_of_its_own():
        plant = BUGS[given.bug].plants[connection.vendor] if given.bug else nullcontext
        with plant():
            steps = invent(given.seed, length=given.length)
            failure = failure_in(given.seed, steps)
            if failure is not None:
                failure = minimised(failure, steps)
    print(failure or f"seed {given.seed}: no difference in {given.length} steps")
    return 1 if failure else 0


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.proof.simulation.replay", description=__doc__
    )
    parser.add_argument("seed", type=int)
    parser.add_argument("--length", type=int, default=200, help="how many steps (200)")
    parser.add_argument("--bug", choices=BUGS, help="with this bug planted", metavar="TITLE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
