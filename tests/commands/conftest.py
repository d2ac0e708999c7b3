"""How the tests call the command and read its output."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

Answer = Callable[..., Any]
Lines = Callable[..., list[str]]


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    """Run a subcommand: the lines of its stdout; stderr must be empty."""

    def run(*arguments: object) -> list[str]:
        call_command("doc_priority", *arguments)
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out.splitlines()

    return run


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    """Run a subcommand with --json: the value on its stdout, which must be JSON only."""

    def run(*arguments: object) -> Any:
        call_command("doc_priority", *arguments, "--json")
        return json.loads(capsys.readouterr().out)

    return run
