"""Copies of this test's database, one for each process: nobody waits for another there."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db import connection

from tests.shared_database import url_of_database


@contextmanager
def environments(count: int) -> Iterator[list[dict[str, str]]]:
    """What so many processes need to have a copy each; the copies are gone afterwards."""
    names = [_name(str(number)) for number in range(count)]
    with ExitStack() as stack:
        for number, _ in enumerate(names):
            stack.enter_context(_copy(str(number)))
        yield [{**os.environ, "DATABASE_URL": url_of_database(name)} for name in names]


@contextmanager
def _copy(suffix: str) -> Iterator[None]:
    # On SQLite the last connection to be closed writes everything into the one file.
    connection.close()
    connection.creation.clone_test_db(suffix, verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(suffix=suffix, verbosity=0)


def _name(suffix: str) -> str:
    return str(connection.creation.get_test_db_clone_settings(suffix)["NAME"])
