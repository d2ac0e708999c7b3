"""Being asked to stop, by Ctrl-C or SIGTERM.

A signal is remembered only: an exception out of nowhere, within an import or a finalizer, may be
dropped or leave a traceback.
"""

import signal

SECONDS_TO_STOP = 5
"""What does not end within this time is killed."""

_signals: list[int] = []


def listen() -> None:
    """From now on the signals are requests, and kill nothing."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: _signals.append(number))


def obey() -> None:
    """Go no further if somebody asked to stop."""
    if _signals:
        raise KeyboardInterrupt
