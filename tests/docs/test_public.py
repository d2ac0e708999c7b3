"""What the pages import of doc_priority is what `docs/compatibility.md` promises to keep."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, PAGES, name_of
from tests.docs.reading import Page, read

# No database is asked; once is enough.
pytestmark = pytest.mark.sqlite

EVERY = frozenset({"*"})
"""What the module has in `__all__`, or, where there is none, the classes that it defines."""

PUBLIC = {
    "doc_priority.admin": {"CustomerAdmin", "EventAdmin", "PolicyAdmin"},
    "doc_priority.api.urls": set[str](),
    "doc_priority.contrib.celery": EVERY,
    "doc_priority.contrib.engines": {"engine_priorities", "engine_priority"},
    "doc_priority.contrib.procrastinate": EVERY,
    "doc_priority.contrib.prometheus.urls": set[str](),
    "doc_priority.contrib.tasks": EVERY,
    "doc_priority.contrib.tasks.recovering": {"put_back_abandoned"},
    "doc_priority.exceptions": EVERY,
    "doc_priority.explanations": {"explain"},
    "doc_priority.models": {"Counter", "Customer", "DocumentDecision", "Event", "Policy"},
    "doc_priority.observing": {"Call", "Checked", "Observer", "Result", "register", "unregister"},
    "doc_priority.readiness": {"Item", "Readiness", "readiness"},
    "doc_priority.rules": {"check", "peek", "priority_of", "reset"},
    "doc_priority.selectors": {"moves_under"},
    "doc_priority.services": EVERY,
    "doc_priority.signals": EVERY,
    "doc_priority.simulation": EVERY,
    "doc_priority.testing": {
        "assert_decision",
        "assert_priority",
        "frozen_time",
        "set_pending_documents",
        "set_priority",
    },
    "doc_priority.types": {
        "KEY_PATTERN",
        "SECOND",
        "CounterState",
        "Decision",
        "Pin",
        "PolicyTerms",
        "Recovery",
        "State",
    },
}
"""Of each module that may be imported, or included, the names."""

APPS = {
    "doc_priority.contrib.opentelemetry",
    "doc_priority.contrib.procrastinate",
    "doc_priority.contrib.prometheus",
    "doc_priority.contrib.tasks",
}
"""What may be in INSTALLED_APPS besides `doc_priority` itself."""

QUOTED = re.compile(r"`([a-zA-Z][\w.]+)`")


def public_names(name: str) -> set[str]:
    if PUBLIC[name] != EVERY:
        return set(PUBLIC[name])
    module = import_module(name)
    return set(getattr(module, "__all__", classes_of(module)))


def classes_of(module: ModuleType) -> list[str]:
    found = vars(module).items()
    return [name for name, value in found if getattr(value, "__module__", "") == module.__name__]


def is_public(module: str, name: str) -> bool:
    """A name of a public module, or such a module itself."""
    return f"{module}.{name}" in PUBLIC or (module in PUBLIC and name in public_names(module))


def imported(page: Page) -> Iterator[tuple[str, str]]:
    """What its blocks of Python import of doc_priority: the module, and the name."""
    for block in page.blocks:
        if block.language == "python":
            for node in ast.walk(ast.parse(block.text)):
                yield from imported_by(node)


def imported_by(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.ImportFrom):
        found = [(node.module or "", alias.name) for alias in node.names]
    elif isinstance(node, ast.Import):
        names = [alias.name.rpartition(".") for alias in node.names]
        found = [(parent, name) for parent, _, name in names]
    else:
        return
    yield from (pair for pair in found if pair[0].split(".")[0] == "doc_priority")


def promised() -> list[set[str]]:
    """What stands in backticks in each row of the table."""
    text = Path(DOCS, "compatibility.md").read_text(encoding="utf-8")
    section = text.partition("## What is public")[2].partition("Everything else")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [{word.removesuffix(".__all__") for word in QUOTED.findall(line)} for line in lines]


def modules_in(words: set[str]) -> set[str]:
    return {word for word in words if word.startswith("doc_priority.") and find_spec(word)}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_imports_nothing_else(path: Path) -> None:
    assert [pair for pair in imported(read(path)) if not is_public(*pair)] == []


def test_imports_are_found() -> None:
    found = {pair for path in PAGES for pair in imported(read(path))}
    assert {("doc_priority.services", "check"), ("doc_priority", "rules")} <= found


def test_the_page_names_these_modules() -> None:
    named = set[str]().union(*map(modules_in, promised()))
    assert named == set(PUBLIC) | APPS


@pytest.mark.parametrize("module", sorted(PUBLIC))
def test_the_page_names_these_names(module: str) -> None:
    words = set[str]().union(*(row for row in promised() if module in row))
    public = public_names(module)

    assert {word for word in words if hasattr(import_module(module), word)} <= public
    assert PUBLIC[module] == EVERY or public <= words
    assert all(hasattr(import_module(module), name) for name in public)
