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
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import call_command, get_commands, load_command_class
from django.template import engines
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


def name_of(page: Path) -> str:
    """`how-to/policies`; `README`."""
    base = DOCS if page.is_relative_to(DOCS) else BASE_DIR
    return page.relative_to(base).with_suffix("").as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_at_commands(example: Example) -> None:
        """An option that is not there, or lacks a value, ends in a CommandError."""
        for line in re.findall(r"(?m)^ *\$ (.+)", re.sub(r"\\\n\s*", "", example.parsed)):
            if target := re.match(r"make ([\w-]+)", line):
                assert target[1] in TARGETS, f"{line}: the Makefile has no such target"
            if command := re.search(r"manage\.py (.+)", line):
                words = shlex.split(command[1], comments=True)
                ends = [
                    place for place, word in enumerate(words) if word in ("|", ">", "<", "2>&1")
                ]
                name, *arguments = words[: min(ends, default=len(words))]
                if name in get_commands():
                    found = load_command_class(get_commands()[name], name)
                    # A second database, on the page about upgrading.
                    given = ["default" if word == "new" else word for word in arguments]
                    found.create_parser("manage.py", name).parse_args(given)
                else:
                    of_the_page = f"/management/commands/{name}.py\n" in example.document.text
                    assert of_the_page or name in COMMANDS_OF_OTHERS, f"{name} is no command"

    def parsed_by(parse: Callable[[str], object]) -> Callable[[Example], None]:
        def evaluate(example: Example) -> None:
            parse(example.parsed)  # what it gives back would be a failure

        return evaluate

    evaluators: dict[str, Callable[[Example], None]] = {
        "console": look_at_commands,
        "html+django": parsed_by(engines["django"].from_string),
        "ini": parsed_by(configparser.ConfigParser(interpolation=None).read_string),
        "json": parsed_by(json.loads),
        "python": PythonEvaluator(),
        "yaml": parsed_by(yaml.safe_load),
    }
    # `sh` are the calls of REST, which `tests/api/test_openapi.py` makes.
    not_evaluated = {"po", "sh", "sql", "text"}
    languages = set(re.findall(r"(?m)^ *```(\S+)$", page.read_text("utf-8")))
    assert languages <= evaluators.keys() | not_evaluated
    if name_of(page) == "how-to/databases":
        pytest.importorskip("MySQLdb", reason="mysqlclient is not installed")
    # Addresses that the pages name; nobody answers there, and nobody asks.
    servers = {
        "REDIS_URL": "redis://127.0.0.1:9",
        "RABBITMQ_URL": "amqp://127.0.0.1:9",
        "DATABASE_URL": "mysql://127.0.0.1:9/portal",
    }
    for variable, address in servers.items():
        monkeypatch.setenv(variable, address)

    # What the Python of a page takes for granted.
    def request() -> dict[str, Any]:
        return {"request": SimpleNamespace(user=User.objects.create_user("boss"))}

    def customers() -> dict[str, Any]:
        create_customer("acme")
        create_customer("birch")
        return {"gold_contracts": ["acme", "birch"]}

    def does_nothing(*arguments: object, **more: object) -> None:
        """Stands for what a portal does there."""

    names: dict[str, Callable[[], dict[str, Any]]] = {
        "README": lambda: {"process": SimpleNamespace(delay=does_nothing)},
        "how-to/choosing-a-recovery": customers,
        "how-to/policies": lambda: {**customers(), **request()},
        "reference/errors": lambda: {"logger": logging.getLogger(), "try_later": does_nothing},
        "reference/services": request,
        "reference/settings": customers,
        "reference/signals": lambda: {"mail_support": does_nothing},
    }
    # What the project of a page takes for granted.
    ours = "INSTALLED_APPS += ['doc_priority']\n"
    portal = "INSTALLED_APPS += ['doc_priority', 'portal']\n"
    tasks = "from celery import shared_task\n\n"
    tasks += "@shared_task\ndef process(customer_key, document_id): ...\n"
    files: dict[str, str] = {
        "README": {"portal/celery.py": "from celery import Celery\n\napp = Celery('portal')\n"},
        "how-to/choosing-a-recovery": {"portal/settings.py": ours},
        "how-to/pruning": {"portal/settings.py": ours},
        "how-to/upgrading": {"portal/settings.py": ours},
        "reference/admin": {"portal/settings.py": portal},
        "reference/celery": {
            "portal/__init__.py": "from .celery import app as celery_app\n",
            "portal/settings.py": portal,
            "portal/tasks.py": tasks,
        },
        "reference/rest": {"portal/settings.py": ours},
    }.get(name_of(page), {})

    added = list(files.items())
    sybil = Sybil([SkipParser(), *(CodeBlockParser(*item) for item in evaluators.items())])
    document = sybil.parse(page)
    document.namespace.update(names.get(name_of(page), dict)())
    for example in document.examples():
        # How a block begins that is a file.
        if file := re.match(r"(?:#|\{#) ([\w/-]+\.\w+)(?=[ ,:\n])", str(example.parsed)):
            added.append((file[1], example.parsed))
        else:
            example.evaluate()

    code = {Path(path): text for path, text in added if path.endswith(".py")}
    for path, text in code.items():
        compile(text, path, "exec")
    if not code:
        return
    call_command("startproject", "portal", str(tmp_path))
    for name, text in added:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        with (tmp_path / name).open("a", encoding="utf-8") as opened:
            opened.write(f"\n{text}")
    # The project's tests, or else its modules and Django's checks.
    arguments = ["-m", "pytest", "-q", "--ds=portal.settings", "--import-mode=importlib"]
    arguments.append("--override-ini=python_files=test*.py")
    if not any(path.match("test*.py") for path in code):
        packaged = [".".join(path.with_suffix("").parts) for path in code if len(path.parts) > 1]
        imports = "".join(f"import {module}\n" for module in packaged)
        setup = "import django\nfrom django.core.management import call_command\ndjango.setup()\n"
        arguments = ["-c", f"{setup}{imports}call_command('check')"]
    # With nothing of these tests in the way.
    variables = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tmp_path,
        env={**variables, **servers, "DJANGO_SETTINGS_MODULE": "portal.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("program", sorted(DOCS.glob("examples/*.py")), ids=lambda path: path.stem)
def test_the_page_of_engines_shows_the_programs(program: Path) -> None:
    """Without their first line; `tests/contrib/test_examples.py` runs them."""
    code = program.read_text("utf-8").partition("\n\n")[2].strip()
    assert f"```python\n{code}\n```" in (DOCS / "reference" / "engines.md").read_text("utf-8")
