"""Ctrl-C and SIGTERM alike end a run, which takes down what it has set up first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code of whoever was interrupted."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def heed_interruptions() -> None:
    """As KeyboardInterrupt, also where whoever started this had them ignored."""
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)


@contextmanager
def interruptions_held_back() -> Iterator[None]:
    """They come in the end: what is half made could not be taken down."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
