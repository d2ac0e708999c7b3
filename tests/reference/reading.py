"""Which texts an expression of the source may come to, where each comes to be known.

What is known only when the code runs is `…`.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import getdoc
from itertools import product
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from tests.settings import BASE_DIR

UNKNOWN = "…"
UNCHANGED = {"removesuffix", "rstrip", "strip", "list"}
"""What leaves a text, or the texts of a list, as far as a reader can tell."""

NOTHING = {"", "None"}

Texts = list[str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Scope(NamedTuple):
    """Where an expression stands, and what the names there come to."""

    module: ModuleType
    functions: tuple[Function, ...] = ()
    """The one it stands in first, then those around it."""
    given: Mapping[str, Texts] = {}

    def value(self, expression: ast.expr) -> Any:
        """The value of a name of the module, also of one in another module; None for others."""
        match expression:
            case ast.Name(id=name):
                return vars(self.module).get(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                return getattr(vars(self.module).get(owner), name, None)
        return None


@cache
def tree_of(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text("utf-8"))


def module_at(path: Path) -> ModuleType:
    """The module in this file of the project."""
    name = ".".join(path.relative_to(BASE_DIR).with_suffix("").parts)
    return import_module(name.removesuffix(".__init__"))


def texts_of(expression: ast.expr, scope: Scope) -> Texts:
    """The texts this may be, most often one."""
    read = _READERS.get(type(expression))
    return read(expression, scope) if read else [UNKNOWN]


def constant(expression: ast.Constant, scope: Scope) -> Texts:
    return [str(expression.value)]


def template(expression: ast.JoinedStr, scope: Scope) -> Texts:
    return joined(texts_of(part, scope) for part in expression.values)


def placeholder(expression: ast.FormattedValue, scope: Scope) -> Texts:
    texts = texts_of(expression.value, scope)
    return quoted(texts) if expression.conversion == ord("r") else texts


def sum_of(expression: ast.BinOp, scope: Scope) -> Texts:
    if not isinstance(expression.op, ast.Add):
        return [UNKNOWN]
    return joined([texts_of(expression.left, scope), texts_of(expression.right, scope)])


def joined(parts: Iterable[Texts]) -> Texts:
    return ["".join(one) for one in product(*parts)]


def quoted(texts: Texts) -> Texts:
    return [text if UNKNOWN in text or text.isdecimal() else repr(text) for text in texts]


def plain(value: Any) -> Texts:
    return [str(value)] if isinstance(value, str | int) else [UNKNOWN]


def taken(expression: ast.Subscript, scope: Scope) -> Texts:
    container = scope.value(expression.value)
    known = container if isinstance(container, dict) else {}
    return [str(known.get(key, UNKNOWN)) for key in texts_of(expression.slice, scope)]


def chosen(expression: ast.IfExp, scope: Scope) -> Texts:
    """Both, but one where it is known which, and none that is nothing beside another."""
    match expression.test:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            if (asked := texts_of(left, scope)) != [UNKNOWN]:
                which = expression.body if asked == ["None"] else expression.orelse
                return texts_of(which, scope)
    both = [*texts_of(expression.body, scope), *texts_of(expression.orelse, scope)]
    return [text for text in both if text not in NOTHING] or [""]


def named(expression: ast.Name, scope: Scope) -> Texts:
    name = expression.id
    if name in scope.given:
        return scope.given[name]
    for function in scope.functions:
        if bound := [text for one in bindings(function, name) for text in bound_by(one, scope)]:
            return list(dict.fromkeys(bound))
    return plain(scope.value(expression))


def attribute(expression: ast.Attribute, scope: Scope) -> Texts:
    return plain(scope.value(expression))


def bindings(function: Function, name: str) -> Iterator[ast.AST]:
    """What gives this name its value in a function."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)]) | ast.For(target=ast.Name(id=bound)):
                found = bound == name
            case ast.ExceptHandler(name=bound):
                found = bound == name
            case _:
                found = False
        if found:
            yield node


def bound_by(node: ast.AST, scope: Scope) -> Texts:
    match node:
        case ast.Assign(value=value) | ast.For(iter=value):
            return texts_of(value, scope)
        case ast.ExceptHandler(type=ast.expr() as kind):
            return refusal(scope.value(kind))
    return [UNKNOWN]


def refusal(error: Any) -> Texts:
    """An error of ours says what its docstring says; others say what nobody knows."""
    ours = isinstance(error, type) and error.__module__.startswith("doc_priority.")
    return [str(getdoc(error))] if ours else [UNKNOWN]


def called(call: ast.Call, scope: Scope) -> Texts:
    match call.func:
        case ast.Attribute(value=ast.Constant(value=str(between)), attr="join"):
            return listed(between, scope.value(call.args[0]))
        case ast.Attribute(value=value, attr=name) if name in UNCHANGED:
            return texts_of(value, scope)
        case ast.Name(id=name) if name in UNCHANGED:
            return texts_of(call.args[0], scope)
        case ast.Name(id="shortened" | "joined"):  # what they show is the portal's
            return [UNKNOWN]
    return answers(call, scope)


def listed(between: str, values: Any) -> Texts:
    known = isinstance(values, dict | list | tuple) and all(isinstance(one, str) for one in values)
    return [between.join(values)] if known else [UNKNOWN]


def answers(call: ast.Call, scope: Scope) -> Texts:
    """What a function of ours returns or yields."""
    function = scope.value(call.func)
    ours = isinstance(function, FunctionType) and function.__module__.startswith("doc_priority.")
    if not ours:
        return [UNKNOWN]
    module = import_module(function.__module__)
    definition = definition_of(module, function.__name__)
    if definition is None or definition in scope.functions:
        return [UNKNOWN]
    within = Scope(module, (definition,), bound_arguments(definition, call, scope))
    found = [text for value in answered(definition) for text in texts_of(value, within)]
    return list(dict.fromkeys(text for text in found if text)) or [UNKNOWN]


def definition_of(module: ModuleType, name: str) -> Function | None:
    functions = (one for one in tree_of(module).body if isinstance(one, Function))
    return next((one for one in functions if one.name == name), None)


def answered(function: Function) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        match node:
            case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
                yield value
            case ast.YieldFrom(value=value):
                yield value


def bound_arguments(function: Function, call: ast.Call, scope: Scope) -> dict[str, Texts]:
    """What the function's arguments come to in this call."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args]
    values = dict(zip((one.arg for one in parameters), call.args, strict=False))
    values |= {one.arg: one.value for one in call.keywords if one.arg is not None}
    bound = {name: texts_of(value, scope) for name, value in values.items()}
    return {**defaults(function, scope), **bound}


def defaults(function: Function, scope: Scope) -> dict[str, Texts]:
    given = function.args
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    own = {one.arg: [UNKNOWN] for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return own | {one.arg: texts_of(value, scope) for one, value in pairs if value is not None}


_READERS: Mapping[type[ast.expr], Callable[[Any, Scope], Texts]] = {
    ast.Attribute: attribute,
    ast.BinOp: sum_of,
    ast.Call: called,
    ast.Constant: constant,
    ast.FormattedValue: placeholder,
    ast.IfExp: chosen,
    ast.JoinedStr: template,
    ast.Name: named,
    ast.Subscript: taken,
}
