"""Commands for work on the app itself are too long to run here; what they name must be there."""

import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.settings import BASE_DIR

pytestmark = pytest.mark.sqlite

PAGES = ("CONTRIBUTING.md", "benchmarks/README.md")
COMMAND = re.compile(r"^    (?=\S)(?P<command>[^#\n]*[^#\s])", re.MULTILINE)


def commands(starting: str) -> list[str]:
    texts = (Path(BASE_DIR, page).read_text("utf-8") for page in PAGES)
    found = [match["command"] for text in texts for match in COMMAND.finditer(text)]
    return [command for command in found if re.search(rf"(?:^|[ /]){starting}(?: |$)", command)]


def test_every_command_is_of_a_kind_that_is_looked_at() -> None:
    everything = commands(r"\S+")
    known = {*commands("make"), *commands("python -m"), *commands("pytest")}
    assert everything
    assert set(everything) <= known


@pytest.mark.parametrize("command", commands("make"))
def test_make_knows_the_target(command: str) -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", Path(BASE_DIR, "Makefile").read_text("utf-8"), re.M)
    _, *given = shlex.split(command)
    variables = dict(one.split("=") for one in given if "=" in one)
    assert {one for one in given if "=" not in one} <= set(targets)
    assert Path(BASE_DIR, "tests", "proof", variables.get("SUITE", "")).is_dir()


@pytest.mark.parametrize("command", commands("python -m"))
def test_the_module_is_there_and_knows_the_options(command: str) -> None:
    module = command.split()[2]
    options = re.findall(r"--[a-z-]+", command)
    path = Path(BASE_DIR, *module.split("."))
    files = sorted({*path.glob("*.py"), *path.parent.glob("*.py")})
    sources = "".join(file.read_text("utf-8") for file in files)
    assert find_spec(module)
    assert [option for option in options if f'"{option}"' not in sources] == []


@pytest.mark.parametrize("command", commands("pytest"))
def test_pytest_finds_the_tests(command: str) -> None:
    variables = dict(re.findall(r"(\w+)=(\S+)", command))
    arguments = shlex.split(command.rpartition("pytest ")[2])
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "--quiet", *arguments],
        cwd=BASE_DIR,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert found.returncode == 0, found.stdout + found.stderr
