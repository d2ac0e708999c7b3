"""What stands in the source and is gone once it runs: signatures as written, texts below values."""

import ast
import inspect
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any


def texts_below(owner: ModuleType | type) -> dict[str, str]:
    """The text that stands below each value, in a module or a class."""
    tree = ast.parse(inspect.getsource(owner))
    body = tree.body[0].body if isinstance(owner, type) else tree.body  # type: ignore[attr-defined]
    return dict(_documented(body))


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)


def paragraphs(text: str | None) -> list[str]:
    """A docstring's paragraphs, each on one line; nothing where there is none."""
    return [" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip()]


def types_of(owner: type) -> dict[str, str]:
    """The types of a class's values, as they are written."""
    definition = ast.parse(inspect.getsource(owner)).body[0]
    return {
        statement.target.id: ast.unparse(statement.annotation)
        for statement in definition.body  # type: ignore[attr-defined]
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def signature(function: Callable[..., Any]) -> str:
    """The function's first lines, with one argument on each where it takes more than two."""
    definition = _definition(function)
    arguments = list(_arguments(definition.args))
    returns = f" -> {ast.unparse(definition.returns)}" if definition.returns else ""
    line = f"{definition.name}({', '.join(arguments)}){returns}"
    if len(line) <= 88:
        return line
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"{definition.name}(\n{lines}){returns}"


def call(function: Callable[..., Any]) -> str:
    """The same in short: names, and what is taken where nothing is given."""
    arguments = _arguments(_definition(function).args, typed=False)
    return f"{function.__name__}({', '.join(arguments)})"


def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    definition = ast.parse(inspect.getsource(function)).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise TypeError(f"{function!r} is not defined with def.")
    return definition


def _arguments(given: ast.arguments, *, typed: bool = True) -> Iterator[str]:
    yield from (_argument(one, None, typed=typed) for one in given.args)
    if given.kwonlyargs:
        yield "*"
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _argument(one, default, typed=typed)


def _argument(argument: ast.arg, default: ast.expr | None, *, typed: bool) -> str:
    shown = ast.unparse(default).replace("'", '"') if default else ""
    if not typed or argument.annotation is None:
        return f"{argument.arg}={shown}" if shown else argument.arg
    typed_name = f"{argument.arg}: {ast.unparse(argument.annotation)}"
    return f"{typed_name} = {shown}" if shown else typed_name
