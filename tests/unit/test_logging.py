"""Every line that the app logs can be told apart by a program."""

import ast
from collections.abc import Iterator
from pathlib import Path

import doc_priority

PACKAGE = Path(doc_priority.__file__).parent
METHODS = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                if isinstance(owner, ast.Name) and owner.id == "logger":
                    yield path, node


def test_every_line_has_an_action() -> None:
    found = [(path, call) for path, call in calls() if call.func.attr in METHODS]
    assert found
    for path, call in found:
        (extra,) = (one.value for one in call.keywords if one.arg == "extra")
        assert isinstance(extra, ast.Dict), path
        assert "action" in [key.value for key in extra.keys if isinstance(key, ast.Constant)], path


def test_all_of_them_go_to_one_logger() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.count("getLogger(") == text.count('getLogger("doc_priority")'), path
