"""What holds for every subcommand."""

import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.test.utils import override_settings

from doc_priority.management.commands.doc_priority import SUBCOMMANDS, Command
from doc_priority.management.console import Console
from tests.settings import BASE_DIR


def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "django", "doc_priority", *arguments],
        cwd=BASE_DIR,
        env={"PATH": "", "DJANGO_SETTINGS_MODULE": "tests.settings", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_names_every_subcommand() -> None:
    done = manage("--help")
    assert done.returncode == 0
    for name in SUBCOMMANDS:
        assert f"\n    {name} " in done.stdout


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help(name: str) -> None:
    done = manage(name, "--help")
    assert done.returncode == 0
    assert SUBCOMMANDS[name].HELP in done.stdout


def test_an_option_that_is_wrong_exits_with_two() -> None:
    done = manage("list", "--limit", "none")
    assert done.returncode == 2
    assert "argument --limit: 'none' is not a whole number" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["fly"]])
def test_a_subcommand_is_needed(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="SUBCOMMAND"):
        call_command("doc_priority", *arguments)


@pytest.mark.django_db
def test_djangos_options_may_stand_after_the_subcommand() -> None:
    call_command(
        "doc_priority",
        "list",
        *("--settings", "tests.settings", "--pythonpath", ".", "--verbosity", "2", "--no-color"),
    )


@pytest.mark.django_db
@override_settings(DOC_PRIORITY={"RECOVERY": "never"})
def test_settings_that_cannot_be_used_stop_it() -> None:
    with pytest.raises(SystemCheckError, match=r"doc_priority\.E004"):
        call_command("doc_priority", "check", "acme", skip_checks=False)


def test_what_has_no_form_in_json_is_refused() -> None:
    console = Console(Command(), as_json=True)
    with pytest.raises(TypeError, match="has no form in JSON"):
        console.answer({1j}, [])
