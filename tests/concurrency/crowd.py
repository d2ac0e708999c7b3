"""Threads and processes that begin their work at one moment."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack
from threading import Barrier, Thread
from typing import TypeVar

from django.db import connection, connections

from tests.concurrency.counting import Counted
from tests.settings import BASE_DIR
from tests.shared_database import environment_of_the_test_database

T = TypeVar("T")
PATIENCE = 60


def connect() -> None:
    connection.ensure_connection()


def in_threads(
    works: Sequence[Callable[[], T]],
    *,
    prepare: Callable[[], None] = connect,
    patience: float = PATIENCE,
) -> list[T]:
    """Do each work in a thread and on a connection of its own; give what they returned.

    Each prepares itself, and none begins before all have.
    """
    barrier = Barrier(len(works))
    futures: list[Future[T]] = [Future() for _ in works]
    threads = [
        Thread(target=_run, args=(barrier, prepare, work, future), daemon=True)
        for work, future in zip(works, futures, strict=True)
    ]
    for thread in threads:
        thread.start()
    assert not wait(futures, timeout=patience).not_done, "some threads did not come to an end"
    for thread in threads:
        thread.join(PATIENCE)
    return [future.result() for future in futures]


def _run(
    barrier: Barrier, prepare: Callable[[], None], work: Callable[[], T], future: "Future[T]"
) -> None:
    try:
        result = _work_after(barrier, prepare, work)
    except BaseException as error:
        connections.close_all()
        future.set_exception(error)
    else:
        connections.close_all()
        future.set_result(result)


def _work_after(barrier: Barrier, prepare: Callable[[], None], work: Callable[[], T]) -> T:
    try:
        prepare()
    except BaseException:
        barrier.abort()
        raise
    barrier.wait(PATIENCE)
    return work()


def in_processes(action: str, shares: Sequence[Sequence[str]]) -> list[Counted]:
    """Do the action on each share of keys in a process of its own; give all that was counted."""
    with ExitStack() as stack:
        children = [stack.enter_context(_child(action)) for _ in shares]
        try:
            for child in children:
                assert child.stdout.readline() == "ready\n"
            for child, keys in zip(children, shares, strict=True):
                child.stdin.write(json.dumps(list(keys)) + "\n")
                child.stdin.flush()
            outputs = [child.communicate(timeout=PATIENCE)[0] for child in children]
        finally:
            for child in children:
                child.kill()
    assert [child.returncode for child in children] == [0] * len(children)
    return [Counted.of(row) for output in outputs for row in json.loads(output)]


def _child(action: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.concurrency.child", action],
        cwd=BASE_DIR,
        env=environment_of_the_test_database(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def shares_of(total: int, workers: int, customers: Sequence[str]) -> list[list[str]]:
    """The keys each worker is to check: every customer equally often, each in another order."""
    return [
        [customers[(worker + number) % len(customers)] for number in range(total // workers)]
        for worker in range(workers)
    ]
