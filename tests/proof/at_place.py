"""A suite at one place, in a process of its own: `python -m tests.proof.at_place NAME PLACE FILE`.

Leaves its outcome in the file. Which database it uses says DATABASE_URL, as for all tests.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()

from django.db import connection, connections
from django.test.utils import (
    setup_databases,
    setup_test_environment,
    teardown_databases,
    teardown_test_environment,
)

from tests.proof.places import PLACES
from tests.proof.suite import Trial
from tests.proof.suites import SUITES

INTERRUPTED = 130
INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def database_of_its_own() -> Iterator[None]:
    """As tests have one; it is gone afterwards, also when the run is interrupted."""
    setup_test_environment()
    # An interruption waits until what is half made can be taken down.
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    made = setup_databases(verbosity=0, interactive=False)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
        yield
    finally:
        connections.close_all()
        teardown_databases(made, verbosity=0)
        _sweep(Path(connection.settings_dict["TEST"]["NAME"] or ""))
        teardown_test_environment()


def _sweep(file: Path) -> None:
    """What SQLite keeps beside a database and its copies while somebody is connected.

    Who was killed could not close its connection.
    """
    if connection.vendor == "sqlite":
        for pattern in (f"{file.name}-*", f"{file.stem}_*{file.suffix}-*"):
            for beside in file.parent.glob(pattern):
                beside.unlink()


def main() -> int:
    for number in INTERRUPTIONS:
        signal.signal(number, signal.default_int_handler)
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
