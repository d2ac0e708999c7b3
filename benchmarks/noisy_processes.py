"""The processes of one run: workers that are ready, and publishers that send."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.noisy_plan import FLOOD, Plan
from benchmarks.noisy_publisher import OTHERS, WARM
from benchmarks.noisy_stamps import ENDED, number_of
from benchmarks.run import Run
from doc_priority.types import SECOND

LOOK = 0.25
READY = 60
"""Seconds until workers must have done their first documents."""
AHEAD = 4 * SECOND
"""What publishers have to get ready before the first document is due."""


@contextmanager
def workers(plan: Plan) -> Iterator[None]:
    """Workers that have done a document or two already; ended at the end."""
    started = [_started(command, "worker") for command in _worker_commands(plan)]
    try:
        _warm_up(plan)
        yield
    finally:
        _end(started)


def send_everything(plan: Plan, *, limit: float) -> None:
    """Play the plan, and wait until the last document is done."""
    begin = time.monotonic_ns() // 1_000 + AHEAD
    expected = plan.warm_up + len(plan.scenario(service=plan.service).arrivals)
    _send((FLOOD, OTHERS), begin, expected, limit)


def _warm_up(plan: Plan) -> None:
    _send((WARM,), 0, plan.warm_up, READY)


def _send(parts: Sequence[str], begin: int, expected: int, limit: float) -> None:
    deadline = time.monotonic() + limit
    module = "benchmarks.noisy_publisher"
    publishers = [
        _started([sys.executable, "-m", module, part, str(begin)], "publisher") for part in parts
    ]
    try:
        _wait_for(expected, deadline)
    finally:
        _end(publishers)


def _wait_for(documents: int, deadline: float) -> None:
    while number_of(ENDED) < documents:
        if time.monotonic() > deadline:
            raise TimeoutError(
                f"{number_of(ENDED):,} of {documents:,} documents are done and the time is up; "
                f"the workers' last words: {_last_words('worker')}; "
                f"the publishers': {_last_words('publisher')}"
            )
        time.sleep(LOOK)


def _worker_commands(plan: Plan) -> list[list[str]]:
    if plan.engine == "celery":
        options = ["--concurrency", str(plan.workers), "--loglevel", "WARNING"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        app = ["celery", "-A", "benchmarks.noisy_celery", "worker"]
        return [[sys.executable, "-m", *app, *options, *quiet]]
    options = ["--interval", "0.1", "--no-startup-delay", "-v", "0"]
    return [[sys.executable, "-m", "django", "db_worker", *options]] * plan.workers


def _started(command: Sequence[str], name: str) -> "subprocess.Popen[bytes]":
    with _log(name).open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603


def _log(name: str) -> Path:
    return Path(Run.current().folder, f"{name}.log")


def _last_words(name: str) -> str:
    """The folder of the logs does not outlive the run."""
    return _log(name).read_text(encoding="utf-8", errors="replace")[-1_000:] or "none"


def _end(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Those still running are asked to end, and killed where they do not listen."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
