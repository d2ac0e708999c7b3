"""The examples of the documentation work: `pytest tests/docs/test_examples.py -k how-to/policies`.

Python runs where it stands, with a database; the blocks of a page share their names. A block that
begins with a comment like `# portal/urls.py` becomes that file of a new project, or is appended to
it. Of commands for a terminal only the names and options are looked at. A block after
`<!--- skip: next -->` is not run.
"""

import configparser
import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import call_command, get_commands, load_command_class
from django.template import engines
from django.utils.timezone import now
from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser, SkipParser

from doc_priority.services import create_customer
from tests.settings import BASE_DIR

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

DOCS = BASE_DIR / "docs"
PAGES = [BASE_DIR / "README.md", *sorted(DOCS.rglob("*.md"))]
TARGETS = set(re.findall(r"(?m)^([a-z-]+):.*## ", (BASE_DIR / "Makefile").read_text("utf-8")))
COMMANDS_OF_OTHERS = ("drf_create_token", "procrastinate", "rqworker")
"""Of apps that are not installed in the tests."""
FILE = re.compile(r"(?:#|\{#) ([\w/-]+\.\w+)(?=[ ,:\n])")
"""How a block begins that is a file."""


def look_at_commands(example: Example) -> None:
    for line in re.findall(r"(?m)^ *\$ (.+)", re.sub(r"\\\n\s*", "", example.parsed)):
        if target := re.match(r"make ([\w-]+)", line):
            assert target[1] in TARGETS, f"{line}: the Makefile has no such target"
        if command := re.search(r"manage\.py (.+)", line):
            words = shlex.split(command[1], comments=True)
            ends = [place for place, word in enumerate(words) if word in ("|", ">", "<", "2>&1")]
            look_at_command(example, *words[: min(ends, default=len(words))])


def look_at_command(example: Example, name: str, *arguments: str) -> None:
    """An option that is not there, or lacks a value, ends in a CommandError."""
    if name in get_commands():
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        # A second database, on the page about upgrading.
        parser.parse_args(["default" if word == "new" else word for word in arguments])
    else:
        of_the_page = f"/management/commands/{name}.py\n" in example.document.text
        assert of_the_page or name in COMMANDS_OF_OTHERS, f"{name} is no command of manage.py"


def parsed_by(parse: Callable[[str], object]) -> Callable[[Example], None]:
    """An evaluator; what it gives back would be a failure."""

    def evaluate(example: Example) -> None:
        parse(example.parsed)

    return evaluate


EVALUATORS: dict[str, Callable[[Example], None]] = {
    "console": look_at_commands,
    "html+django": parsed_by(engines["django"].from_string),
    "ini": parsed_by(configparser.ConfigParser(interpolation=None).read_string),
    "json": parsed_by(json.loads),
    "python": PythonEvaluator(),
    "yaml": parsed_by(yaml.safe_load),
}
NOT_EVALUATED = {"po", "sh", "sql", "text"}
"""`sh` are the calls of REST, which `tests/api/test_documentation.py` makes."""

SYBIL = Sybil([SkipParser(), *(CodeBlockParser(*item) for item in EVALUATORS.items())])


def name_of(page: Path) -> str:
    """`how-to/policies`; `README`."""
    base = DOCS if page.is_relative_to(DOCS) else BASE_DIR
    return page.relative_to(base).with_suffix("").as_posix()


def readme() -> dict[str, Any]:
    process = SimpleNamespace(delay=nothing_to_do)
    return {"process": process, "tomorrow": now() + timedelta(days=1), **request()}


def request() -> dict[str, Any]:
    return {"request": SimpleNamespace(user=User.objects.create_user("boss"))}


def customers() -> dict[str, Any]:
    for key in ("acme", "birch"):
        create_customer(key)
    return {}


def nothing_to_do(*arguments: object, **more: object) -> None:
    """Stands for what a portal does there."""


