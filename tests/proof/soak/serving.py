"""gunicorn with workers that stay, on a free port of this machine."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic

from tests.settings import BASE_DIR
from tests.shared_database import environment_of_the_test_database

APPLICATION = "django.core.wsgi:get_wsgi_application()"
PATIENCE = 60


@dataclass(frozen=True)
class Served:
    port: int
    process: int

    @property
    def workers(self) -> list[int]:
        """Those that are there now."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text("utf-8")
        return [int(child) for child in children.split()]


@contextmanager
def serving(*, workers: int) -> Iterator[Served]:
    port = _free_port()
    environment = {
        **environment_of_the_test_database(),
        "DJANGO_SETTINGS_MODULE": "tests.proof.soak.settings",
    }
    process = subprocess.Popen(_command(port, workers), cwd=BASE_DIR, env=environment)
    try:
        served = Served(port, process.pid)
        _wait_until_ready(served, workers)
        yield served
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _command(port: int, workers: int) -> list[str]:
    options = ["--bind", f"127.0.0.1:{port}", "--workers", str(workers), "--worker-class", "sync"]
    quiet = ["--log-level", "error", "--no-control-socket"]
    return [sys.executable, "-m", "gunicorn", *options, *quiet, APPLICATION]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def _wait_until_ready(served: Served, workers: int) -> None:
    deadline = monotonic() + PATIENCE
    while len(served.workers) < workers or not _answers(served.port):
        if monotonic() > deadline:
            raise TimeoutError(f"gunicorn does not answer after {PATIENCE} s")
        Event().wait(0.05)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
