"""Run the checks and tests this machine can, in about ten minutes: `python -m tests.run`.

Lint, types, layers and migrations come first, then the tests that touch the database on each
server, then all tests on SQLite. That last pytest names what could not be run, so that its own
summary is the last line. With `--strict` nothing is left out and a skip is a failure: admin and
REST run on each server, and under django-unfold, the promises are put to the test with small
bounds, and the coverage of all runs is added up.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.brokers import BROKERS
from tests.servers import POSTGRESQL, SERVERS, Server
from tests.settings import BASE_DIR

PROGRAMS = Path(sys.executable).parent
CODE = ("doc_priority", "example_project")
TEMPLATES = ("doc_priority/templates", "example_project/templates", "templates")
QUEUE_TESTS = "tests/contrib"
CROWDED_TESTS = ("tests/concurrency", QUEUE_TESTS)
"""Bring processes of their own and watch the time, so nothing else runs beside them."""
CELERY_TESTS = "tests/contrib/celery"
"""On SQLite alone: what they ask of the database, all others ask as well."""
PROCRASTINATE_TESTS = "tests/contrib/procrastinate"
"""On PostgreSQL alone: Procrastinate has no other database."""
DATABASE_TESTS = ("tests/db", "tests/commands", "tests/project")
SHARED = ("-n", "auto", "--maxprocesses", "4")
"""In as many processes as there are processors; more than four wait for the database."""
ADMIN_TESTS = "tests/admin"
BROWSER_TESTS = "tests/browser"
FRONT_TESTS = (ADMIN_TESTS, "tests/api")
"""Run on PostgreSQL, too, but are no more than SQLite where lines are counted."""
LIBRARY_TESTS = ("tests/unit", *FRONT_TESTS)
"""With the queues, what stands on a library, or on Django's own pages."""
DOCUMENTATION_TESTS = "tests/docs"
UNCOUNTED_TESTS = (DOCUMENTATION_TESTS, BROWSER_TESTS)
ORDER = "--randomly-seed=1500"
"""With nothing left out: a change fails for what it does, not for the order it is tested in.

Other orders are tried by every other run, and by fifty of the proof `upkeep`.
"""

LEFT_TO_STRICT = (
    "Admin, REST, crowds and queues on each server, django-unfold, documentation, `make proof`, "
    "coverage: take longer; `python -m tests.run --strict` has them, and so has .ci/run"
)


@dataclass(frozen=True)
class Stage:
    name: str
    command: tuple[str, ...]
    database_url: str = "sqlite://"

    def run(self) -> int:
        print(f"\n=== {self.name}", flush=True)
        started = time.monotonic()
        environment = {**os.environ, "DATABASE_URL": self.database_url}
        code = subprocess.run(self.command, cwd=BASE_DIR, env=environment, check=False).returncode
        if code:
            seconds = time.monotonic() - started
            print(f"\n=== {self.name}: failed with {code} after {seconds:.0f} s", file=sys.stderr)
        return code


def program(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(PROGRAMS / name), *arguments)


def python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, *arguments)


def pytest(*arguments: str, covering: bool) -> tuple[str, ...]:
    coverage = ("--cov", "--cov-append") if covering else ()
    return python("-m", "pytest", *coverage, *arguments)


def existing(*folders: str) -> tuple[str, ...]:
    return tuple(folder for folder in folders if Path(BASE_DIR, folder).is_dir())


def templates() -> tuple[str, ...]:
    folders = [Path(BASE_DIR, folder) for folder in TEMPLATES]
    return tuple(str(page) for folder in folders for page in sorted(folder.rglob("*.html")))


def checks() -> Iterator[Stage]:
    yield Stage("ruff check", program("ruff", "check"))
    yield Stage("ruff format", program("ruff", "format", "--check"))
    if pages := templates():
        yield Stage("djade", program("djade", "--check", "--target-version", "5.2", *pages))
    yield Stage("mypy", program("mypy", *existing(*CODE), "tests/run.py", "tests/settings.py"))
    yield Stage("import-linter", program("lint-imports", "--no-cache"))
    migrations = ("makemigrations", "--check", "--dry-run", "--settings", "tests.settings")
    yield Stage("migrations", python("-W", "error", "-m", "django", *migrations))


def database_tests(server: Server, *, strict: bool, covering: bool) -> Stage:
    """Counting lines takes half as long again, so only those tests count that reach new ones."""
    arguments = (*SHARED, *strictness(strict=strict), *existing(*DATABASE_TESTS))
    return Stage(f"pytest on {server.name}", unreported(*arguments, covering=covering), server.url)


def front_tests(server: Server, *, strict: bool) -> Stage:
    arguments = (*SHARED, *strictness(strict=strict), *existing(*FRONT_TESTS))
    name = f"pytest of admin and REST on {server.name}"
    return Stage(name, pytest(*arguments, covering=False), server.url)


def crowded_tests(name: str, url: str, *left_out: str, strict: bool, covering: bool) -> Stage:
    ignored = (f"--ignore={folder}" for folder in left_out)
    arguments = (*strictness(strict=strict), *existing(*CROWDED_TESTS), *ignored)
    command = unreported(*arguments, covering=covering)
    return Stage(f"pytest of crowds and queues on {name}", command, url)


