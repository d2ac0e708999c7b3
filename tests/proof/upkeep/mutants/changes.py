"""Which small bugs a module can have."""

import ast
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.proof.upkeep.mutants.sql_changes import SQL, replacements

Pairs = dict[type[ast.AST], tuple[str, str, type[Any]]]

COMPARED: Pairs = {
    ast.Lt: ("<", "<=", ast.LtE),
    ast.LtE: ("<=", "<", ast.Lt),
    ast.Gt: (">", ">=", ast.GtE),
    ast.GtE: (">=", ">", ast.Gt),
    ast.Eq: ("==", "!=", ast.NotEq),
    ast.NotEq: ("!=", "==", ast.Eq),
    ast.Is: ("is", "is not", ast.IsNot),
    ast.IsNot: ("is not", "is", ast.Is),
    ast.In: ("in", "not in", ast.NotIn),
    ast.NotIn: ("not in", "in", ast.In),
}
RECKONED: Pairs = {
    ast.Add: ("+", "-", ast.Sub),
    ast.Sub: ("-", "+", ast.Add),
    ast.Mult: ("*", "//", ast.FloorDiv),
    ast.Div: ("/", "*", ast.Mult),
    ast.FloorDiv: ("//", "*", ast.Mult),
    ast.Pow: ("**", "*", ast.Mult),
    ast.RShift: (">>", "<<", ast.LShift),
    ast.BitAnd: ("&", "|", ast.BitOr),
}
JOINED: Pairs = {ast.And: ("and", "or", ast.Or), ast.Or: ("or", "and", ast.And)}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}

ABOUT_SPEED = frozenset({"lru_cache"})
"""Decorators that change nothing else."""

ABOUT_TYPES = frozenset({"ParamSpec", "TypeVar", "cast"})


class Change(NamedTuple):
    """A bug: where it is, what is written instead of what, and how to put it into the tree."""

    line: int
    told: str
    make: Callable[[], None]


def changes(tree: ast.Module) -> list[Change]:
    """Each single one, always in the same order; the tree is changed when one is made."""
    return list(_within(tree))


def _within(node: ast.AST) -> Iterator[Change]:
    yield from _of(node)
    if not isinstance(node, ast.JoinedStr):
        for child in _looked_at(node):
            yield from _within(child)


def _looked_at(node: ast.AST) -> Iterator[ast.AST]:
    """What runs: no annotations, no words about types, nothing that is about speed alone."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_out(child):
                yield child


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "P")]):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in ABOUT_SPEED | ABOUT_TYPES
    return False


def _of(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.stmt():
            yield from _of_statement(node)
        case ast.Constant():
            yield from _constant(node)
        case ast.JoinedStr():
            yield from _joined_text(node)
        case ast.Compare():
            yield from _compared(node)
        case ast.expr():
            yield from _of_expression(node)


def _of_statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.AugAssign(op=op) if type(op) in RECKONED:
            yield _swapped(node, RECKONED)
        case ast.If():
            yield _negated(node)
        # Instead of False or True it would be as good, or the same as the other one.
        case ast.Return(value=ast.expr()) if not _is_singleton(node.value):
            yield _set(node, "value", ast.Constant(None), "return None")
        case ast.Expr(value=ast.Call()):
            yield _set(node, "value", ast.Constant(None), "left out")


def _of_expression(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.BinOp(op=op) if type(op) in RECKONED:
            yield _swapped(node, RECKONED)
        case ast.BoolOp():
            yield _swapped(node, JOINED)
        case ast.UnaryOp(op=ast.USub()):
            yield _set(node, "op", ast.UAdd(), "without the minus")
        case ast.IfExp():
            yield _negated(node)
        case ast.Call(func=ast.Name(id=name)) if name in CALLED:
            yield _set(node.func, "id", CALLED[name], CALLED[name], of=node)


def _negated(node: ast.If | ast.IfExp) -> Change:
    negated = ast.UnaryOp(ast.Not(), node.test)
    line, text = node.test.lineno, _text(node.test)
    return Change(line, f"if {text}: if not", lambda: setattr(node, "test", negated))


def _is_singleton(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _compared(node: ast.Compare) -> Iterator[Change]:
    for place, op in enumerate(node.ops):
        sign, instead, kind = COMPARED[type(op)]

        def make(place: int = place, kind: type[Any] = kind) -> None:
            node.ops[place] = kind()

        yield Change(node.lineno, f"{_text(node)}: {sign} -> {instead}", make)


def _swapped(node: Any, pairs: Pairs) -> Change:
    sign, instead, kind = pairs[type(node.op)]
    return _set(node, "op", kind(), f"{sign} -> {instead}")


def _set(node: Any, field: str, value: Any, told: str, *, of: ast.expr | None = None) -> Change:
    shown = of or node
    return Change(shown.lineno, f"{_text(shown)}: {told}", lambda: setattr(node, field, value))


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:100]


def _constant(node: ast.Constant) -> Iterator[Change]:
    value: Any = node.value
    if isinstance(value, bool):
        yield _set(node, "value", not value, f"-> {not value}")
    elif isinstance(value, int):
        yield _set(node, "value", value + 1, f"-> {value + 1}")
    elif isinstance(value, float):
        yield _set(node, "value", value * 2, f"-> {value * 2}")
    elif isinstance(value, str):
        yield from _of_text(node) if SQL.search(value) else _of_name(node)


def _of_name(node: ast.Constant) -> Iterator[Change]:
    """Of a text that programs read; words for people are not wrong because they are others."""
    if " " not in str(node.value):
        yield _set(node, "value", f"XX{node.value}", f"-> 'XX{node.value}'")


def _joined_text(node: ast.JoinedStr) -> Iterator[Change]:
    """Of what stands between the values and, unless it is SQL, of the values."""
    parts = [part for part in node.values if isinstance(part, ast.Constant)]
    is_sql = SQL.search(" ".join(str(part.value) for part in parts))
    line = node.lineno
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            yield from _within(part.value)
        elif isinstance(part, ast.Constant) and is_sql:
            yield from _of_text(part, line=line)
        if isinstance(part, ast.Constant):
            line += str(part.value).count("\n")


def _of_text(node: ast.Constant, *, line: int | None = None) -> Iterator[Change]:
    text = str(node.value)
    first = node.lineno if line is None else line
    for one in replacements(text):
        told = f"{_around(text, one.start, one.end)}: {text[one.start : one.end]} -> {one.by}"

        def make(changed: str = one.done(text)) -> None:
            node.value = changed

        yield Change(first + text.count("\n", 0, one.start), told, make)


def _around(text: str, start: int, end: int) -> str:
    return " ".join(text[max(0, start - 20) : end + 20].split())
