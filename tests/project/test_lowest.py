"""Each library is tested at the lowest version that `pyproject.toml` allows."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

# No database is asked; once is enough.
pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).resolve().parents[2]
PINNED = (ROOT / ".ci" / "lowest.txt").read_text(encoding="utf-8").splitlines()


def test_the_lowest_versions_are_those_the_package_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = chain.from_iterable(project["optional-dependencies"].values())
    allowed = {
        re.sub(r"(\[.*\])?>=", "==", requirement)
        for requirement in (*project["dependencies"], *extras)
        if not requirement.startswith("django-doc-priority")
    }
    assert sorted(PINNED) == sorted(allowed)


@pytest.mark.parametrize("library", PINNED)
def test_the_documentation_names_them(library: str):
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    assert re.search(rf" {re.escape(library.replace('==', ' '))}(,| \|)", page)