def themed_tests(*, strict: bool, covering: bool) -> Stage:
    """In a process of their own: the theme is chosen at import.

    Pages over HTTP where lines count, in a browser with the newest theme: it needs a newer Python.
    """
    settings = "--ds=tests.unfold_settings"
    folder = ADMIN_TESTS if covering else BROWSER_TESTS
    arguments = (settings, *SHARED, *strictness(strict=strict), *existing(folder))
    return Stage("pytest under django-unfold", unreported(*arguments, covering=covering))


def uncounted_tests(*, strict: bool) -> Stage:
    """They start programs and browsers, and reach no line that no other test does."""
    arguments = (*SHARED, *strictness(strict=strict), *existing(*UNCOUNTED_TESTS))
    return Stage("pytest of documentation and browser", pytest(*arguments, covering=False))


def unreported(*arguments: str, covering: bool) -> tuple[str, ...]:
    """Coverage is added up here, and reported by the last pytest."""
    quiet = ("--cov-report=", "--cov-fail-under=0") if covering else ()
    return pytest(*quiet, *arguments, covering=covering)


def all_tests(not_run: list[str], *left_out: str, strict: bool, covering: bool) -> Stage:
    arguments = [f"--not-run={line}" for line in not_run]
    arguments.extend(f"--ignore={folder}" for folder in (*CROWDED_TESTS, *left_out))
    arguments.extend([*SHARED, *strictness(strict=strict), "tests"])
    return Stage("pytest on SQLite", pytest(*arguments, covering=covering))


def strictness(*, strict: bool) -> tuple[str, ...]:
    return ("--strict-skips", ORDER) if strict else ()


def stages(*, strict: bool, only_tests: bool, obstacles: dict[str, str]) -> Iterator[Stage]:
    covering = strict and not only_tests
    if not only_tests:
        yield from checks()
    if covering:
        yield Stage("coverage starts from nothing", program("coverage", "erase"))
    for server in SERVERS[:1] if only_tests else SERVERS:
        if server.name not in obstacles:
            yield from server_tests(server, strict=strict, covering=covering)
    if strict:
        yield themed_tests(strict=strict, covering=covering)
    if covering:
        yield Stage("proof", python("-m", "tests.proof", "--strict"))
        yield uncounted_tests(strict=strict)
    yield crowded_tests("SQLite", "sqlite://", strict=strict, covering=covering)
    not_run = [f"{name}: {reason}" for name, reason in obstacles.items()]
    if not strict:
        not_run.append(LEFT_TO_STRICT)
    yield all_tests(not_run, *_left_out(strict=strict), strict=strict, covering=covering)


def _left_out(*, strict: bool) -> tuple[str, ...]:
    """Of the last pytest: what the run leaves out, or has counted no lines of."""
    return UNCOUNTED_TESTS if strict else (DOCUMENTATION_TESTS,)


def server_tests(server: Server, *, strict: bool, covering: bool) -> Iterator[Stage]:
    yield database_tests(server, strict=strict, covering=covering)
    if covering:
        counting = server.crowds_count
        yield crowded_tests(server.name, server.url, CELERY_TESTS, strict=strict, covering=counting)
        if server.front_differs:
            yield front_tests(server, strict=strict)


def library_stages(*, strict: bool, obstacles: dict[str, str]) -> Iterator[Stage]:
    """What other versions of the libraries may change; the environment has chosen them."""
    told = strictness(strict=strict)
    if POSTGRESQL.name not in obstacles:
        procrastinate = pytest(*told, PROCRASTINATE_TESTS, covering=False)
        yield Stage(f"pytest of Procrastinate on {POSTGRESQL.name}", procrastinate, POSTGRESQL.url)
    yield Stage("pytest of queues on SQLite", pytest(*told, QUEUE_TESTS, covering=False))
    not_run = [f"--not-run={name}: {reason}" for name, reason in obstacles.items()]
    front = pytest(*not_run, *SHARED, *told, *LIBRARY_TESTS, covering=False)
    yield Stage("pytest of admin and REST on SQLite", front)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.run", description=__doc__)
    parser.add_argument("--strict", action="store_true", help="anything skipped is a failure")
    parser.add_argument(
        "--only-tests",
        action="store_true",
        help="what another version of Python and Django may change: the database's tests on "
        "PostgreSQL, the browser's under django-unfold, all but the documentation's on SQLite",
    )
    parser.add_argument(
        "--only-libraries",
        action="store_true",
        help="what other versions of the libraries may change: Procrastinate on PostgreSQL, the "
        "other queues, admin and REST on SQLite",
    )
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    reasons = {server.name: server.obstacle() for server in SERVERS}
    silent = {broker.name: broker.obstacle for broker in BROKERS if not broker.answers()}
    obstacles = {name: reason for name, reason in reasons.items() if reason} | silent
    if options.strict and obstacles:
        for name, reason in obstacles.items():
            print(f"{name}: {reason}", file=sys.stderr)
        return 1
    if options.only_libraries:
        chosen = library_stages(strict=options.strict, obstacles=obstacles)
    else:
        chosen = stages(strict=options.strict, only_tests=options.only_tests, obstacles=obstacles)
    for stage in chosen:
        if code := stage.run():
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
