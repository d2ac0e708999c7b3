"""What a client's process does: call after call, each repeated until it is told."""

import time
from pathlib import Path
from threading import Event

from django.db import InterfaceError, OperationalError, connection

from doc_priority.exceptions import CounterBusy
from tests.proof.crash.calls import Answer, Asking, call_of
from tests.proof.crash.journal import Kind, Pen, pen

PATIENCE = 60
LOOK = 0.1


def work(client: str, scene: str, asking: Asking, journal: Path, stop: Path) -> None:
    """Until there is a file that says stop; what was asked has been told then."""
    with pen(journal) as notes:
        number = notes.next_call
        while not stop.exists():
            notes.write(Kind.ASKED, number)
            answer = _answer(client, scene, asking, number, notes)
            notes.write(Kind.TOLD, number, counts=answer.counts, repeated=answer.repeated)
            number += 1
    connection.close()


def _answer(client: str, scene: str, asking: Asking, number: int, notes: Pen) -> Answer:
    """As the documentation has it: close the connection, and repeat the call."""
    while True:
        try:
            return asking(call_of(client, number, scene=scene))
        except CounterBusy:
            notes.write(Kind.REFUSED, number)
        except (InterfaceError, OperationalError):
            notes.write(Kind.FAILED, number)
            connection.close()
            _connect()


def _connect() -> None:
    """Wait for the server; while it is down, calls would only fail."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return connection.ensure_connection()
        except OperationalError:
            if time.monotonic() > deadline:
                raise
        Event().wait(LOOK)
