"""semgrep with rules of our own: what this house does not do."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.proof.suite import Trial
from tests.proof.upkeep.findings import PLANTED, Place, planted_lines, told
from tests.proof.upkeep.semgrep_program import semgrep
from tests.settings import BASE_DIR

PATTERNS = Path(__file__).with_name("patterns")
_EXEMPT = re.compile(r'- "\*\*/doc_priority/(.+)"$', re.M)
PROMISES = {
    "only-services-write": "Only services write",
    "no-raw-sql": "SQL is written in few places",
    "admin-is-translated": "No untranslated text in the admin",
}


def look_with_semgrep(trial: Trial) -> None:
    for rule, promise in PROMISES.items():
        found = _found(rule, BASE_DIR / "doc_priority")
        asked = f"semgrep finds nothing outside {', '.join(_exempt(rule))}"
        trial.find(promise, asked=asked, seen=told(found), held=not found)
        _find_planted(trial, rule)


def _exempt(rule: str) -> list[str]:
    """Where the rule does not look; its file says of each why."""
    text = (PATTERNS / f"{rule}.yaml").read_text("utf-8")
    return [place.removesuffix("/**") for place in _EXEMPT.findall(text)]


def _find_planted(trial: Trial, rule: str) -> None:
    """What is planted, and nothing else, in the place of a module of the admin."""
    planted = PLANTED / f"{rule.replace('-', '_')}.py"
    with TemporaryDirectory() as folder:
        place = Path(folder, "doc_priority", "admin")
        place.mkdir(parents=True)
        found = _found(rule, Path(shutil.copy(planted, place)))
    seen, wanted = {one.line for one in found}, planted_lines(planted)
    trial.control(
        f"bugs that {rule} is about",
        seen=f"lines {sorted(seen)} of {sorted(wanted)} found",
        caught=seen == wanted,
    )


def _found(rule: str, path: Path) -> list[Place]:
    command = [str(semgrep()), "scan", "--experimental", "--metrics", "off", "--json", "--quiet"]
    options = ["--disable-version-check", "--no-git-ignore", "--config"]
    ended = subprocess.run(
        [*command, *options, str(PATTERNS / f"{rule}.yaml"), str(path)],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        timeout=120,
    )
    report = json.loads(ended.stdout) if ended.returncode in (0, 1) else {"errors": ended.stderr}
    if report["errors"] or not report["paths"]["scanned"]:
        raise RuntimeError(f"semgrep could not look everywhere: {report}")
    return [Place(one["path"], one["start"]["line"], rule) for one in report["results"]]
