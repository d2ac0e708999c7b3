"""Every test that the documentation names as a proof exists, and every folder of tests is named."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proof.hostile.controls import AT_ONE_PLACE, EVERYWHERE, IN_A_BROWSER
from tests.proof.places import PLACES
from tests.proof.records import records
from tests.proof.simulation.bugs import BUGS
from tests.proof.suites import SUITES
from tests.settings import BASE_DIR

PAGES = ("promises", "faults", "one-statement")
PATH = re.compile(r"(?<![\w/])tests/[\w/.-]*\w")


def text_of(page: str) -> str:
    return Path(BASE_DIR, "docs", "explanation", f"{page}.md").read_text("utf-8")


def named_in(page: str) -> set[str]:
    return set(PATH.findall(text_of(page)))


@pytest.mark.parametrize("page", PAGES)
def test_what_is_named_exists(page: str) -> None:
    named = named_in(page)
    assert named
    assert [path for path in sorted(named) if not Path(BASE_DIR, path).exists()] == []


def test_the_tests_of_a_promise_are_modules_of_tests() -> None:
    cells = [
        line.split(" | ")[1] for line in text_of("promises").splitlines() if "| `pytest" in line
    ]
    modules = [path for cell in cells for path in PATH.findall(cell)]
    assert len(modules) >= len(cells) - 1
    for path in modules:
        assert "\ndef test_" in f"\n{Path(BASE_DIR, path).read_text('utf-8')}"


def test_a_command_runs_the_tests_beside_it() -> None:
    for line in text_of("promises").splitlines():
        if " | `pytest" not in line:
            continue
        _, tests, command = line.strip("| ").split(" | ", 2)
        for path in PATH.findall(tests):
            assert runs(command, path), f"{command} does not run {path}"


@pytest.mark.sqlite
def test_a_command_without_a_remark_runs_something_on_sqlite() -> None:
    commands = re.findall(r"\| `(pytest [^`]+)`(?: \||; )", text_of("promises"))
    paths = {path for command in commands for path in PATH.findall(command)}
    modules = collected(sorted(paths))
    assert commands
    for command in commands:
        assert any(runs(command, module) for module in modules), command


def test_each_suite_is_described_with_where_it_runs() -> None:
    described = dict(re.findall(r"(?m)^\| `(\w+)` \|.*\| ([^|]+) \|$", text_of("promises")))
    assert list(described) == list(SUITES)
    for name, suite in SUITES.items():
        where = described[name].partition(";")[0].split(", ")
        assert set(where) <= {PLACES[place].title for place in suite.places}
        assert len(where) == len(suite.places) or ";" in described[name]


def test_what_each_suite_saw_at_each_place_is_kept() -> None:
    runs = {
        (suite.name, PLACES[place].title) for suite in SUITES.values() for place in suite.places
    }
    assert {(record.suite, record.place) for record in records()} == runs


def test_bugs_on_purpose_are_counted_right() -> None:
    told = dict(re.findall(r"(?m)^\| `(\w+)` \|.*\| (\d+) bugs", text_of("promises")))
    hostile = len((*EVERYWHERE, *AT_ONE_PLACE, IN_A_BROWSER))
    assert told == {"simulation": str(len(BUGS)), "hostile": str(hostile)}


def collected(paths: list[str]) -> set[str]:
    """The modules of which something is left on SQLite."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", *paths],
        cwd=BASE_DIR,
        env=os.environ | {"DATABASE_URL": "sqlite://"},
        capture_output=True,
        text=True,
        check=False,
    )
    return set(re.findall(r"(?m)^(tests/[\w/]+\.py)", done.stdout))


def runs(command: str, path: str) -> bool:
    words = re.findall(r"-k \"?([\w ]+)", command)
    chosen = words[0].split(" or ") if words else [""]
    under = any(path.startswith(argument) for argument in PATH.findall(command))
    return under and any(word.strip() in Path(path).stem for word in chosen)
