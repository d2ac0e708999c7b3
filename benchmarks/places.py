"""What a run makes and takes away again: a folder, databases of its own, Redis servers."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import django
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connections

from benchmarks.run import Run

PERSISTENCE = {
    "volatile": ("--appendonly", "no"),
    "durable": ("--appendonly", "yes", "--appendfsync", "always"),
}


@contextmanager
def redis_servers() -> Iterator[dict[str, int]]:
    """Ports of the servers by their persistence; none where there is no redis-server."""
    program = shutil.which("redis-server")
    with ExitStack() as stack:
        yield {
            kind: stack.enter_context(_redis(program, options))
            for kind, options in PERSISTENCE.items()
            if program
        }


@contextmanager
def _redis(program: str, options: Sequence[str]) -> Iterator[int]:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="bench_redis_") as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", *options]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603
        try:
            wait_until_listening(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def wait_until_listening(port: int, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@contextmanager
def prepared_run(*, settings: str, redis: dict[str, int]) -> Iterator[Run]:
    """Django set up for a run that has its folder and knows its Redis servers, but no database."""
    with tempfile.TemporaryDirectory(prefix="bench_") as folder:
        run = Run(f"bench_{os.getpid()}", folder, redis)
        run.publish(settings=settings)
        django.setup()
        yield run


@contextmanager
def databases(wanted: Sequence[str]) -> Iterator[dict[str, str]]:
    """Make those that can be reached; gives for every other one the reason why not."""
    unreached: dict[str, str] = {}
    with ExitStack() as stack:
        for alias in wanted:
            try:
                stack.enter_context(_database(alias))
            except (ImproperlyConfigured, OperationalError) as error:
                unreached[alias] = " ".join(str(error).split())
        yield unreached


@contextmanager
def _database(alias: str) -> Iterator[None]:
    """With its tables, the cache's table and the function a check calls."""
    creation = connections[alias].creation
    name = connections[alias].settings_dict["NAME"]
    creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    connections[alias].close()
    try:
        yield
    finally:
        creation.destroy_test_db(name, verbosity=0)
