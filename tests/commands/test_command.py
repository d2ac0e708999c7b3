"""What holds for every subcommand, also without a database or a reader."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import connection

from doc_priority.management.commands.doc_priority import Command
from tests.settings import BASE_DIR

MANAGE = (sys.executable, "-m", "django", "doc_priority")


def manage(*arguments: str, url: str) -> "subprocess.CompletedProcess[str]":
    """Run it in a process of its own, with this DATABASE_URL."""
    return subprocess.run(
        [*MANAGE, *arguments],
        cwd=BASE_DIR,
        env={**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_names_every_subcommand_and_each_has_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    def told_by(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            Command().run_from_argv(["manage.py", "doc_priority", *arguments])
        return ended.value.code, *capsys.readouterr()

    code, help_text, _ = told_by("--help")
    assert code == 0
    subcommands = dict(re.findall(r"(?m)^    (\w+) +(.+)$", help_text))
    assert list(subcommands) == [
        *("check", "peek", "reset", "pin", "unpin", "list"),
        *("prune", "forget", "doctor", "simulate"),
    ]
    for name, does in subcommands.items():
        code, own_help, _ = told_by(name, "--help")
        assert code == 0
        assert f"\n{does}\n" in own_help
    code, _, error = told_by("list", "--limit", "none")
    assert code == 2
    assert "argument --limit: 'none' is not a whole number" in error


@pytest.mark.django_db
def test_a_subcommand_is_needed_and_djangos_options_may_stand_after_it(settings: Any) -> None:
    """With invalid settings it stops."""
    for arguments in ([], ["fly"]):
        with pytest.raises(CommandError, match="SUBCOMMAND"):
            call_command("doc_priority", *arguments)
    call_command(
        "doc_priority",
        "list",
        *("--settings", "tests.settings", "--pythonpath", ".", "--verbosity", "2", "--no-color"),
    )
    settings.DOC_PRIORITY = {"RECOVERY": "never"}
    with pytest.raises(SystemCheckError, match=r"doc_priority\.E004"):
        call_command("doc_priority", "check", "acme", skip_checks=False)


def test_a_database_that_does_not_answer() -> None:
    """The doctor finds it; other subcommands point to the doctor."""
    url, says = {
        "sqlite": ("sqlite:////missing/database.sqlite3", "unable to open database file"),
        "postgresql": ("postgres://nobody@127.0.0.1:1/none", "connection refused"),
        "mysql": ("mysql://nobody@127.0.0.1:1/none", "can't connect to server"),
    }[connection.vendor]
    done = manage("doctor", "--json", url=url)
    assert done.returncode == 1
    *_, error = json.loads(done.stdout)
    assert (error["level"], error["subject"]) == ("ERROR", "database")
    assert error["remedy"]
    assert says in error["message"].lower()
    assert "The doctor found errors: 1." in done.stderr
    assert "Traceback" not in done.stderr

    done = manage("peek", "acme", "--skip-checks", url=url)
    assert done.returncode == 1
    assert says in done.stderr.lower()
    assert "doc_priority doctor" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.sqlite
def test_a_database_without_tables_and_without_a_write_ahead_log(tmp_path: Path) -> None:
    for mode, warned in [("DELETE", True), ("WAL", False)]:
        options = f"init_command=PRAGMA%20journal_mode%3D{mode}"
        done = manage("doctor", url=f"sqlite:///{tmp_path}/{mode}.sqlite3?{options}")
        assert done.returncode == 1
        assert "ERROR   migrations: Not applied: 0001_initial, " in done.stdout
        assert ("WARNING database: journal_mode is delete" in done.stdout) is warned


@pytest.mark.sqlite
def test_whoever_stops_reading_is_no_error() -> None:
    """A reader that closes the pipe, as in `manage.py doc_priority … | head -1`."""
    small = ("--kind", "quiet:2:1/min", "--hours", "0.1", "--recovery", "idle")
    with subprocess.Popen(
        [*MANAGE, "simulate", "--settings=tests.settings", *small],
        cwd=BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
    assert (process.returncode, said) == (0, "")
