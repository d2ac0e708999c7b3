"""When a document was sent and when a worker began it, by one clock, in files of the run.

Each process appends to a file of its own; on Linux the monotonic clock is the same for all.
"""

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.run import Run

SENT, BEGUN, ENDED = "sent", "begun", "ended"


def stamp(what: str, document: str) -> None:
    """Keep that this happened to this document now."""
    line = f"{document} {time.monotonic_ns() // 1_000}\n"
    os.write(_file(what, os.getpid()), line.encode())


def stamped(what: str) -> dict[str, int]:
    """The moment of each document, in microseconds; the last one where it happened twice."""
    return dict(_lines(what))


def number_of(what: str) -> int:
    return sum(path.read_bytes().count(b"\n") for path in _folder().glob(f"{what}-*"))


def forget() -> None:
    """Begin anew."""
    for path in _folder().glob("*-*"):
        path.unlink()


@cache
def _file(what: str, process: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.open(_folder() / f"{what}-{process}", flags, 0o600)


def _folder() -> Path:
    folder = Path(Run.current().folder, "stamps")
    folder.mkdir(exist_ok=True)
    return folder


def _lines(what: str) -> Iterator[tuple[str, int]]:
    for path in _folder().glob(f"{what}-*"):
        for line in path.read_text(encoding="ascii").splitlines():
            document, moment = line.split()
            yield document, int(moment)
