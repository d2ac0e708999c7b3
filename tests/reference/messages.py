"""Every message of a system check, wherever it is made."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from types import ModuleType
from typing import NamedTuple

from django.core import checks

from tests.reference.reading import (
    Function,
    Scope,
    bound_arguments,
    definition_of,
    module_at,
    texts_of,
    tree_of,
)
from tests.settings import BASE_DIR

LEVELS = (checks.Error, checks.Warning)
MISSING = ast.Constant("")

_imports_levels = re.compile(
    r"^from django\.core(\.checks)? import .*\b(checks|Error|Warning)\b", re.MULTILINE
).search


class Message(NamedTuple):
    """What a check may say; `…` stands for what is known when it runs."""

    id: str
    level: type[checks.CheckMessage]
    text: str
    hint: str
    module: str
    """Where it is made, by way of the functions below, the outermost last."""
    functions: tuple[str, ...]


class Place(NamedTuple):
    """A call, and all that it stands in."""

    call: ast.Call
    module: ModuleType
    functions: tuple[Function, ...]


def messages() -> list[Message]:
    return list(dict.fromkeys(_messages()))


def _messages() -> Iterator[Message]:
    for place in places():
        level = Scope(place.module).value(place.call.func)
        if level in LEVELS:
            for scope, way in scopes(place):
                yield from _made(place, level, scope, way)


def _made(
    place: Place, level: type[checks.CheckMessage], scope: Scope, way: tuple[str, ...]
) -> Iterator[Message]:
    given = dict(zip(("msg", "hint"), place.call.args, strict=False))
    given |= {one.arg: one.value for one in place.call.keywords if one.arg is not None}
    parts = (texts_of(given.get(name, MISSING), scope) for name in ("id", "msg", "hint"))
    for id_, text, hint in product(*parts):
        yield Message(id_, level, text, hint, place.module.__name__, way)


def modules() -> list[ModuleType]:
    """Those that can make a message; others need not be importable here."""
    paths = sorted((BASE_DIR / "doc_priority").rglob("*.py"))
    return [module_at(path) for path in paths if _imports_levels(path.read_text("utf-8"))]


@cache
def places() -> list[Place]:
    return [place for module in modules() for place in _calls(tree_of(module), module)]


def _calls(
    node: ast.AST, module: ModuleType, functions: tuple[Function, ...] = ()
) -> Iterator[Place]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield Place(child, module, functions)
        within = (child, *functions) if isinstance(child, Function) else functions
        yield from _calls(child, module, within)


def scopes(place: Place) -> Iterator[tuple[Scope, tuple[str, ...]]]:
    """What names come to at this place: once for each way that leads there."""
    if not place.functions:
        yield Scope(place.module), ()
        return
    outermost = place.functions[-1]
    callers = [one for one in _callers(place.module, outermost) if outermost not in one.functions]
    names = tuple(f"{place.module.__name__}.{one.name}" for one in place.functions)
    if not callers:
        yield Scope(place.module, place.functions), names
    for caller in callers:
        for scope, way in scopes(caller):
            given = bound_arguments(outermost, caller.call, scope)
            yield Scope(place.module, place.functions, given), (*names, *way)


def _callers(module: ModuleType, function: Function) -> list[Place]:
    if definition_of(module, function.name) is not function:
        return []
    called = vars(module)[function.name]
    return [one for one in places() if Scope(one.module).value(one.call.func) is called]
