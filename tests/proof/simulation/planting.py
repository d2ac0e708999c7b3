"""How a bug is put into doc_priority for a while: other words in a statement or a function."""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, cast
from unittest.mock import patch

from django.db import connection

from doc_priority.counters import postgresql_function, sqlite
from tests.proof.simulation import live_statement

Plant = Callable[[], AbstractContextManager[None]]


def in_function(function: Callable[..., Any], old: str, new: str) -> Plant:
    """Wherever it was imported to already, too: the function stays, and gets another body."""
    return partial(_other_body, cast("FunctionType", inspect.unwrap(function)), old, new)


def in_statement(module: ModuleType, name: str, old: str, new: str) -> Plant:
    return partial(_other_text, module, name, old, new)


def in_body(old: str, new: str) -> Plant:
    """In the function that counts on PostgreSQL."""
    return partial(_other_installed_body, old, new)


@contextmanager
def _other_body(function: FunctionType, old: str, new: str) -> Iterator[None]:
    code = function.__code__
    source = _replaced(textwrap.dedent(inspect.getsource(function)), old, new)
    names = dict(function.__globals__)
    exec(compile(source, code.co_filename, "exec", dont_inherit=True), names)  # noqa: S102
    function.__code__ = inspect.unwrap(names[function.__name__]).__code__
    try:
        with _written_anew():
            yield
    finally:
        function.__code__ = code


@contextmanager
def _other_text(module: ModuleType, name: str, old: str, new: str) -> Iterator[None]:
    text = _replaced(getattr(module, name), old, new)
    with patch.object(module, name, text), _written_anew():
        yield


@contextmanager
def _other_installed_body(old: str, new: str) -> Iterator[None]:
    with _other_text(postgresql_function, "_BODY", old, new):
        postgresql_function.install(connection)
        try:
            yield
        finally:
            postgresql_function.remove(connection)
    postgresql_function.install(connection)


@contextmanager
def _written_anew() -> Iterator[None]:
    """Statements that were put together before are forgotten, now and afterwards."""
    _forget_statements()
    try:
        yield
    finally:
        _forget_statements()


def _forget_statements() -> None:
    sqlite._statements.cache_clear()
    live_statement.written.cache_clear()


def _replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        raise LookupError(f"A bug cannot be planted, for {old!r} is no longer in the code.")
    return text.replace(old, new)
