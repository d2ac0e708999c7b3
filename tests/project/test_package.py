"""What is published carries all that it needs, and says what that is."""

import re
import subprocess
import sys
import tarfile
import tomllib
from email import message_from_bytes
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest
from readme_renderer.markdown import render

from tests.settings import BASE_DIR

pytestmark = pytest.mark.sqlite

PROJECT = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]


def test_what_is_published_has_all_it_needs_and_says_what_that_is(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=BASE_DIR, check=True, capture_output=True)
    with ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        (path,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(wheel.read(path))
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as source:
        published = {name.partition("/")[2] for name in source.getnames()}

    # The wheel is the package and nothing else.
    files = {name for name in names if ".dist-info/" not in name}
    here = [path for path in BASE_DIR.joinpath("doc_priority").rglob("*.*") if path.is_file()]
    assert files == {str(path.relative_to(BASE_DIR)) for path in here if path.suffix != ".pyc"}
    for needed in (
        "api/openapi/openapi.json",
        "contrib/prometheus/dashboard.json",
        *(f"locale/{language}/LC_MESSAGES/django.mo" for language in ("de", "es", "pl", "pt")),
        "migrations/0001_initial.py",
        "py.typed",
        "static/doc_priority/live.js",
        "templates/doc_priority/admin/dashboard.html",
    ):
        assert f"doc_priority/{needed}" in files

    # Without extras only Django is required.
    required = [one for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert required == PROJECT["dependencies"] == ["django>=5.2"]

    # The description has no link or picture of its neighbours; a file it names instead comes with
    # the source distribution.
    text = metadata.get_payload(decode=True).decode()
    targets = re.findall(r'(?:href|src)="([^"]*)"', render(text))
    assert [one for one in targets if not one.startswith(("https://", "#"))] == []
    named = {*re.findall(r"\w \(`([^`]+)`\)", text), "tests/conftest.py", "docs/index.md"}
    assert named <= published


def test_the_tests_run_with_every_extra_and_with_the_lowest_versions() -> None:
    extras = PROJECT["optional-dependencies"]
    for file in ("Makefile", "tox.ini"):
        found = re.search(r"(?mi)^extras *:?= *(.+)$", (BASE_DIR / file).read_text("utf-8"))
        assert set(re.split(", *", found[1])) == set(extras), file

    needed = [*PROJECT["dependencies"], *chain.from_iterable(extras.values())]
    lowest = {re.sub(r"(\[.*\])?>=", "==", one) for one in needed if "django-doc" not in one}
    assert set((BASE_DIR / ".ci" / "lowest.txt").read_text("utf-8").split()) == lowest
    compatibility = (BASE_DIR / "docs" / "compatibility.md").read_text("utf-8")
    for library in lowest:
        assert re.search(rf" {re.escape(library.replace('==', ' '))}(,| \|)", compatibility)
