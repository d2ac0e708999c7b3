"""gunicorn with two synchronous workers, on a free port of this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.places import free_port, wait_until_listening
from benchmarks.run import DATABASE_VARIABLE, EACH_TIME_VARIABLE

WORKERS = 2
APPLICATION = "django.core.wsgi:get_wsgi_application()"


@contextmanager
def serving(database: str, *, keeps_connections: bool) -> Iterator[str]:
    """The address of a server that uses this database."""
    port = free_port()
    environment = {**os.environ, DATABASE_VARIABLE: database}
    if not keeps_connections:
        environment[EACH_TIME_VARIABLE] = "1"
    process = subprocess.Popen(_command(port), env=environment)  # noqa: S603
    try:
        wait_until_listening(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _command(port: int) -> list[str]:
    bind = f"127.0.0.1:{port}"
    options = ["--bind", bind, "--workers", str(WORKERS), "--worker-class", "sync"]
    quiet = ["--log-level", "warning", "--no-control-socket"]
    return [sys.executable, "-m", "gunicorn", *options, *quiet, APPLICATION]
