"""Run a suite at one place, for so long and no longer."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.proof.outcomes import Control, Finding, LeftOut, Outcome, table_from
from tests.proof.places import Place
from tests.proof.suite import Suite
from tests.settings import BASE_DIR


def perform(suite: Suite[Any], place: Place, *, full: bool) -> Outcome | None:
    """What was found; nothing when the suite itself failed or took too long."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "outcome.json")
        module = (sys.executable, "-m", "tests.proof.at_place", suite.name, place.name, str(file))
        command = (*module, "--full") if full else module
        if not _ended_well(command, place, seconds=suite.limit(full=full)):
            return None
        return _read(json.loads(file.read_text("utf-8")))


def _ended_well(command: tuple[str, ...], place: Place, *, seconds: int) -> bool:
    environment = {
        **os.environ,
        "DATABASE_URL": place.url,
        "TEST_NAME_SUFFIX": f"_proof_{os.getpid()}",
    }
    # A session of its own, so that none of its own processes outlives it.
    with subprocess.Popen(command, cwd=BASE_DIR, env=environment, start_new_session=True) as child:
        try:
            return child.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            print(f"  {place.title}: given up after {seconds} s", file=sys.stderr, flush=True)
            return False
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)


def _read(written: dict[str, Any]) -> Outcome:
    return Outcome(
        tuple(Finding(**one) for one in written["findings"]),
        tuple(Control(**one) for one in written["controls"]),
        tuple(table_from(one) for one in written["tables"]),
        tuple(LeftOut(**one) for one in written["left_out"]),
    )
