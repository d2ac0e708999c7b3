"""Where a constant is at work: the line that gives it its value runs before any test does."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.settings import BASE_DIR

APP = "doc_priority"


class Line(NamedTuple):
    file: str
    number: int


class _Constant(NamedTuple):
    name: str
    lines: range
    """Those of its value."""


def uses_of_constant_at(file: str, number: int) -> set[Line]:
    """Lines that name the constant which this line belongs to, or a constant that is made of it."""
    todo = [constant.name for constant in _constants(file) if number in constant.lines]
    seen, found = set(todo), set[Line]()
    while todo:
        for line in _naming(todo.pop()):
            made = [one.name for one in _constants(line.file) if line.number in one.lines]
            if not made:
                found.add(line)
            todo.extend(name for name in made if name not in seen)
            seen.update(made)
    return found


def _naming(name: str) -> Iterator[Line]:
    for file, lines in _app().items():
        for number, line in enumerate(lines, start=1):
            if re.search(rf"\b{name}\b", line):
                yield Line(file, number)


@cache
def _constants(file: str) -> list[_Constant]:
    return [
        _Constant(target.id, range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for node in ast.parse("\n".join(_app()[file])).body
        for target in _targets(node)
        if isinstance(target, ast.Name)
    ]


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


@cache
def _app() -> dict[str, list[str]]:
    found = sorted(Path(BASE_DIR, APP).rglob("*.py"))
    return {str(path.relative_to(BASE_DIR)): path.read_text("utf-8").splitlines() for path in found}