NAMES: dict[str, Callable[[], dict[str, Any]]] = {
    "README": readme,
    "how-to/choosing-a-recovery": customers,
    "how-to/policies": lambda: {"gold_contracts": ["acme", "birch"], **customers(), **request()},
    "reference/errors": lambda: {"logger": logging.getLogger(), "try_later": nothing_to_do},
    "reference/services": request,
    "reference/settings": customers,
    "reference/signals": lambda: {"mail_support": nothing_to_do},
}
"""What the Python of a page takes for granted."""

TASK = """
from celery import shared_task

@shared_task
def process(customer_key, document_id): ...
"""
FILES: dict[str, dict[str, str]] = {
    "README": {"portal/celery.py": "from celery import Celery\n\napp = Celery('portal')\n"},
    "reference/admin": {"portal/settings.py": "INSTALLED_APPS += ['doc_priority', 'portal']\n"},
    "reference/celery": {
        "portal/__init__.py": "from .celery import app as celery_app\n",
        "portal/settings.py": "INSTALLED_APPS += ['doc_priority', 'portal']\n",
        "portal/tasks.py": TASK,
    },
    "reference/rest": {"portal/settings.py": "INSTALLED_APPS += ['doc_priority']\n"},
}
"""What the project of a page takes for granted."""

SERVERS = {
    "REDIS_URL": "redis://127.0.0.1:9",
    "RABBITMQ_URL": "amqp://127.0.0.1:9",
    "DATABASE_URL": "mysql://127.0.0.1:9/portal",
}
"""Addresses that the pages name; nobody answers there, and nobody asks."""

CHECK = """
import sys
from importlib import import_module

import django
from django.core.management import call_command

django.setup()
for module in sys.argv[1:]:
    import_module(module)
call_command("check")
"""
TESTS = ("-m", "pytest", "-q", "--ds=portal.settings", "--import-mode=importlib")


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    call_command("startproject", "portal", str(folder))
    return folder


@pytest.fixture
def project(new_project: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(new_project, tmp_path / "project"))


def append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{text}")


def run_python(project: Path, *arguments: str) -> None:
    """With nothing of these tests in the way."""
    variables = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env={**variables, **SERVERS, "DJANGO_SETTINGS_MODULE": "portal.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def try_project(project: Path, files: dict[str, str]) -> None:
    """Its tests, or else its modules and Django's checks."""
    code = {Path(path): text for path, text in files.items() if path.endswith(".py")}
    for path, text in code.items():
        compile(text, path, "exec")
    if any(path.match("test*.py") for path in code):
        run_python(project, *TESTS, "--override-ini=python_files=test*.py")
    elif code:
        packaged = [".".join(path.with_suffix("").parts) for path in code if len(path.parts) > 1]
        run_python(project, "-c", CHECK, *packaged)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    languages = set(re.findall(r"(?m)^ *```(\S+)$", page.read_text("utf-8")))
    assert languages <= EVALUATORS.keys() | NOT_EVALUATED
    for variable, address in SERVERS.items():
        monkeypatch.setenv(variable, address)
    if name_of(page) == "how-to/databases":
        pytest.importorskip("MySQLdb", reason="mysqlclient is not installed")
    document = SYBIL.parse(page)
    document.namespace.update(NAMES.get(name_of(page), dict)())
    files = dict(FILES.get(name_of(page), {}))
    for path, text in files.items():
        append(project / path, text)

    for example in document.examples():
        if file := FILE.match(str(example.parsed)):
            files[file[1]] = example.parsed
            append(project / file[1], example.parsed)
        else:
            example.evaluate()
    try_project(project, files)


@pytest.mark.parametrize("program", sorted(DOCS.glob("examples/*.py")), ids=lambda path: path.stem)
def test_the_page_of_engines_shows_the_programs(program: Path) -> None:
    """Without their first line; `tests/contrib/test_examples.py` runs them."""
    code = program.read_text("utf-8").partition("\n\n")[2].strip()
    assert f"```python\n{code}\n```" in (DOCS / "reference" / "engines.md").read_text("utf-8")
