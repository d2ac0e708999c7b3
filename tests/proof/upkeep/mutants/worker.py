"""A warm process that runs tests in forks of itself: what all runs need is imported once.

An order is a line of JSON, and so is the answer. When there is no further line it ends.
"""

import importlib
import json
import os
import signal
import sys
from threading import Event
from time import monotonic
from typing import Any

from tests.proof.upkeep.mutants.importing import import_instead
from tests.proof.upkeep.mutants.mutant import compiled
from tests.proof.upkeep.mutants.reach import keep_reach
from tests.proof.upkeep.mutants.running import Chosen, is_warm_only, limit, run

WARMED = (
    "django.contrib.admin",
    "django.db.backends.sqlite3.base",
    "django.test",
    "factory",
    "hypothesis.strategies",
    "pytest_django.plugin",
    "pytest_timeout",
    "rest_framework",
)

HANGING = 40
"""Seconds after which a test is ended; none of those that are chosen takes so long by itself."""


def main() -> None:
    for name in WARMED:
        importlib.import_module(name)
    print("ready", flush=True)
    fresh = True
    for line in sys.stdin:
        if not is_warm_only():
            raise RuntimeError("The app is imported already: a bug in it would not be.")
        answer = _answer(json.loads(line), fresh=fresh)
        # Whoever was ended did not tidy up the database.
        fresh = answer["code"] < 0
        print(json.dumps(answer), flush=True)


def _answer(order: dict[str, Any], *, fresh: bool) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _obey_and_exit(order, writing, fresh=fresh)
    os.close(writing)
    # A loop is told by the processor's time, and pytest ends what waits: a busy machine is neither.
    code = _code_of(child, seconds=order["seconds"] * 30)
    with os.fdopen(reading) as pipe:
        return {"code": code, "failed": pipe.read()}


def _obey_and_exit(order: dict[str, Any], writing: int, *, fresh: bool) -> None:
    """Nothing of the parent's is left to run: no handlers, no `finally` of its own."""
    code = 70
    try:
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        limit(seconds=order["seconds"])
        code = _obey(order, writing, fresh=fresh)
        sys.stdout.flush()
    finally:
        os._exit(code)


def _obey(order: dict[str, Any], writing: int, *, fresh: bool) -> int:
    options = ["--create-db"] if fresh else []
    if order["reach"]:
        return keep_reach(order["reach"], order["files"], *options)
    if order["mutant"]:
        file, number = order["mutant"]
        import_instead(file, compiled(file, number))
    chosen = Chosen(order["tests"])
    code = run(order["files"], *options, f"--timeout={HANGING}", plugins=[chosen])
    os.write(writing, chosen.failed.encode())
    return code


def _code_of(child: int, *, seconds: float) -> int:
    """How it ended, and below 0 if it was ended; however slow the machine, at some point it is."""
    deadline = monotonic() + seconds
    pause = Event()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            deadline += seconds
        pause.wait(0.01)


if __name__ == "__main__":
    main()
