"""A suite at one place, in a process of its own: `python -m tests.proof.at_place NAME PLACE FILE`.

Leaves its outcome in the file. Which database it uses says DATABASE_URL, as for all tests.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

from tests.proof.interrupting import INTERRUPTED, heed_interruptions
from tests.proof.own_database import database_of_its_own
from tests.proof.places import PLACES
from tests.proof.suite import Trial
from tests.proof.suites import SUITES


def main() -> int:
    heed_interruptions()
    try:
        _run(_given())
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.proof.at_place", description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("place", choices=PLACES)
    parser.add_argument("file", type=Path)
    parser.add_argument("--full", action="store_true")
    return parser.parse_args()


def _run(given: argparse.Namespace) -> None:
    suite, trial = SUITES[given.suite], Trial(PLACES[given.place])
    with database_of_its_own():
        suite.run(trial, suite.bounds(full=given.full))
    given.file.write_text(json.dumps(asdict(trial.outcome)), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
