"""Real workers, each in a process of its own."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic

from tests.settings import BASE_DIR
from tests.shared_database import environment_of_the_test_database

PATIENCE = 60


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again, and give up at the deadline."""
    deadline = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < deadline, "what was waited for did not happen"
        Event().wait(0.01)


@contextmanager
def managing(*command: str) -> Iterator["subprocess.Popen[str]"]:
    """A management command on the test database; it is killed if it is still running at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "django", *command],
        cwd=BASE_DIR,
        env={
            **environment_of_the_test_database(),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def run(*command: str) -> None:
    """The command to its end, which must be a good one."""
    with managing(*command) as process:
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, output


def worker(backend: str, *options: str) -> tuple[str, ...]:
    """The arguments of a worker that does all queues of a backend and does not pause."""
    always = ("--queue-name", "*", "--interval", "0.01", "--no-startup-delay", "--verbosity", "0")
    return ("db_worker", "--backend", backend, *always, *options)
