"""What every benchmark needs: Django with databases and Redis servers of its own, and ratios."""

import argparse
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median, quantiles
from typing import Any, NamedTuple

import django
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connections

from tests.settings import database

SERVERS = ("postgresql", "mariadb", "sqlite")
TITLES = {
    "postgresql": "PostgreSQL, as Django comes",
    "postgresql-prepared": "PostgreSQL, prepared statements",
    "mariadb": "MariaDB",
    "sqlite": "SQLite",
}
POSTGRESQL_URL = os.environ.get("DOC_PRIORITY_POSTGRESQL_URL") or (
    "postgres://postgres@127.0.0.1:5432/postgres"
)
MARIADB_URL = os.environ.get("DOC_PRIORITY_MARIADB_URL") or "mysql://root@127.0.0.1:3306/test"
PERSISTENCE = {
    "volatile": ("--appendonly", "no"),
    "durable": ("--appendonly", "yes", "--appendfsync", "always"),
}
CUSTOMERS = 10_000
"""So many there are in most databases, so that their indexes have some depth."""


def customer(number: int) -> str:
    return f"customer-{number:06}"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def options(
    module: str, description: str | None, *, rounds: int, databases: bool = False
) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}", description=description)
    parser.add_argument("--rounds", type=int, choices=range(1, 101), default=rounds, metavar="N")
    if databases:
        said = "all if left out"
        parser.add_argument("--databases", nargs="+", choices=SERVERS, default=SERVERS, help=said)
    return parser


@contextmanager
def prepared(
    wanted: Sequence[str], *, sizes: Sequence[str] = ("",), redis: bool = False, **more: Any
) -> Iterator[list[str]]:
    """Django is set up; yields the databases that could be made: of each server all sizes."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench_"))
        program = shutil.which("redis-server") if redis else None
        ports = {
            kind: stack.enter_context(_redis(program, given))
            for kind, given in PERSISTENCE.items()
            if program
        }
        if redis and not program:
            say("Redis is left out: there is no redis-server")
        made: dict[str, Any] = {}
        for size in sizes:
            made |= _databases(f"bench_{os.getpid()}{size}", folder, size)
        made["default"] = made["postgresql"] if "default" in wanted else {}
        common = {
            "DATABASES": made,
            "REDIS": ports,
            "FOLDER": folder,
            "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
            "SECRET_KEY": "only the benchmark uses this key",
            "ALLOWED_HOSTS": ["127.0.0.1", "testserver"],
            "DOC_PRIORITY": {"RECOVERY": "idle"},
            "INSTALLED_APPS": ["doc_priority", "django.contrib.contenttypes"],
            "TIME_ZONE": "UTC",
        }
        os.environ["DOC_PRIORITY_BENCHMARK"] = json.dumps({**common, **more})
        os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
        django.setup()
        reached = []
        for alias in (f"{server}{size}" for server in wanted for size in sizes):
            try:
                stack.enter_context(_database(alias))
                reached.append(alias)
            except (ImproperlyConfigured, OperationalError) as error:
                say(f"{alias} is left out: {' '.join(str(error).split())}")
        yield reached


def environment(**changed: Any) -> dict[str, str]:
    """For a process of this run, with some other settings."""
    now = json.loads(os.environ["DOC_PRIORITY_BENCHMARK"])
    return {**os.environ, "DOC_PRIORITY_BENCHMARK": json.dumps({**now, **changed})}


def _databases(name: str, folder: str, size: str) -> dict[str, Any]:
    """One on each server, whose connections are kept."""

    def one(url: str, name: str = name, **options: Any) -> dict[str, Any]:
        made = database(url)
        made["OPTIONS"] |= options
        return {**made, "NAME": name, "TEST": {**made["TEST"], "NAME": name}, "CONN_MAX_AGE": None}

    pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"
    file = f"{folder}/{name}.sqlite3"
    return {
        f"postgresql{size}": one(POSTGRESQL_URL, server_side_binding=False),
        f"postgresql-prepared{size}": one(
            POSTGRESQL_URL, server_side_binding=True, prepare_threshold=5
        ),
        f"mariadb{size}": one(MARIADB_URL),
        f"sqlite{size}": one("sqlite://", file, init_command=pragmas, timeout=2),
    }


@contextmanager
def _database(alias: str) -> Iterator[None]:
    creation = connections[alias].creation
    name = connections[alias].settings_dict["NAME"]
    creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    connections[alias].close()
    try:
        yield
    finally:
        _as_default(alias).close()
        creation.destroy_test_db(name, verbosity=0)


@contextmanager
def _redis(program: str, given: Sequence[str]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="bench_redis_") as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", *given]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603
        try:
            for _ in range(500):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            yield port
        finally:
            process.terminate()
            process.wait()


def enter(alias: str) -> None:
    """From now on this is the process's default database."""
    from django.contrib.contenttypes.models import ContentType

    connections["default"] = _as_default(alias)
    ContentType.objects.clear_cache()


@functools.cache
def _as_default(alias: str) -> Any:
    return connections[alias].copy("default")


def rate(operation: Callable[[], object], seconds: float) -> float:
    """Operations per second."""
    done = 0
    started = time.perf_counter()
    while (now := time.perf_counter()) < started + seconds or not done:
        operation()
        done += 1
    return done / (now - started)


def shown(ratios: Sequence[float]) -> str:
    """The median of the rounds, and between what half of them lie."""
    low, _, high = quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return f"{median(ratios):.2f} (half of the rounds {low:.2f} to {high:.2f})"


Measure = tuple[str, str, str]
"""A database, what is measured there, and under which load."""
Rates = Mapping[Measure, float]


class Comparison(NamedTuple):
    """A ratio of one round's rates, by default of two of them."""

    name: str
    needs: tuple[Measure, ...]
    ratio: Callable[..., float] = lambda ours, theirs: ours / theirs


def report(compared: Sequence[Comparison], rounds: Sequence[Rates], *, unit: str) -> None:
    """Ratios below the rates of what each of them is about."""
    said = None
    for one in compared:
        database_, about, load = one.needs[0]
        if (database_, load) != said:
            typical = median(rates[one.needs[0]] for rates in rounds)
            say(f"\n{TITLES[database_]}, {load}: {typical:,.0f} {unit} ({about})")
            said = database_, load
        ratios = [one.ratio(*(rates[measure] for measure in one.needs)) for rates in rounds]
        say(f"  {one.name:<48}{shown(ratios)}")
