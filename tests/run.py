"""Run the checks and tests this machine can: `python -m tests.run [stage …]`.

Without a stage: lint, types, layers and migrations, then the tests that ask the database on
PostgreSQL and MariaDB, then the others on SQLite. The last pytest names what was not run, so that
its own summary is the last line. With `--strict` all stages run, and a skip is a failure.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers import BROKERS, POSTGRESQL, SERVERS
from tests.settings import BASE_DIR

USUAL = ("checks", "postgresql", "mariadb", "sqlite")
STRICT = ("checks", "postgresql", "mariadb", "unfold", "proof", "pages", "sqlite")
STAGES = (*STRICT, "libraries")

DATABASE_TESTS = (
    "tests/db",
    "tests/commands",
    "tests/concurrency",
    "tests/contrib/procrastinate",
    "tests/project/test_upgrade.py",
)
"""What may differ from one database to the next."""

FRONT_TESTS = ("tests/admin", "tests/api", "tests/contrib")
"""Ask a database hardly anything that those do not: on PostgreSQL where nothing is left out."""

LIBRARY_TESTS = ("tests/unit", "tests/contrib", "tests/admin", "tests/api")
"""What other versions of the libraries may change."""

PAGES = ("tests/docs", "tests/browser", "tests/example")
"""They start browsers, servers and the demo, and reach no line of the app that others do not."""

Command = tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One command of a stage; `database_url` picks the database of its tests."""

    stage: str
    name: str
    command: Command
    database_url: str = "sqlite://"

    def run(self) -> int:
        print(f"\n=== {self.name}", flush=True)
        environment = {**os.environ, "DATABASE_URL": self.database_url}
        code = subprocess.run(self.command, cwd=BASE_DIR, env=environment, check=False).returncode
        if code:
            print(f"\n=== {self.name}: failed with {code}", file=sys.stderr)
        return code


def program(name: str, *arguments: str) -> Command:
    """A program of this environment."""
    return (str(Path(sys.executable).with_name(name)), *arguments)


def checks() -> Iterator[Step]:
    folders = ("doc_priority", "example_project", "templates")
    pages = [page for folder in folders for page in sorted(Path(BASE_DIR, folder).rglob("*.html"))]
    django = (sys.executable, "-W", "error", "-m", "django")
    for name, command in (
        ("ruff check", program("ruff", "check")),
        ("ruff format", program("ruff", "format", "--check")),
        ("djade", program("djade", "--check", "--target-version", "5.2", *map(str, pages))),
        ("mypy", program("mypy")),
        ("import-linter", program("lint-imports", "--no-cache")),
        ("migrations", (*django, "makemigrations", "--check", "--dry-run")),
    ):
        yield Step("checks", name, command)


def pytest_steps(options: argparse.Namespace, not_run: list[str]) -> Iterator[Step]:
    """All of them, in the order in which they run."""
    # With nothing left out the order is always the same: a change fails for what it does.
    strict = ("--strict-skips", "--randomly-seed=1500") if options.strict else ()
    pytest = (sys.executable, "-m", "pytest", *strict)
    # Many wait for a database or a broker, so more of them run than there are processors.
    shared = (*pytest, "-n", "4")
    adding_up = ("--cov", "--cov-append", "--cov-report=", "--cov-fail-under=0")
    covered = adding_up if options.cover else ()
    for server in SERVERS:
        front = FRONT_TESTS if options.strict and server is POSTGRESQL else ()
        command = (*shared, *covered, *DATABASE_TESTS, *front)
        yield Step(server.name.lower(), f"pytest on {server.name}", command, server.url)

    themed = (*shared, *covered, "--ds=tests.unfold_settings", "tests/admin")
    yield Step("unfold", "pytest of the admin under django-unfold", themed)

    figures = ("--full", "--timeout=0", "-s") if options.full else ("--timeout=600",)
    proofs = (*pytest, "-m", "proof", *figures, "tests")
    for name, url in [*((server.name, server.url) for server in SERVERS), ("SQLite", "sqlite://")]:
        yield Step("proof", f"proofs on {name}", proofs, url)

    yield Step("pages", "pytest of documentation, browser and example", (*shared, *PAGES))

    name = f"pytest of Procrastinate on {POSTGRESQL.name}"
    command = (*shared, "tests/contrib/procrastinate")
    yield Step("libraries", name, command, POSTGRESQL.url)
    yield Step("libraries", "pytest of the libraries on SQLite", (*shared, *LIBRARY_TESTS))

    ignored = [f"--ignore={folder}" for folder in PAGES]
    told = [f"--not-run={line}" for line in not_run]
    yield Step("sqlite", "pytest on SQLite", (*shared, *covered, *ignored, *told, "tests"))


def coverage() -> Iterator[Step]:
    core = "--include=doc_priority/rules.py,doc_priority/services/*,doc_priority/counters/*"
    report = program("coverage", "report", "--skip-covered", "--show-missing")
    yield Step("coverage", "coverage of the core", (*report, core, "--fail-under=100"))
    yield Step("coverage", "coverage", report)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.run", description=__doc__)
    parser.add_argument("stages", nargs="*", metavar="stage", help=f"some of {', '.join(STAGES)}")
    parser.add_argument("--strict", action="store_true", help="anything skipped is a failure")
    parser.add_argument("--cover", action="store_true", help="add up the lines that tests reach")
    parser.add_argument("--full", action="store_true", help="proofs with their full figures")
    options = parser.parse_args()
    chosen = options.stages or (STRICT if options.strict else USUAL)
    if unknown := set(chosen) - set(STAGES):
        parser.error(f"{', '.join(unknown)} is no stage; those are {', '.join(STAGES)}")

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    missing = {
        one.url: f"{one.name}: {one.obstacle}" for one in (*SERVERS, *BROKERS) if one.obstacle
    }
    not_run = list(missing.values())
    if options.strict and not_run:
        sys.exit("\n".join(not_run))
    if left_out := [stage for stage in STRICT if stage not in chosen and not options.stages]:
        not_run.append(
            f"{', '.join(left_out)}: take longer; `python -m tests.run --strict` has all"
        )

    steps = [*checks(), *pytest_steps(options, not_run)]
    if options.cover:
        subprocess.run(program("coverage", "erase"), cwd=BASE_DIR, check=True)
        steps += coverage()
    wanted = [step for step in steps if step.stage in (*chosen, "coverage")]
    for step in wanted:
        if step.database_url not in missing and (code := step.run()):
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
