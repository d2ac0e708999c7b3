"""What proofs let other processes do; each process has its own connections to the test's database.

The processes are forked from one that has imported this module, so they begin within milliseconds.
"""

import multiprocessing
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
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
    transaction,
)
from django.db.models import F

from doc_priority import services
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter, DocumentDecision
from tests.concurrency.crowd import in_threads

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])

CUSTOMERS_OF_A_CLIENT = 3
"""So few that the clients meet at each of them."""

SHOW_ISOLATION = {
    "postgresql": "SHOW transaction_isolation",
    # MariaDB gave the first one its new name in 11.1; the other one follows it.
    "mysql": """
        SELECT GROUP_CONCAT(DISTINCT variable_value ORDER BY variable_value DESC SEPARATOR ', ')
          FROM information_schema.session_variables
         WHERE variable_name IN
            ('tx_isolation', 'transaction_isolation', 'innodb_snapshot_isolation')
    """,
}

all_are_ready: Barrier


def begin(database: dict[str, Any], barrier: Barrier) -> None:
    """Once in each process of a pool: which database it uses, and where the processes meet."""
    global all_are_ready
    connections.settings[DEFAULT_DB_ALIAS].update(database)
    all_are_ready = barrier


class Answer(NamedTuple):
    """The answer to one check, and how often its caller was refused before it came."""

    customer: str
    document: str
    pending_documents: int
    priority: int
    repeated: bool
    refused: int


def check(customer: str, document: str) -> Answer:
    """Ask as a patient caller does: who is refused was not counted, and asks again."""
    for refused in count():
        try:
            decision = services.check(customer, document=document)
        except (CounterBusy, TransactionConflict):
            continue
        return Answer(
            customer,
            document,
            decision.pending_documents,
            decision.priority,
            decision.repeated,
            refused,
        )
    raise AssertionError


def read_then_save(customer: str, _document: str) -> None:
    """How not to count: what others did between reading and saving is lost."""
    counter = Counter.objects.get(customer=customer)
    counter.pending_documents -= 1
    counter.save()


def isolation() -> str:
    """SQLite has no isolation levels; there it is how Django begins a transaction."""
    if connection.vendor == "sqlite":
        return str(connection.transaction_mode)
    with connection.cursor() as cursor:
        cursor.execute(SHOW_ISOLATION[connection.vendor])
        return str(cursor.fetchone()[0])


def in_threads_of_one_process(
    action: Callable[[str, str], Any], shares: Sequence[Sequence[tuple[str, str]]]
) -> tuple[set[str], list[Any]]:
    """Do the action for each item of a thread's share; the isolation of the threads' sessions."""

    def work(share: Sequence[tuple[str, str]]) -> tuple[str, list[Any]]:
        return isolation(), [action(*item) for item in share]

    all_are_ready.wait(60)
    done = in_threads([partial(work, share) for share in shares], patience=3600)
    return {level for level, _ in done}, [one for _, results in done for one in results]


Ask = Callable[[str, Sequence[str]], tuple[list[int], bool]]
"""Check a customer's documents: the counts, and whether all of them had been counted before."""


def ask_services(customer: str, documents: Sequence[str]) -> tuple[list[int], bool]:
    if len(documents) == 1:
        decisions = [services.check(customer, document=documents[0])]
    else:
        decisions = services.check_many([(customer, document) for document in documents])
    counts = [decision.pending_documents for decision in decisions]
    return counts, all(decision.repeated for decision in decisions)


def count_then_keep(customer: str, documents: Sequence[str]) -> tuple[list[int], bool]:
    """How not to do it: who dies between the two statements has counted, and nobody knows what."""
    counts = []
    for document in documents:
        kept = DocumentDecision.objects.filter(customer=customer, document=document).first()
        if kept is None:
            with transaction.atomic():
                counters = Counter.objects.filter(customer=customer)
                counters.update(pending_documents=F("pending_documents") - 1)
                pending = counters.get().pending_documents
            kept = DocumentDecision.objects.create(
                customer_id=customer,
                document=document,
                pending_documents=pending,
                priority=1,
                decided_at=datetime.now(UTC),
            )
        counts.append(kept.pending_documents)
    return counts, False


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
    database: dict[str, Any],
    ask: Ask,
    client: str,
    number: int,
    customers: Sequence[str],
    notes: Connection,
    stop: Path,
) -> None:
    """Make call after call from this number on, each until it is answered; end when told to stop.

    Whoever takes this client's place names the same documents under the same number.
    """
    connections.settings[DEFAULT_DB_ALIAS].update(database)
    while True:
        customer = customers[number % len(customers)]
        parts = 3 if number % 4 == 0 else 1
        documents = [f"{client}-{number}-{part}" for part in range(parts)]
        try:
            counts, repeated = ask(customer, documents)
        except CounterBusy:
            notes.send(Note("refused", time.monotonic()))
        except (InterfaceError, OperationalError):
            notes.send(Note("failed", time.monotonic()))
            connection.close()
            wait_for_the_server()
        else:
            told = [(customer, *one) for one in zip(documents, counts, strict=True)]
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
