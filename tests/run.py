"""Run every check and test this machine can: `python -m tests.run`.

Lint, types, layers and migrations come first, then the tests that touch the database on each
server, those of the admin under django-unfold, then all tests on SQLite. That last pytest adds up
the coverage of every run and names the databases that could not be used, so that its own summary is
the last line. With `--strict` a skip is a failure.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler, DatabaseError

from tests.settings import BASE_DIR, database

PROGRAMS = Path(sys.executable).parent
CODE = ("doc_priority", "example_project")
TEMPLATES = ("doc_priority/templates", "example_project/templates", "templates")
DATABASE_TESTS = ("tests/db", "tests/concurrency", "tests/commands", "tests/project")
FRONT_TESTS = ("tests/admin", "tests/api")
"""Run on every database, too, but are no more than SQLite where lines are counted."""
THEMED_TESTS = ("tests/admin", "tests/browser")


@dataclass(frozen=True)
class Server:
    name: str
    variable: str
    default_url: str

    @property
    def url(self) -> str:
        return os.environ.get(self.variable) or self.default_url


SERVERS = (
    Server(
        "PostgreSQL",
        "DOC_PRIORITY_POSTGRESQL_URL",
        "postgres://postgres@127.0.0.1:5432/postgres",
    ),
    Server("MariaDB", "DOC_PRIORITY_MARIADB_URL", "mysql://root@127.0.0.1:3306/test"),
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


def server_tests(server: Server, *, strict: bool, covering: bool) -> Iterator[Stage]:
    """Counting lines takes half as long again, so only those tests count that reach new ones."""
    strictly = strictness(strict=strict)
    counted = unreported(*strictly, *existing(*DATABASE_TESTS), covering=covering)
    yield Stage(f"pytest on {server.name}", counted, server.url)
    fronts = pytest(*strictly, *existing(*FRONT_TESTS), covering=False)
    yield Stage(f"pytest of admin and REST on {server.name}", fronts, server.url)


def themed_tests(*, strict: bool, covering: bool) -> Stage:
    """In a process of their own: the theme is chosen at import."""
    settings = "--ds=tests.unfold_settings"
    arguments = (settings, *strictness(strict=strict), *existing(*THEMED_TESTS))
    return Stage("pytest under django-unfold", unreported(*arguments, covering=covering))


def unreported(*arguments: str, covering: bool) -> tuple[str, ...]:
    """Coverage is added up here, and reported by the last pytest."""
    quiet = ("--cov-report=", "--cov-fail-under=0") if covering else ()
    return pytest(*quiet, *arguments, covering=covering)


def all_tests(not_run: list[str], *, strict: bool, covering: bool) -> Stage:
    arguments = [f"--not-run={line}" for line in not_run]
    if covering and not_run:
        arguments.append("--cov-fail-under=0")
    arguments.extend([*strictness(strict=strict), "tests"])
    return Stage("pytest on SQLite", pytest(*arguments, covering=covering))


def strictness(*, strict: bool) -> tuple[str, ...]:
    return ("--strict-skips",) if strict else ()


def obstacle(server: Server) -> str:
    """Why the server cannot be used; empty if it can."""
    settings = database(server.url)
    # Without a name Django connects to the server itself, as it does to make the test database.
    settings["NAME"] = None
    settings["OPTIONS"]["connect_timeout"] = 5
    try:
        connection = ConnectionHandler({"default": settings})["default"]
        with connection.wrap_database_errors:
            connection.get_new_connection(connection.get_connection_params()).close()
    except ImproperlyConfigured:
        return "its driver is not installed"
    except DatabaseError as error:
        return " ".join(str(error).split())
    return ""


def stages(*, strict: bool, only_tests: bool, obstacles: dict[str, str]) -> Iterator[Stage]:
    covering = not only_tests
    if covering:
        yield from checks()
        yield Stage("coverage starts from nothing", program("coverage", "erase"))
    for server in SERVERS:
        if server.name not in obstacles:
            yield from server_tests(server, strict=strict, covering=covering)
    yield themed_tests(strict=strict, covering=covering)
    not_run = [f"{name}: {reason}" for name, reason in obstacles.items()]
    if not_run:
        not_run.append("Coverage of 100 %: asked for only where every database runs")
    yield all_tests(not_run, strict=strict, covering=covering)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.run", description=__doc__)
    parser.add_argument("--strict", action="store_true", help="anything skipped is a failure")
    parser.add_argument(
        "--only-tests",
        action="store_true",
        help="no lint, types, layers and migrations, and no coverage",
    )
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    reasons = {server.name: obstacle(server) for server in SERVERS}
    obstacles = {name: reason for name, reason in reasons.items() if reason}
    if options.strict and obstacles:
        for name, reason in obstacles.items():
            print(f"{name}: {reason}", file=sys.stderr)
        return 1
    for stage in stages(strict=options.strict, only_tests=options.only_tests, obstacles=obstacles):
        if code := stage.run():
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
