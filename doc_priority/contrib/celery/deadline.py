"""Until when may this thread wait for a server?

Publishing is a sequence of waits, so that a limit for each of them limits nothing together. What is
here bounds each wait by what is left of the whole; where no moment was set, nothing changes.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any

_ends: ContextVar[float | None] = ContextVar("doc_priority_deadline", default=None)


@contextmanager
def until(moment: float) -> Iterator[None]:
    """Let what waits within the `with` end at this moment of the monotonic clock, or before."""
    before = _ends.get()
    token = _ends.set(moment if before is None else min(before, moment))
    try:
        yield
    finally:
        _ends.reset(token)


def is_set() -> bool:
    return _ends.get() is not None


def wait(given: float | None) -> float | None:
    """How long a wait may take that otherwise would take this long; None is for ever."""
    ends = _ends.get()
    if ends is None or given == 0:
        return given
    left = ends - monotonic()
    if left <= 0:
        raise TimeoutError("The time for this is over.")
    return left if given is None else min(given, left)


class PatientSocket:
    """A socket each of whose waits ends in time."""

    def __init__(self, usual: socket.socket) -> None:
        self._usual = usual
        self._given = usual.gettimeout()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._usual, name)

    def settimeout(self, given: float | None) -> None:
        self._given = given
        self._usual.settimeout(given)

    def gettimeout(self) -> float | None:
        return self._given

    def recv(self, *args: Any) -> bytes:
        return self._in_time().recv(*args)

    def recv_into(self, *args: Any) -> int:
        return self._in_time().recv_into(*args)

    def sendall(self, *args: Any) -> None:
        self._in_time().sendall(*args)

    def _in_time(self) -> socket.socket:
        self._usual.settimeout(wait(self._given))
        return self._usual
