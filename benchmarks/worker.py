"""One client: a process that runs the slices it is told to."""

import signal
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from statistics import median
from typing import NamedTuple

import django
from django.db import connections

from benchmarks.measures import CLIENTS, Measure

PATIENCE = 60
"""Seconds after which a slice counts as hanging."""
SLOW = 0.005


class Task(NamedTuple):
    measure: Measure
    key: str
    seconds: float


def work(pipe: Connection, barrier: Barrier) -> None:
    """Answer every task with operations per second, or with what went wrong."""
    # Ctrl-C reaches the whole group; the one who gives the tasks ends the clients.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    django.setup()
    # Models and all that uses them can be imported only now.
    contenders = import_module("benchmarks.contenders").CONTENDERS
    while (task := _received(pipe)) is not None:
        try:
            pipe.send(_measured(task, contenders[task.measure.contender], barrier))
        except Exception as error:
            barrier.abort()
            pipe.send(RuntimeError(f"{task.measure}: {type(error).__name__}: {error}"))
    connections.close_all()


def _received(pipe: Connection) -> Task | None:
    try:
        task: Task = pipe.recv()
    except EOFError:
        return None
    return task


def _measured(
    task: Task, contender: Callable[[str], Callable[[], object]], barrier: Barrier
) -> float:
    connections["default"] = connections[task.measure.database]
    operation = contender(task.key)
    is_slow = _seconds_of(operation) > SLOW
    if task.measure.load.clients == CLIENTS:
        barrier.wait(PATIENCE)
    return (_rate_one_by_one if is_slow else _rate)(operation, task.seconds)


def _rate(operation: Callable[[], object], seconds: float) -> float:
    done = 0
    started = time.perf_counter()
    end = started + seconds
    while (now := time.perf_counter()) < end or not done:
        operation()
        done += 1
    return done / (now - started)


def _rate_one_by_one(operation: Callable[[], object], seconds: float) -> float:
    """Of what takes long enough to be timed by itself the middle one counts."""
    end = time.perf_counter() + seconds
    times = [_seconds_of(operation)]
    while time.perf_counter() < end:
        times.append(_seconds_of(operation))
    return 1 / median(times)


def _seconds_of(operation: Callable[[], object]) -> float:
    started = time.perf_counter()
    operation()
    return time.perf_counter() - started
