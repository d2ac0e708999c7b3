"""Run a suite at one place, for so long and no longer."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.proof.outcomes import Control, Finding, LeftOut, Outcome, table_from
from tests.proof.places import Place
from tests.proof.suite import Suite
from tests.settings import BASE_DIR

GRACE = 30
"""Seconds in which a run that is to end early takes down what it has set up."""


def perform(suite: Suite[Any], place: Place, *, full: bool) -> Outcome | None:
    """What was found; nothing when the suite itself failed or took too long."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "outcome.json")
        module = (sys.executable, "-m", "tests.proof.at_place", suite.name, place.name, str(file))
        command = (*module, "--full") if full else module
        if not ended_well(command, place, seconds=suite.limit(full=full)):
            return None
        return _read(json.loads(file.read_text("utf-8")))


def ended_well(command: tuple[str, ...], place: Place, *, seconds: int) -> bool:
    suffix = f"_proof_{os.getpid()}"
    environment = {**os.environ, "DATABASE_URL": place.url, "TEST_NAME_SUFFIX": suffix}
    # A session of its own, so that none of its own processes outlives it.
    with subprocess.Popen(command, cwd=BASE_DIR, env=environment, start_new_session=True) as child:
        try:
            return child.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            _say(place, f"given up after {seconds} s")
            return False
        finally:
            if child.poll() is None:
                _end(child, place, suffix)


def _end(child: "subprocess.Popen[bytes]", place: Place, suffix: str) -> None:
    """Asked first, for it has databases, files and servers to take down; then made to."""
    child.terminate()
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        _say(place, f"killed {GRACE} s later; look for databases whose names end with {suffix}")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def _say(place: Place, text: str) -> None:
    print(f"  {place.title}: {text}", file=sys.stderr, flush=True)


def _read(written: dict[str, Any]) -> Outcome:
    return Outcome(
        tuple(Finding(**one) for one in written["findings"]),
        tuple(Control(**one) for one in written["controls"]),
        tuple(table_from(one) for one in written["tables"]),
        tuple(LeftOut(**one) for one in written["left_out"]),
    )
