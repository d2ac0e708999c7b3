"""How much memory the workers take, and how many connections they hold, while they work."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from typing import NamedTuple

from django.db import connection

from tests.proof.soak.beside import beside
from tests.proof.soak.serving import Served
from tests.proof.soak.settings import SITE

PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLES = 240
"""Spread over the whole time."""


class Sample(NamedTuple):
    second: float
    memory: int
    """Bytes that all workers have in memory."""
    connections: int
    workers: frozenset[int]


@contextmanager
def measuring(served: Served, *, seconds: float) -> Iterator[list[Sample]]:
    """Fills the list until the block is left."""
    samples: list[Sample] = []
    began = monotonic()

    def sample_until(ended: Event) -> None:
        while not ended.wait(seconds / SAMPLES):
            samples.append(_sample(served, began))

    with beside(sample_until):
        yield samples


def _sample(served: Served, began: float) -> Sample:
    workers = served.workers
    memory = sum(_memory(worker) for worker in workers)
    return Sample(monotonic() - began, memory, _connections(), frozenset(workers))


def _connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = %s AND backend_type = 'client backend'",
            [SITE],
        )
        return int(cursor.fetchone()[0])


def _memory(process: int) -> int:
    resident = Path(f"/proc/{process}/statm").read_text("utf-8").split()[1]
    return int(resident) * PAGE
