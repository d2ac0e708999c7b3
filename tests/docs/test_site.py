"""The pages become a site without a warning.

So each one is listed, and every link and picture leads somewhere.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_examples import PAGES, TARGETS
from tests.settings import BASE_DIR

pytestmark = pytest.mark.sqlite

FETCHED = re.compile(
    r"""<(?:link|script|img|iframe|image|use)\b[^>]*\b(?:src|href)=["'](?:https?:)?//[^>]*>"""
    r"""|(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]+"""
)
"""What a browser gets by itself; what a reader follows is no matter."""

OF_DEVELOPERS = ("CONTRIBUTING.md", "benchmarks/README.md")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = f"{sys.executable} -m sphinx --fail-on-warning -q -c docs . {folder}"
    done = subprocess.run(
        command.split(), cwd=BASE_DIR, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = [*PAGES, *(BASE_DIR / name for name in ("CHANGELOG.md", *OF_DEVELOPERS))]
    for page in pages:
        assert (site / page.relative_to(BASE_DIR)).with_suffix(".html").exists()


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.suffix in (".css", ".html", ".svg")]
    assert len(files) > len(PAGES)
    for path in files:
        assert FETCHED.findall(path.read_text("utf-8")) == [], path


@pytest.mark.parametrize("page", OF_DEVELOPERS)
def test_commands_for_developers_name_what_is_there(page: str) -> None:
    commands = re.findall(r"(?m)^    (?=\S)([^#\n]+)", (BASE_DIR / page).read_text("utf-8"))
    assert commands
    for command in commands:
        if target := re.search(r"\bmake ([\w-]+)", command):
            assert target[1] in TARGETS, command
        if module := re.search(r"python -m ([\w.]+)", command):
            path = BASE_DIR / module[1].replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), command
            sources = [*path.glob("*.py"), *path.parent.glob("*.py")]
            code = "".join(source.read_text("utf-8") for source in sources)
            for option in re.findall(r"--[a-z-]+", command):
                assert f'"{option}"' in code, command
        if "pytest " in command:
            for argument in re.findall(r"\btests/[\w./-]+", command):
                assert (BASE_DIR / argument).exists(), command
