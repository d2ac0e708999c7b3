"""The pages import what `docs/compatibility.md` promises to keep, and nothing else."""

import ast
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.test_examples import DOCS, PAGES, name_of

pytestmark = pytest.mark.sqlite


def public_names() -> dict[str, set[str]]:
    """Of each module in the table of the page, what may be imported from it."""
    text = (DOCS / "compatibility.md").read_text("utf-8")
    table = text.partition("## What is public")[2].partition("Everything else")[0]
    public: dict[str, set[str]] = {}
    for row in table.splitlines():
        words = set(re.findall(r"`(\w[\w.]*)`", row))
        for name in {word.removesuffix(".__all__") for word in words}:
            if not name.startswith("doc_priority.") or find_spec(name) is None:
                continue
            module = import_module(name)
            if "__all__" in row and hasattr(module, "__all__"):
                public[name] = set(module.__all__)
            elif "the classes of" in row:
                public[name] = {key for key, value in vars(module).items() if type(value) is type}
            else:
                public[name] = {word for word in words if hasattr(module, word)}
    return public


PUBLIC = public_names()


def test_every_name_of_the_table_is_there() -> None:
    text = (DOCS / "compatibility.md").read_text("utf-8")
    for names, name in re.findall(r"(?:\| |, )((?:`\w+`(?:, | and )?)+) in `(doc_[\w.]+)`", text):
        for word in re.findall(r"`(\w+)`", names):
            assert hasattr(import_module(name), word), f"{name}.{word}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_imports_public_names_only(page: Path) -> None:
    for code in re.findall(r"(?ms)^ *```python\n(.*?)^ *```$", page.read_text("utf-8")):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                imported = [alias.name.rpartition(".")[::2] for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                imported = [(node.module or "", alias.name) for alias in node.names]
            else:
                continue
            for module, name in imported:
                if module.partition(".")[0] == "doc_priority":
                    public = f"{module}.{name}" in PUBLIC or name in PUBLIC.get(module, ())
                    assert public, f"{module}.{name} is not public"
