"""Processes that read orders, each a line of JSON, and answer each with a line of JSON."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.settings import BASE_DIR

PATIENCE = 60


class Worker:
    """One that has said it is ready."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def order(self, order: Any) -> None:
        print(json.dumps(order), file=self._process.stdin, flush=True)

    def answer(self) -> Any:
        line = self._read()
        if not line:
            raise RuntimeError(f"A worker ended with {self._process.wait()}.")
        return json.loads(line)

    def get_ready(self) -> None:
        if self._read() != "ready\n":
            raise RuntimeError("A worker did not start.")

    def end(self) -> None:
        """Without a further order it ends by itself, and leaves its database in good order."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(PATIENCE)

    def _read(self) -> str:
        return "" if self._process.stdout is None else self._process.stdout.readline()


@contextmanager
def workers(module: str, environments: Sequence[Mapping[str, str]]) -> Iterator[list[Worker]]:
    """The module as a program, once in each of these environments; none outlives the block."""
    with ExitStack() as stack:
        started = [stack.enter_context(_process(module, one)) for one in environments]
        for process in started:
            stack.callback(process.kill)
        ready = [Worker(process) for process in started]
        for worker in ready:
            worker.get_ready()
        yield ready
        for worker in ready:
            worker.end()


def _process(module: str, environment: Mapping[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=BASE_DIR,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
