"""Real workers, each in a process of its own, on the database of the test."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from threading import Event
from time import monotonic
from typing import Any

from doc_priority.models import Counter
from tests.databases import environment_of_the_test_database
from tests.settings import BASE_DIR

PATIENCE = 60


def inversions(levels: Sequence[int]) -> int:
    """How far from its order it is: the pairs of which the one with the worse level came first."""
    return sum(earlier > later for earlier, later in combinations(levels, 2))


def eventually(holds: Callable[[], Any], *, seconds: float = PATIENCE) -> Any:
    """What it gives as soon as that is true."""
    ends = monotonic() + seconds
    while not (found := holds()):
        assert monotonic() < ends, f"what was waited for did not happen within {seconds} s"
        Event().wait(0.01)
    return found


def charged(customer: str = "acme") -> int:
    """Documents of the customer that were counted; the first only opens the counter."""
    counter = Counter.objects.filter(customer__key=customer).first()
    return 0 if counter is None else 1 - counter.pending_documents


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """A Python program, which is killed with its own processes if it still runs at the end."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=BASE_DIR,
        env={
            **environment_of_the_test_database(),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def run(*arguments: str, **environment: str) -> str:
    """What the program says until its end, which must be a good one."""
    with running(*arguments, **environment) as process:
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, output
    return output


def manage(*command: str) -> str:
    return run("-m", "django", *command)


def db_worker(backend: str, *options: str) -> tuple[str, ...]:
    """The command of a worker of Django tasks that reads all queues and does not pause."""
    always = ("--queue-name", "*", "--interval", "0.01", "--no-startup-delay", "--verbosity", "0")
    return ("db_worker", "--backend", backend, *always, *options)


def celery_worker(terms: Any, *options: str) -> Any:
    """One that works on the portal's queue."""
    app = ("-A", "tests.contrib.celery.portal", "worker", "-Q", terms.queue)
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING")
    chosen = options or ("--pool=solo", "--concurrency=1")
    return running("-m", "celery", *app, *quiet, *chosen, **terms.environment())
