"""docs/reference/errors.md: every error, what it says, what helps, and its status over REST."""

import ast
import inspect
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

from rest_framework.exceptions import APIException

from doc_priority import exceptions
from doc_priority.api import problems
from doc_priority.exceptions import DocPriorityError
from tests.reference.markdown import code, prose_of, table
from tests.settings import BASE_DIR

PACKAGE = BASE_DIR / "doc_priority"
CONTRIB = PACKAGE / "contrib"


def all_errors() -> list[type[DocPriorityError]]:
    """Those that are raised on purpose, in the order of their module."""
    found = vars(exceptions).values()
    return [one for one in found if isinstance(one, type) and issubclass(one, DocPriorityError)]


def rule(error: type[Exception]) -> str:
    """The first half of what an error says; a semicolon parts it from the remedy."""
    said, _, _ = str(inspect.getdoc(error)).partition(";")
    return said.removesuffix(".")


def remedy(error: type[Exception]) -> str:
    """The other half, its own or that of the errors it is one of."""
    for one in error.__mro__:
        _, _, helps = str(inspect.getdoc(one)).partition("; ")
        if helps and issubclass(one, DocPriorityError):
            return helps.removesuffix(".")
    return ""


def _errors() -> str:
    of_adapters = _names_made(CONTRIB.rglob("*.py")) - _names_made(_outside_contrib())
    return table(
        ["error", "code", "says", "what to do", "over REST"],
        (
            [
                code(error.__name__),
                code(error.code),
                prose_of(rule(error)),
                prose_of(remedy(error)),
                "" if error.__name__ in of_adapters else _status(error),
            ]
            for error in all_errors()
        ),
    )


def _outside_contrib() -> Iterator[Path]:
    return (path for path in PACKAGE.rglob("*.py") if CONTRIB not in path.parents)


def _names_made(paths: Iterator[Path]) -> set[str]:
    """What is called by its name somewhere, as whoever raises an error does."""
    return {
        node.func.id
        for path in paths
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def _status(error: type[DocPriorityError]) -> str:
    for kind, status in problems.STATUSES.items():
        if issubclass(error, kind):
            return _shown(status)
    return ""


def _shown(status: int) -> str:
    return f"{int(status)} {problems.title_of(HTTPStatus(status))}"


def problems_of_rest() -> list[type[APIException]]:
    """What only REST answers, made by this app."""
    return sorted(_below(APIException), key=lambda one: (one.status_code, one.__name__))


def _below(error: type[APIException]) -> Iterator[type[APIException]]:
    """All there are: the addresses, which the page of operations reads, import every module."""
    for one in error.__subclasses__():
        if one.__module__.startswith("doc_priority."):
            yield one
        yield from _below(one)


def _of_rest() -> str:
    return table(
        ["status", "code", "when"],
        (
            [_shown(one.status_code), code(str(one.default_code)), prose_of(_first_line(one))]
            for one in problems_of_rest()
        ),
    )


def _first_line(error: type[Exception]) -> str:
    return str(inspect.getdoc(error)).removesuffix(".")


PARTS = {"errors": _errors, "rest": _of_rest}
