"""Which tests reach which lines of the app, and how long each takes."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import coverage
import pytest

from tests.proof.upkeep.mutants.running import Timed, run
from tests.settings import BASE_DIR


class Reach(NamedTuple):
    """For each file and line the tests that run it; for each test its seconds."""

    tests: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    def of_line(self, file: str, line: int) -> set[str]:
        return set(self.tests.get(file, {}).get(str(line), ()))

    def of_lines(self, lines: Iterable[tuple[str, int]]) -> set[str]:
        return {test for line in lines for test in self.of_line(*line)}

    def of_files(self, files: Sequence[str]) -> set[str]:
        return {
            test for file in files for tests in self.tests.get(file, {}).values() for test in tests
        }


def reach_in(file: Path) -> Reach:
    return Reach(*json.loads(file.read_text("utf-8")))


def keep_reach(file: str, files: Sequence[str], *options: str) -> int:
    """Run the tests once and write down what they reach."""
    measured = coverage.Coverage(
        data_file=None, config_file=False, source_pkgs=["doc_priority"], concurrency=["thread"]
    )
    measured.start()
    timed = Timed()
    code = run(files, *options, plugins=[timed, _Contexts(measured)])
    measured.stop()
    reach = Reach(_reached(measured.get_data()), timed.seconds)
    Path(file).write_text(json.dumps(reach), "utf-8")
    return code


class _Contexts:
    def __init__(self, measured: coverage.Coverage) -> None:
        self._measured = measured

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._measured.switch_context(nodeid)


def _reached(data: coverage.CoverageData) -> dict[str, dict[str, list[str]]]:
    return {
        str(Path(file).relative_to(BASE_DIR)): {
            # What ran before the first test did is imported by all of them.
            str(line): [test for test in tests if test]
            for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
