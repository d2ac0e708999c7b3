"""A publisher that may be killed at any moment: sends its share of the documents, and notes each.

Started again it goes on behind the last document it noted, so the one it was killed at is repeated.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import django

django.setup()

from kombu.exceptions import OperationalError  # noqa: E402

from tests.contrib.celery.portal import Terms, make  # noqa: E402

CUSTOMERS = 20


def main(noted: Path, documents: range) -> None:
    process = make(Terms.of_environment()).tasks["portal.process"]
    done = len(noted.read_bytes()) if noted.exists() else 0
    with noted.open("ab", buffering=0) as notes:
        for number in documents[done:]:
            while not sent(process, number):
                pass
            os.write(notes.fileno(), b".")


def again(numbers: Iterable[int]) -> None:
    process = make(Terms.of_environment()).tasks["portal.process"]
    for number in numbers:
        assert sent(process, number)


def sent(process: object, number: int) -> bool:
    try:
        process.delay(f"customer-{number % CUSTOMERS}", f"D-{number}")  # type: ignore[attr-defined]
    except OperationalError:
        return False
    return True


if __name__ == "__main__":
    what, *numbers = sys.argv[1:]
    if what == "again":
        again(map(int, numbers))
    else:
        main(Path(what), range(*map(int, numbers)))
