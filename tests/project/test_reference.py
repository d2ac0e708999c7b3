"""The pages of the reference name what the code has: all of it, and nothing that is gone."""

import inspect
import json
import re
from argparse import SUPPRESS, ArgumentParser
from collections import defaultdict
from importlib import import_module

import pytest
from django.core.management import load_command_class
from django.core.management.base import BaseCommand

from doc_priority import conf, exceptions, services, signals
from doc_priority.check_messages import ALWAYS, SystemCheck
from doc_priority.types import Decision
from tests.contrib.prometheus.conftest import metrics_by_name
from tests.settings import BASE_DIR

pytestmark = pytest.mark.sqlite

PACKAGE = BASE_DIR / "doc_priority"


def page(name: str) -> str:
    return (BASE_DIR / "docs" / "reference" / f"{name}.md").read_text("utf-8")


def rows_of(text: str, column: str) -> dict[str, list[str]]:
    """Each row of the tables whose first column this is, by its first cell."""
    tables = re.findall(rf"(?m)^\| {column} \|.*\n\| ---.*\n((?:\|.*\n)*)", text)
    rows = [row.strip("| ").split(" |") for table in tables for row in table.splitlines()]
    return {first.strip("`"): [cell.strip("` ") for cell in rest] for first, *rest in rows}


def sources(folder: str = "") -> str:
    return "".join(path.read_text("utf-8") for path in (PACKAGE / folder).rglob("*.py"))


class Anything:
    """Stands in a template for every value, as … does on the page."""

    def __format__(self, spec: str) -> str:
        return "…"

    def __repr__(self) -> str:
        return "…"


def test_every_system_check_with_what_it_says_and_when_it_runs() -> None:
    found: dict[str, list[SystemCheck]] = {}
    for path in PACKAGE.rglob("*.py"):
        if "SystemCheck(" in path.read_text("utf-8"):
            module = import_module(".".join(path.relative_to(BASE_DIR).with_suffix("").parts))
            values = list(vars(module).values())
            tables = [one for one in values if isinstance(one, dict)]
            values += [value for table in tables for value in table.values()]
            rows = [one for one in values if isinstance(one, SystemCheck)]
            assert found.keys().isdisjoint({row.id for row in rows}), "an id stands for one check"
            for row in rows:
                found.setdefault(row.id, []).append(row)

    def written(template: str) -> str:
        return template.format_map(defaultdict(Anything))

    as_page = {}
    for number, rows in found.items():
        messages = dict.fromkeys(written(row.message) for row in rows)
        hints = dict.fromkeys(written(row.hint) for row in rows)
        quoted = "\n>\n".join(f"> {message}" for message in messages)
        (when,) = {row.when for row in rows}
        runs = "" if when == ALWAYS else f"\n{when}\n"
        as_page[number] = f"{quoted}\n\n{' Or: '.join(hints)}\n{runs}"
    text = page("checks").replace("\\", "")  # Markdown's, before * and _
    assert dict(re.findall(r"(?ms)^### (\w+)\n\n(.*?)(?=\n##|\Z)", text)) == as_page


def test_every_setting_with_its_default() -> None:
    defaults = {key: repr(value).replace("'", '"') for key, value in conf.DEFAULTS.items()}

    assert {key: cells[0] for key, cells in rows_of(page("settings"), "key").items()} == defaults


def test_every_error_with_its_code() -> None:
    codes = {
        name: error.code
        for name, error in vars(exceptions).items()
        if inspect.isclass(error) and issubclass(error, exceptions.DocPriorityError)
    }

    assert len(set(codes.values())) == len(codes)
    assert {name: cells[0] for name, cells in rows_of(page("errors"), "error").items()} == codes


def test_every_code_that_only_rest_answers() -> None:
    of_rest = page("errors").partition("## Over REST")[2]
    for code in re.findall(r"default_code = \"(\w+)\"", sources("api")):
        assert f"| `{code}` |" in of_rest, code


def test_every_operation_of_rest() -> None:
    document = json.loads((PACKAGE / "api" / "openapi" / "openapi.json").read_text("utf-8"))
    operations = {
        f"{method.upper()} {path.removeprefix('/')}"
        for path, methods in document["paths"].items()
        for method in methods
    }

    assert set(rows_of(page("rest-operations"), "call")) == operations


def test_every_command_with_its_arguments() -> None:
    plain = BaseCommand().create_parser("manage.py", "any")
    of_django = {action.dest for action in plain._actions}

    def arguments_of(parser: ArgumentParser) -> set[str]:
        """As the page writes them: `KEY …`, `--dry-run`, `--reason REASON`."""
        found = set()
        for action in parser._actions:
            if action.dest not in of_django and action.help != SUPPRESS:
                name = action.option_strings[-1:]
                choices = action.choices and f"{{{','.join(map(str, action.choices))}}}"
                value = choices or action.metavar or action.dest.upper()
                values = [] if action.nargs == 0 else [value]
                several = ["…"] if action.nargs == "+" and not name else []
                found.add(" ".join([*name, *values, *several]))
        return found

    manage = load_command_class("doc_priority", "doc_priority").create_parser("manage.py", "x")
    put_back = load_command_class("doc_priority.contrib.tasks", "put_back_tasks")
    subcommands = manage._subparsers._group_actions[0].choices
    parsers = {**subcommands, "put_back_tasks": put_back.create_parser("manage.py", "x")}
    overview = rows_of(page("commands"), "subcommand")
    sections = dict(re.findall(r"(?ms)^## (\w+)\n(.*?)(?=^## |\Z)", page("commands")))

    assert set(overview) == {f"[`{name}`](#{name})" for name in subcommands}
    for name, parser in parsers.items():
        assert set(rows_of(sections[name], "argument")) == arguments_of(parser), name


def test_every_signal() -> None:
    assert set(re.findall(r"(?m)^## (\w+)$", page("signals"))) == set(signals.__all__)


def test_every_metric_with_its_kind_and_labels() -> None:
    described = {
        name: (kind, tuple(re.findall(r"\w+", labels)))
        for name, (kind, labels, _) in rows_of(page("metrics"), "metric").items()
    }

    assert described == {
        name: (kind, labels) for name, (kind, labels, _) in metrics_by_name().items()
    }


def test_every_service_with_its_arguments() -> None:
    described = dict(re.findall(r"(?ms)^### (\w+)\n\n```text\n(.*?)```", page("services")))

    assert {*described, *(f"a{name}" for name in described)} == set(services.__all__)
    for name, signature in described.items():
        arguments = list(inspect.signature(getattr(services, name)).parameters)
        assert re.findall(r"(\w+): ", signature) == arguments, name


def test_every_field_of_a_decision() -> None:
    assert list(rows_of(page("services"), "field")) == list(Decision.__dataclass_fields__)
