"""Worker processes of a portal, started and ended by their own ids."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from tests.contrib.celery.portal import Terms

PATIENCE = 30
ONE_PROCESS = ("--pool=prefork", "--concurrency=1")
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING")


def eventually(holds: Callable[[], Any], *, seconds: float = PATIENCE) -> Any:
    """What it gives as soon as that is true."""
    ends = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < ends, f"not within {seconds} s"
        Event().wait(0.02)
    return found


def start(terms: Terms, *options: str) -> "subprocess.Popen[bytes]":
    """Its output goes into the folder's file `output`."""
    command = (sys.executable, "-m", "celery", "-A", "tests.contrib.celery.worker_app", "worker")
    with Path(terms.folder, "output").open("ab") as output:
        return subprocess.Popen(
            (*command, "-Q", terms.queue, *QUIET, *options),
            env=terms.environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@contextmanager
def worker(terms: Terms, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    """One that works on the portal's queue and ends in the end."""
    process = start(terms, *(options or ONE_PROCESS))
    try:
        yield process
    finally:
        end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """At once, with its own processes; nothing here depends on how a worker ends."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def lines(terms: Terms) -> list[dict[str, Any]]:
    """Of all tasks that have begun so far, in their order."""
    if not terms.lines.exists():
        return []
    text = terms.lines.read_text()
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def lines_once(terms: Terms, count: int) -> list[dict[str, Any]]:
    """As soon as there are so many."""
    found: list[dict[str, Any]] = eventually(lambda: _if_as_many(lines(terms), count))
    return found


def _if_as_many(found: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return found if len(found) >= count else []
