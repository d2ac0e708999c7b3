"""Literal texts in modules that speak to people, wherever in the code they stand.

A list of calls that show something is never whole. So in these modules any text that looks like
words must be translated, unless it is for programs. What doc_priority says to developers (api,
contrib, management, checks) is English by decision: titles and explanations of the API are
translated where they are made, its details are not.
"""

import ast
import re
from collections.abc import Iterator

from tests.project.unmarked import Found

TRANSLATED_BY = re.compile(r"^(?:_|n?p?gettext(?:_lazy|_noop)?|djangos)$")
FOR_PROGRAMMERS = re.compile(r"(?<!Validation)Error$|^BadRequest$")
"""Django's page for a bad request does not show what the log is told."""
LOGGED = frozenset({"critical", "debug", "error", "exception", "info", "log", "warning"})

_WORDS = re.compile(r"[^\W\d_]{2,}[^\w\s]* +[^\W\d_]")
_A_WORD = re.compile(r"^[A-ZÀ-Ý][a-zß-ÿ]+[.!?:…]?$")
_TAGS = re.compile(r"<[^>]*>|\{[^}]*\}")
"""Elements and places of format strings: what stands between them counts."""


def texts(source: str) -> Iterator[Found]:
    """Words for readers that nothing translates; in the order of the code."""
    yield from _of(ast.parse(source))


def _of(node: ast.AST) -> Iterator[Found]:
    for child in _spoken_parts(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            if _is_said(child.value):
                yield Found(child.lineno, child.value)
        elif not (_is_docstring(child) or _is_for_programs(child)):
            yield from _of(child)


def _spoken_parts(node: ast.AST) -> Iterator[ast.AST]:
    """All but annotations, which may be texts and are read by type checkers alone."""
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            found = value if isinstance(value, list) else [value]
            yield from (one for one in found if isinstance(one, ast.AST))


def _is_said(text: str) -> bool:
    shown = " ".join(_TAGS.sub(" ", text).split())
    return bool(_WORDS.search(shown) or _A_WORD.match(shown))


def _is_docstring(node: ast.AST) -> bool:
    """A text that stands alone is a docstring, of a module, a class, a function or a name."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_programs(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="logger"), attr=name)):
            return name in LOGGED
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return bool(TRANSLATED_BY.match(name) or FOR_PROGRAMMERS.search(name))
    return False
