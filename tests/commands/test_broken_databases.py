"""Databases that do not answer, or have nothing in them yet."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.settings import BASE_DIR


def manage(*arguments: str, url: str) -> "subprocess.CompletedProcess[str]":
    environment: dict[str, Any] = {
        **os.environ,
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    return subprocess.run(
        [sys.executable, "-m", "django", "doc_priority", *arguments],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def unreachable(folder: Path) -> str:
    return f"sqlite:///{folder}/missing/database.sqlite3"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("sqlite:////missing/database.sqlite3", "unable to open database file"),
        pytest.param(
            "postgres://nobody@127.0.0.1:1/none",
            "connection refused",
            marks=pytest.mark.postgresql,
        ),
        pytest.param(
            "mysql://nobody@127.0.0.1:1/none",
            "can't connect to server",
            marks=pytest.mark.mariadb,
        ),
    ],
)
def test_a_database_that_does_not_answer(url: str, says: str) -> None:
    done = manage("doctor", "--json", url=url)
    assert done.returncode == 1
    *_, error = json.loads(done.stdout)
    assert (error["level"], error["subject"]) == ("ERROR", "database")
    assert error["remedy"]
    assert says in error["message"].lower()
    assert "The doctor found errors: 1." in done.stderr
    assert "Traceback" not in done.stderr


def test_other_subcommands_point_to_the_doctor(tmp_path: Path) -> None:
    done = manage("peek", "acme", "--skip-checks", url=unreachable(tmp_path))
    assert done.returncode == 1
    assert "unable to open database file" in done.stderr
    assert "doc_priority doctor" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_without_tables(tmp_path: Path) -> None:
    done = manage("doctor", url=f"sqlite:///{tmp_path}/new.sqlite3")
    assert done.returncode == 1
    assert "ERROR   migrations: Not applied: 0001_initial, " in done.stdout


@pytest.mark.parametrize(("mode", "warned"), [("DELETE", True), ("WAL", False)])
def test_sqlite_without_a_write_ahead_log(tmp_path: Path, *, mode: str, warned: bool) -> None:
    url = f"sqlite:///{tmp_path}/portal.sqlite3?init_command=PRAGMA%20journal_mode%3D{mode}"
    done = manage("doctor", url=url)
    assert ("WARNING database: journal_mode is delete" in done.stdout) is warned
