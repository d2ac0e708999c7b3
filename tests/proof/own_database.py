"""A database for one run, as tests have one."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.db import connection, connections
from django.test.utils import (
    setup_databases,
    setup_test_environment,
    teardown_databases,
    teardown_test_environment,
)

from tests.proof.interrupting import interruptions_held_back


@contextmanager
def database_of_its_own() -> Iterator[None]:
    """It is gone afterwards, also when the run is interrupted."""
    with ExitStack() as stack:
        with interruptions_held_back():
            setup_test_environment()
            stack.callback(teardown_test_environment)
            stack.callback(_sweep, Path(connection.settings_dict["TEST"]["NAME"] or ""))
            made = setup_databases(verbosity=0, interactive=False)
            stack.callback(teardown_databases, made, verbosity=0)
            stack.callback(connections.close_all)
        yield


def _sweep(file: Path) -> None:
    """What SQLite keeps beside a database and its copies while somebody is connected.

    Who was killed could not close its connection.
    """
    if connection.vendor == "sqlite":
        for pattern in (f"{file.name}-*", f"{file.stem}_*{file.suffix}-*"):
            for beside in file.parent.glob(pattern):
                beside.unlink()
