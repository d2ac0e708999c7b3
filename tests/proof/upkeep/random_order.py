"""The fast tests again and again, each time in another order."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from tests.proof.suite import Trial
from tests.proof.upkeep.findings import PLANTED
from tests.settings import BASE_DIR

AT_ONCE = 2
PLUGINS = ("-p", "pytest_django.plugin", "-p", "pytest_randomly", "-p", "pytest_timeout")
"""The others have to do with neither, and take longer to begin than the tests to end."""
SLOW = (
    "test_agrees_with_a_peek",
    "test_every_sentence_is_true",
    "test_one_by_one_under_a_named_policy_and_in_the_live_list",
)
"""Those that take a minute between them, whatever the order."""
_SUMMARY = re.compile(
    r"^(?:=+ )?((?:\d+ (?:passed|failed|errors?|deselected|skipped)(?:, )?)+)", re.M
)


class Run(NamedTuple):
    seed: int
    ended: int
    told: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.told}"


def run_in_random_order(trial: Trial, *, tests: Sequence[str], runs: int) -> None:
    seen = _runs(tests, range(1, runs + 1))
    failed = [run for run in seen if run.ended]
    told = "; ".join(map(str, failed or seen[:1]))
    trial.find(
        f"{' and '.join(tests)} pass in any order",
        asked=f"{runs} runs without the {len(SLOW)} slowest tests, 0 failures",
        seen=f"{len(seen)} runs, {len(failed)} failures ({told})",
        held=not failed,
    )
    planted = _runs([str(PLANTED / "order_dependent.py")], range(1, 7))
    wrong = sum(run.ended == 1 for run in planted)
    trial.control(
        "a test that needs another one before it",
        seen=f"{wrong} of {len(planted)} runs failed",
        caught=0 < wrong < len(planted),
    )


def _runs(tests: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(lambda seed: _run(tests, seed), seeds))


def _run(tests: Sequence[str], seed: int) -> Run:
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "TEST_NAME_SUFFIX": f"{os.environ.get('TEST_NAME_SUFFIX', '')}_seed_{seed}",
    }
    options = ["-q", "--tb=line", "-p", "no:cacheprovider", *PLUGINS, f"--randomly-seed={seed}"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-k", f"not ({' or '.join(SLOW)})", *tests],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    found = _SUMMARY.findall(ended.stdout)
    return Run(seed, ended.returncode, found[-1] if ended.returncode == 0 else ended.stdout[-1000:])
