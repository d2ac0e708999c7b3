"""A suite at one place, in a process of its own: `python -m tests.proof.at_place NAME PLACE FILE`.

Leaves its outcome in the file. Which database it uses says DATABASE_URL, as for all tests.
"""

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

from django.db import connections
from django.test.utils import (
    setup_databases,
    setup_test_environment,
    teardown_databases,
    teardown_test_environment,
)

from tests.proof.places import PLACES
from tests.proof.suite import Trial
from tests.proof.suites import SUITES


@contextmanager
def database_of_its_own() -> Iterator[None]:
    """As tests have one; it is gone afterwards."""
    setup_test_environment()
    made = setup_databases(verbosity=0, interactive=False)
    try:
        yield
    finally:
        connections.close_all()
        teardown_databases(made, verbosity=0)
        teardown_test_environment()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.proof.at_place", description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("place", choices=PLACES)
    parser.add_argument("file", type=Path)
    parser.add_argument("--full", action="store_true")
    given = parser.parse_args()
    suite, trial = SUITES[given.suite], Trial(PLACES[given.place])
    with database_of_its_own():
        suite.run(trial, suite.bounds(full=given.full))
    given.file.write_text(json.dumps(asdict(trial.outcome)), "utf-8")


if __name__ == "__main__":
    main()
