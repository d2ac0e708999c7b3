"""Warm processes, each with a test database of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tests.proof.upkeep.mutants.mutant import Mutant
from tests.proof.upkeep.mutants.reach import Reach, reach_in
from tests.proof.upkeep.mutants.running import PROFILE
from tests.proof.upkeep.mutants.tidying import remove_database
from tests.settings import BASE_DIR, TEST_NAME

# A bug that loops in the server would outlive the client that asked.
POSTGRESQL = "-c statement_timeout=60s -c client_connection_check_interval=1s"
MARIADB = {"init_command": "SET sql_mode = 'STRICT_TRANS_TABLES', max_statement_time = 10"}


class Ended(NamedTuple):
    """How a run ended, and at which test."""

    code: int
    failed: str

    @property
    def is_good(self) -> bool:
        return self.code == 0

    @property
    def names_a_test(self) -> bool:
        """Whether a test failed, and not what runs them."""
        return self.code == 1 and bool(self.failed)


class Worker:
    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._log = folder / "log"

    def run(
        self,
        files: Sequence[str],
        *,
        tests: Sequence[str] = (),
        mutant: Mutant | None = None,
        seconds: int,
    ) -> Ended:
        """These tests of these files, or all of them; with the bug, if there is to be one."""
        bug = (mutant.file, mutant.number) if mutant else None
        return self._order(files=files, tests=tests, mutant=bug, seconds=seconds, reach="")

    def reach(self, files: Sequence[str], *, seconds: int) -> Reach:
        file = self._folder / "reach.json"
        ended = self._order(files=files, tests=[], mutant=None, seconds=seconds, reach=str(file))
        self.require_good(ended)
        return reach_in(file)

    def require_good(self, ended: Ended) -> None:
        if not ended.is_good:
            told = self._log.read_text("utf-8", "replace")[-2000:]
            raise RuntimeError(f"Without a bug the tests ended with {ended}:\n{told}")

    def _order(self, **order: Any) -> Ended:
        self._stdin.write(json.dumps({**order, "log": str(self._log)}) + "\n")
        self._stdin.flush()
        line = self._stdout.readline()
        if not line:
            raise RuntimeError(f"A worker ended with {self._process.wait()}.")
        return Ended(**json.loads(line))

    @property
    def _stdin(self) -> Any:
        return self._process.stdin

    @property
    def _stdout(self) -> Any:
        return self._process.stdout

    def ready(self) -> None:
        if self._stdout.readline() != "ready\n":
            raise RuntimeError("A worker did not start.")


@contextmanager
def workers(count: int) -> Iterator[list[Worker]]:
    """Their databases are gone afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        started = [_started(stack, folder / str(number)) for number in range(count)]
        for worker in started:
            worker.ready()
        yield started


def _bounded(url: str) -> str:
    """PostgreSQL's bound is in the environment of its library."""
    return f"{url}?{urlencode(MARIADB)}" if url.startswith("mysql:") else url


def _started(stack: ExitStack, folder: Path) -> Worker:
    folder.mkdir()
    environment = {
        **os.environ,
        "DATABASE_URL": _bounded(os.environ["DATABASE_URL"]),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "HYPOTHESIS_PROFILE": PROFILE,
        "PGOPTIONS": POSTGRESQL,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        # Forks end at once, and leave their files there.
        "TMPDIR": str(folder),
        "TEST_NAME_SUFFIX": f"{os.environ.get('TEST_NAME_SUFFIX', '')}_{folder.name}",
    }
    stack.callback(remove_database, f"{TEST_NAME}_{folder.name}")
    process = stack.enter_context(
        subprocess.Popen(
            [sys.executable, "-m", "tests.proof.upkeep.mutants.worker"],
            cwd=BASE_DIR,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    stack.callback(process.kill)
    return Worker(process, folder)
