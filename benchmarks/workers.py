"""Eight processes, started once and kept, each with connections of its own."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from benchmarks.measures import CLIENTS, Load, Measure
from benchmarks.run import customer
from benchmarks.worker import PATIENCE, Task, work


class Workers:
    """Runs slices: tells the processes what to do and adds up what they did."""

    def __init__(self, pipes: list[Connection]) -> None:
        self.pipes = pipes

    def rate(self, measure: Measure, seconds: float) -> float:
        """Operations per second, of all clients together."""
        pipes = self.pipes[: measure.load.clients]
        for number, pipe in enumerate(pipes):
            key = customer(0 if measure.load is Load.SAME else number)
            pipe.send(Task(measure, key, seconds))
        return sum(_answer(pipe, measure) for pipe in pipes)


def _answer(pipe: Connection, measure: Measure) -> float:
    if not pipe.poll(PATIENCE):
        raise TimeoutError(f"{measure} did not end within {PATIENCE} seconds.")
    answer = pipe.recv()
    if isinstance(answer, Exception):
        raise answer
    return float(answer)


@contextmanager
def started() -> Iterator[Workers]:
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(CLIENTS)
    pipes: list[Connection] = []
    processes: list[BaseProcess] = []
    try:
        for _ in range(CLIENTS):
            ours, theirs = context.Pipe()
            process = context.Process(target=work, args=(theirs, barrier), daemon=True)
            process.start()
            pipes.append(ours)
            processes.append(process)
        yield Workers(pipes)
    finally:
        _end(pipes, processes)


def _end(pipes: list[Connection], processes: list[BaseProcess]) -> None:
    """Closing a pipe ends its process; one that does not listen is terminated."""
    for pipe in pipes:
        pipe.close()
    for process in processes:
        process.join(5)
        if process.is_alive():
            process.terminate()
            process.join()
