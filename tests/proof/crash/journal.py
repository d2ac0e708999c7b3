"""What a client writes down as it works, so that whoever takes its place can go on."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class Kind(StrEnum):
    ASKED = "asked"
    TOLD = "told"
    FAILED = "failed"
    REFUSED = "refused"


class Note(NamedTuple):
    """What became of a call at a moment of the clock that all processes share."""

    kind: Kind
    call: int
    at: float
    counts: Sequence[int] = ()
    repeated: bool = False
    """Whether it had been counted before; only the client's own earlier try can have."""


class Pen:
    """Writes each note at once: SIGKILL can take the last one only, or the end of it."""

    def __init__(self, descriptor: int, *, next_call: int) -> None:
        self._descriptor = descriptor
        self.next_call = next_call
        """The one to begin with: it was not told, or never asked."""

    def write(
        self, kind: Kind, call: int, *, counts: Sequence[int] = (), repeated: bool = False
    ) -> None:
        note = Note(kind, call, time.monotonic(), counts, repeated)
        os.write(self._descriptor, json.dumps(note).encode() + b"\n")


@contextmanager
def pen(file: Path) -> Iterator[Pen]:
    notes = _whole_notes(file)
    told = [note.call for note in notes if note.kind == Kind.TOLD]
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        yield Pen(descriptor, next_call=max(told, default=-1) + 1)
    finally:
        os.close(descriptor)


def _whole_notes(file: Path) -> list[Note]:
    """A note that was cut short is gone: what it said is asked again."""
    written = file.read_bytes() if file.exists() else b""
    whole = written[: written.rfind(b"\n") + 1]
    if len(whole) < len(written):
        os.truncate(file, len(whole))
    return _notes_in(whole)


class Reader:
    """Reads on in a journal that is still written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._offset = 0

    def new_notes(self) -> list[Note]:
        if not self._file.exists():
            return []
        with self._file.open("rb") as journal:
            journal.seek(self._offset)
            written = journal.read()
        whole = written[: written.rfind(b"\n") + 1]
        self._offset += len(whole)
        return _notes_in(whole)


def _notes_in(text: bytes) -> list[Note]:
    return [Note(*json.loads(line)) for line in text.splitlines()]
