"""The pages import what `docs/compatibility.md` promises to keep, and become a site.

It is made without a warning, so each page is listed, and every link and picture leads somewhere.
"""

import ast
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.test_examples import DOCS, PAGES, TARGETS
from tests.settings import BASE_DIR

pytestmark = pytest.mark.sqlite

OF_DEVELOPERS = ("CONTRIBUTING.md", "benchmarks/README.md")


def test_every_name_of_the_table_is_there() -> None:
    text = (DOCS / "compatibility.md").read_text("utf-8")
    for names, name in re.findall(r"(?:\| |, )((?:`\w+`(?:, | and )?)+) in `(doc_[\w.]+)`", text):
        for word in re.findall(r"`(\w+)`", names):
            assert hasattr(import_module(name), word), f"{name}.{word}"


def test_pages_import_public_names_only() -> None:
    text = (DOCS / "compatibility.md").read_text("utf-8")
    table = text.partition("## What is public")[2].partition("Everything else")[0]
    public: set[str] = set()
    for row in table.splitlines():
        words = set(re.findall(r"`(\w[\w.]*)`", row))
        for name in {word.removesuffix(".__all__") for word in words}:
            if not name.startswith("doc_priority.") or find_spec(name) is None:
                continue
            module = import_module(name)
            if "__all__" in row and hasattr(module, "__all__"):
                offered = set(module.__all__)
            elif "the classes of" in row:
                offered = {key for key, value in vars(module).items() if type(value) is type}
            else:
                offered = {word for word in words if hasattr(module, word)}
            public |= {name, *(f"{name}.{word}" for word in offered)}

    for page in PAGES:
        for code in re.findall(r"(?ms)^ *```python\n(.*?)^ *```$", page.read_text("utf-8")):
            imported: list[str] = []
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.Import):
                    imported += [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    imported += [f"{node.module}.{alias.name}" for alias in node.names]
            ours = {name for name in imported if name.partition(".")[0] == "doc_priority"}
            assert ours <= public, f"{page}: {ours - public} are not public"


def test_every_page_is_there_and_fetches_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = f"{sys.executable} -m sphinx --fail-on-warning -q -c docs . {tmp_path}"
    done = subprocess.run(
        command.split(), cwd=BASE_DIR, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    pages = [*PAGES, *(BASE_DIR / name for name in ("CHANGELOG.md", *OF_DEVELOPERS))]
    for page in pages:
        assert (tmp_path / page.relative_to(BASE_DIR)).with_suffix(".html").exists()
    # What a browser gets by itself; what a reader follows is no matter.
    fetched = re.compile(
        r"""<(?:link|script|img|iframe|image|use)\b[^>]*\b(?:src|href)=["'](?:https?:)?//[^>]*>"""
        r"""|(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]+"""
    )
    files = [path for path in tmp_path.rglob("*") if path.suffix in (".css", ".html", ".svg")]
    assert len(files) > len(PAGES)
    for path in files:
        assert fetched.findall(path.read_text("utf-8")) == [], path


@pytest.mark.parametrize("page", OF_DEVELOPERS)
def test_commands_for_developers_name_what_is_there(page: str) -> None:
    commands = re.findall(r"(?m)^    (?=\S)([^#\n]+)", (BASE_DIR / page).read_text("utf-8"))
    assert commands
    for command in commands:
        if target := re.search(r"\bmake ([\w-]+)", command):
            assert target[1] in TARGETS, command
        if module := re.search(r"python -m (?!pip )([\w.]+)", command):
            path = BASE_DIR / module[1].replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), command
            sources = [*path.glob("*.py"), *path.parent.glob("*.py")]
            code = "".join(source.read_text("utf-8") for source in sources)
            for option in re.findall(r"--[a-z-]+", command):
                assert f'"{option}"' in code, command
        if "pytest " in command:
            for argument in re.findall(r"\btests/[\w./-]+", command):
                assert (BASE_DIR / argument).exists(), command
