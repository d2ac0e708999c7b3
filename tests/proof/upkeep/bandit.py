"""bandit: what is known to be unsafe in Python."""

import json
import subprocess
import sys
from pathlib import Path

from tests.proof.suite import Trial
from tests.proof.upkeep.findings import PLANTED, Place, planted_lines, told
from tests.settings import BASE_DIR


def look_with_bandit(trial: Trial) -> None:
    found = _found_in(BASE_DIR / "doc_priority")
    asked = "bandit finds nothing (ruff asks for B311 and B608: as S311 and S608)"
    trial.find("Nothing unsafe in the code", asked=asked, seen=told(found), held=not found)
    planted = PLANTED / "unsafe.py"
    seen = _found_in(planted)
    trial.control(
        "a command put together for a shell",
        seen=told(seen),
        caught={place.line for place in seen} >= planted_lines(planted),
    )


def _found_in(path: Path) -> list[Place]:
    command = [sys.executable, "-m", "bandit", "-c", "pyproject.toml", "-q", "-f", "json", "-r"]
    ended = subprocess.run(
        [*command, str(path)], cwd=BASE_DIR, capture_output=True, text=True, timeout=120
    )
    # 1: something was found.
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"bandit ended with {ended.returncode}: {ended.stderr}")
    report = json.loads(ended.stdout)
    if report["errors"]:
        raise RuntimeError(f"bandit could not read everything: {report['errors']}")
    return [Place(one["filename"], one["line_number"], one["test_id"]) for one in report["results"]]
