"""What is published: the same bytes whoever builds it, all that belongs into it, nothing else."""

import os
import re
import sys
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from zipfile import ZipFile

import pytest
from readme_renderer.markdown import render

from doc_priority import __version__
from tests.unpacking import unpack
from tests.wheel.building import ELSEWHERE, HERE, Packages, build, copy, move_to
from tests.wheel.declared import extras
from tests.wheel.programs import run
from tests.wheel.trials import untried

# No database is asked; once is enough.
pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).resolve().parents[2]
INFO = f"django_doc_priority-{__version__}.dist-info"
OF_THE_WHEEL = {f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
FOLDERS_OF_THE_SDIST = {
    ".ci",
    "benchmarks",
    "doc_priority",
    "docs",
    "example_project",
    "templates",
    "tests",
}
FILES_OF_THE_SDIST = {
    ".editorconfig",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
    "tox.ini",
}
TESTED_BY_ITSELF = "tests/unit"
"""Needs neither a database nor a server."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy(ROOT, tmp_path_factory.mktemp("here") / "tree")


@pytest.fixture(scope="module")
def packages(tree: Path) -> Packages:
    move_to(HERE, tree)
    return build(tree, tree.parent / "out")


@pytest.fixture
def unpacked(packages: Packages, tmp_path: Path) -> Path:
    """The source distribution, as nobody has touched it yet."""
    return unpack(packages.sdist, tmp_path)


@pytest.fixture(scope="module")
def metadata(packages: Packages) -> Message:
    with ZipFile(packages.wheel) as wheel:
        return BytesParser().parsebytes(wheel.read(f"{INFO}/METADATA"))


def files(tree: Path, *folders: str) -> Iterator[str]:
    for folder in folders:
        for path in Path(tree, folder).rglob("*"):
            if path.is_file():
                yield path.relative_to(tree).as_posix()


def description(metadata: Message) -> str:
    text = metadata.get_payload(decode=True)
    assert isinstance(text, bytes)
    return text.decode()


def test_another_machine_builds_the_same_bytes(
    tree: Path, packages: Packages, tmp_path: Path
) -> None:
    elsewhere = copy(tree, tmp_path / "a-checkout-with-another-name")
    move_to(ELSEWHERE, elsewhere)
    built = build(elsewhere, tmp_path / "out", ELSEWHERE)
    assert built.wheel.read_bytes() == packages.wheel.read_bytes()
    assert built.sdist.read_bytes() == packages.sdist.read_bytes()


def test_the_source_distribution_builds_itself_and_the_wheel_again(
    packages: Packages, unpacked: Path, tmp_path: Path
) -> None:
    built = build(unpacked, tmp_path / "out")
    assert built.wheel.read_bytes() == packages.wheel.read_bytes()
    assert built.sdist.read_bytes() == packages.sdist.read_bytes()


def test_the_wheel_is_the_package_and_nothing_else(tree: Path, packages: Packages) -> None:
    with ZipFile(packages.wheel) as wheel:
        assert set(wheel.namelist()) == {*files(tree, "doc_priority"), *OF_THE_WHEEL}


@pytest.mark.parametrize(
    "pattern",
    [
        "doc_priority/api/openapi/openapi.json",
        "doc_priority/contrib/prometheus/dashboard.json",
        "doc_priority/locale/de/LC_MESSAGES/django.mo",
        "doc_priority/locale/es/LC_MESSAGES/django.mo",
        "doc_priority/locale/pl/LC_MESSAGES/django.mo",
        "doc_priority/locale/pt/LC_MESSAGES/django.mo",
        "doc_priority/migrations/0001_initial.py",
        "doc_priority/py.typed",
        r"doc_priority/static/doc_priority/\w+\.css",
        r"doc_priority/static/doc_priority/\w+\.js",
        r"doc_priority/templates/doc_priority/admin/\w+\.html",
    ],
)
def test_the_wheel_carries_what_is_not_python(packages: Packages, pattern: str) -> None:
    with ZipFile(packages.wheel) as wheel:
        assert any(re.fullmatch(pattern, name) for name in wheel.namelist())


def test_every_file_of_the_wheel_can_be_read_by_everyone(packages: Packages) -> None:
    with ZipFile(packages.wheel) as wheel:
        assert {entry.external_attr >> 16 & 0o777 for entry in wheel.infolist()} == {0o644}


def test_the_source_distribution_has_tests_documentation_and_example(
    tree: Path, unpacked: Path
) -> None:
    expected = {*files(tree, *FOLDERS_OF_THE_SDIST), *FILES_OF_THE_SDIST}
    assert set(files(unpacked, ".")) == expected


def test_the_source_distribution_tests_itself(unpacked: Path) -> None:
    """In a process of its own, which counts no lines: they are not those of this checkout."""
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTED_BY_ITSELF)
    ours = ("COV", "DATABASE_", "HYPOTHESIS_", "PYTEST_", "PYTHONPATH")
    environment = {name: os.environ[name] for name in os.environ if not name.startswith(ours)}
    said = run(*command, folder=unpacked, environment=environment)
    assert re.search(r"\d+ passed", said)


def test_the_metadata_is_complete(metadata: Message) -> None:
    assert metadata["Name"] == "django-doc-priority"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    for field in ("Summary", "Keywords", "Author"):
        assert metadata[field]


def test_without_extras_django_alone_is_required(metadata: Message) -> None:
    required = metadata.get_all("Requires-Dist", [])
    assert [one for one in required if "extra ==" not in one] == ["django>=5.2"]


def test_every_extra_is_offered_and_tried(metadata: Message) -> None:
    assert set(metadata.get_all("Provides-Extra", [])) == extras()
    assert untried() == set()


@pytest.mark.parametrize("file", [".ci/run", "Makefile", "tox.ini"])
def test_the_tests_run_with_every_extra(file: str) -> None:
    text = Path(ROOT, file).read_text(encoding="utf-8")
    found = re.search(r"(?mi)^extras *:?= *(.+)$", text)
    assert found is not None
    assert set(re.split(", *", found[1])) == extras()


def test_the_description_is_readable_away_from_its_neighbours(metadata: Message) -> None:
    """As an index shows it: with no relative link, and no picture that it would not find."""
    assert metadata["Description-Content-Type"] == "text/markdown"
    page = render(description(metadata))
    assert page is not None
    targets = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    assert "docs/images" not in page


def test_files_that_the_description_names_are_in_the_source_distribution(
    metadata: Message, unpacked: Path
) -> None:
    named = re.findall(r"\w \(`([^`]+)`\)", description(metadata))
    assert "CHANGELOG.md" in named
    assert [path for path in named if not Path(unpacked, path).exists()] == []
