"""Every link within the repository leads somewhere, and every page can be found."""

import re
from pathlib import Path

import pytest

from tests.docs.links import Link, anchors, fault, links
from tests.docs.pages import DOCS, PAGES, name_of
from tests.docs.reading import MARKDOWN, ROOT

OTHERS = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")
ALL = [*PAGES, *(ROOT / name for name in OTHERS)]
INDEX = DOCS / "index.md"

pytestmark = pytest.mark.sqlite


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_links_lead_somewhere(path):
    for link in links(path):
        told = fault(path, link)
        assert not told, f"{path.relative_to(ROOT)}:{link.line}: {link.target} {told}"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_has_one_title(path):
    tokens = MARKDOWN.parse(path.read_text(encoding="utf-8"))

    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1


def test_the_index_has_every_page():
    listed = {(DOCS / link.target).resolve() for link in links(INDEX)}

    assert {path for path in ALL if path not in listed} == {INDEX, ROOT / "README.md"}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_make_has_every_target_that_is_named(name):
    makefile = Path(ROOT, "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?m)(?:^ *|`|\$ )make ([a-z-]+)", Path(ROOT, name).read_text("utf-8")))

    assert named
    assert named <= set(re.findall(r"(?m)^([a-z-]+):", makefile))


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("# A title\n\n## What's *new*, `x_y`?\n\n## Twice\n\n## Twice\n")
    return path


def test_anchors_are_those_of_github(page):
    assert anchors(page) == {"a-title", "whats-new-x_y", "twice", "twice-1"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("page.md", ""),
        ("page.md#twice-1", ""),
        ("#a-title", ""),
        ("https://example.com/nowhere", ""),
        ("http://127.0.0.1:8000/", ""),
        ("#a-tilte", "leads to no heading"),
        ("page.md#twice-2", "leads to no heading"),
        ("pgae.md", "leads to no file"),
        (".", "leads to no file"),
        ("http://example.com/", "leads over an open line: use https"),
    ],
)
def test_what_is_wrong_with_a_link(page, target, expected):
    assert fault(page, Link(target, 1)) == expected


def test_links_in_tables_lists_and_pictures_are_found(page):
    page.write_text("| a |\n|---|\n| [b](c.md) |\n\n- ![d](e.png)\n\n`[f](g.md)`\n")

    assert [(link.target, link.line) for link in links(page)] == [("c.md", 3), ("e.png", 5)]
