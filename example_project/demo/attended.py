"""`python -m example_project.demo.attended NAME …` runs NAME as long as somebody wants it.

Whoever starts it holds the other end of its input. Once that is closed, by whatever end the other
one came to, this program is told to stop: a demo that was killed leaves no worker behind.
"""

import os
import runpy
import signal
import sys
import time
from threading import Thread

SECONDS_TO_STOP = 5


def main() -> None:
    Thread(target=_stop_when_alone, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _stop_when_alone() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_STOP)
    os._exit(1)


if __name__ == "__main__":
    main()
