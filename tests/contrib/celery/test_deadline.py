"""A wait ends in time, whoever waits and in which way."""

import socket
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import pytest

from doc_priority.contrib.celery.deadline import PatientSocket, until, wait

WAYS: dict[str, Callable[[Any], Any]] = {
    "recv": lambda one: one.recv(1),
    "recv_into": lambda one: one.recv_into(bytearray(1)),
}


@pytest.fixture
def silent() -> Iterator[PatientSocket]:
    """One whose other end says nothing."""
    here, there = socket.socketpair()
    with here, there:
        yield PatientSocket(here)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_nobody_waits_longer_than_what_is_left(
    silent: PatientSocket, way: Callable[[Any], Any]
) -> None:
    silent.settimeout(60)
    begun = monotonic()
    with until(begun + 0.05), pytest.raises(TimeoutError):
        way(silent)
    assert monotonic() - begun < 1
    assert silent.gettimeout() == 60


def test_what_does_not_wait_needs_no_time() -> None:
    with until(monotonic() - 1):
        assert wait(0) == 0
        with pytest.raises(TimeoutError, match="is over"):
            wait(1)


def test_the_nearer_end_holds() -> None:
    now = monotonic()
    with until(now + 1), until(now + 3600):
        assert (wait(None) or 0) <= 1
    assert wait(None) is None
