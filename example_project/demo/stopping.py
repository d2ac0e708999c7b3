"""Being asked to stop, by Ctrl-C or SIGTERM."""

import signal
from types import FrameType


class StopRequest:
    """Whether somebody asked to stop.

    A signal is remembered only: an exception out of nowhere, within an import or a finalizer,
    may be dropped or leave a traceback.
    """

    def __init__(self) -> None:
        self.made = False

    def listen(self) -> None:
        """From now on the signals are requests, and kill nothing."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._remember)

    def obey(self) -> None:
        """Go no further if somebody asked to stop."""
        if self.made:
            raise KeyboardInterrupt

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self.made = True


stop_request = StopRequest()
