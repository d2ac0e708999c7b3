"""What proofs let other processes do, each on connections of its own to the test's database.

The processes are forked from one that has imported this module, so they begin within milliseconds.
"""

import multiprocessing
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, count
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import django
from django.apps import apps

if not apps.ready:
    django.setup()

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    OperationalError,
    connection,
    connections,
)

from doc_priority import services
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter
from doc_priority.types import Decision
from tests.concurrency.crowd import in_threads

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])

all_are_ready: Barrier


def begin(database: dict[str, Any], barrier: Barrier) -> None:
    """Once in each process of a crowd: which database it uses, and where the processes meet."""
    global all_are_ready
    connections.settings[DEFAULT_DB_ALIAS].update(database)
    all_are_ready = barrier


def check(customer: str, document: str) -> tuple[Decision, int]:
    """Ask as a patient caller does: who is refused was not counted, and asks again.

    The decision, and how often the caller was refused before it came.
    """
    for refused in count():
        try:
            return services.check(customer, document=document), refused
        except (CounterBusy, TransactionConflict):
            continue
    raise AssertionError


def read_then_save(customer: str, _document: str) -> None:
    """How not to count: what others did between reading and saving is lost."""
    counter = Counter.objects.get(customer=customer)
    counter.pending_documents -= 1
    counter.save()


def in_threads_of_one_process(
    action: Callable[[str, str], Any], shares: Sequence[Sequence[tuple[str, str]]]
) -> list[Any]:
    """Do the action for each item of each thread's share, when all processes are there."""

    def work(share: Sequence[tuple[str, str]]) -> list[Any]:
        return [action(*item) for item in share]

    all_are_ready.wait(60)
    done = in_threads([partial(work, share) for share in shares], patience=3_600)
    return list(chain.from_iterable(done))


class Note(NamedTuple):
    """What became of a client's call, at a moment of the clock that all processes share."""

    kind: str
    """`told`, `failed` or `refused`."""
    at: float
    decisions: Sequence[tuple[str, str, int]] = ()
    """Each customer, document and count that the client was told."""
    repeated: bool = False
    """Whether all of it had been counted before, by this client's own earlier try."""


def keep_checking(
    database: dict[str, Any], client: str, number: int, notes: Connection, stop: Path
) -> None:
    """Make call after call from this number on, each until it is answered; end when told to stop.

    Whoever takes this client's place names the same documents under the same number. There are so
    few customers that clients meet at each of them.
    """
    connections.settings[DEFAULT_DB_ALIAS].update(database)
    while True:
        customer = ("acme", "birch", "cedar")[number % 3]
        names = [f"{client}-{number}-{part}" for part in range(3 if number % 4 == 0 else 1)]
        try:
            if len(names) == 1:
                decisions = [services.check(customer, document=names[0])]
            else:
                decisions = services.check_many([(customer, name) for name in names])
        except CounterBusy:
            notes.send(Note("refused", time.monotonic()))
        except (InterfaceError, OperationalError):
            notes.send(Note("failed", time.monotonic()))
            connection.close()
            wait_for_the_server()
        else:
            told = [(customer, one.document, one.pending_documents) for one in decisions]
            repeated = all(decision.repeated for decision in decisions)
            notes.send(Note("told", time.monotonic(), told, repeated))
            number += 1
            if stop.exists():
                break
    connection.close()


def wait_for_the_server() -> None:
    """While it is down, calls would only fail."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return connection.ensure_connection()
        except OperationalError:
            if time.monotonic() > deadline:
                raise
        Event().wait(0.1)
