"""The pages become a site without a warning, which fetches nothing from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES
from tests.docs.reading import ROOT

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.skipif(find_spec("sphinx") is None, reason="sphinx is not installed"),
]

ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
IN_STYLES = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
FETCHING = ("src", "srcset", "data", "poster", "action")


class Fetched(HTMLParser):
    """Collects what a browser fetches for a page; links are only followed by readers."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tag = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        fetching = FETCHING if tag in ("a", "base") else (*FETCHING, "href", "xlink:href")
        for name, value in attributes:
            if name in fetching and value:
                self.addresses.append(value)
            if name == "style" and value:
                self.addresses += IN_STYLES.findall(value)

    def handle_data(self, data: str) -> None:
        if self.tag == "style":
            self.addresses += IN_STYLES.findall(data)


def fetched_from_elsewhere(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        return IN_STYLES.findall(text)
    parser = Fetched()
    parser.feed(text)
    return list(filter(ELSEWHERE.match, parser.addresses))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = ["--fail-on-warning", "-q", "-c", DOCS, "-d", folder / "trees", ROOT, folder / "html"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_page_is_there(site):
    for path in PAGES:
        if path.is_relative_to(DOCS):
            assert Path(site, path.relative_to(ROOT)).with_suffix(".html").exists()
    for name in ("index", "CHANGELOG", "CONTRIBUTING", "benchmarks/README"):
        assert Path(site, f"{name}.html").exists()


def test_the_sidebar_has_every_page(site):
    front = Path(site, "docs", "index.html").read_text(encoding="utf-8")
    sidebar = front.partition('class="sidebar-tree"')[2].partition("</aside>")[0]

    for kind in ("Tutorial", "How-to guides", "Reference", "Explanation"):
        assert f'<span class="caption-text">{kind}</span>' in sidebar
    assert 'href="../CHANGELOG.html"' in sidebar


def test_nothing_is_fetched_from_elsewhere(site):
    files = [path for path in site.rglob("*") if path.suffix in (".css", ".html", ".svg")]

    assert len(files) > len(PAGES)
    assert {path.name: found for path in files if (found := fetched_from_elsewhere(path))} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<link rel="stylesheet" href="https://fonts.example/x.css">'),
        ("a.html", '<script src="//cdn.example/x.js"></script>'),
        ("a.html", '<p style="background: url(https://example.com/x.png)">'),
        ("a.html", "<style>@import '//example.com/x.css'</style>"),
        ("a.css", '@import "https://example.com/x.css";'),
        ("a.css", "src: url( 'http://example.com/x.woff2' )"),
        ("a.svg", '<image xlink:href="https://example.com/x.png"/>'),
    ],
)
def test_what_is_fetched_from_elsewhere_is_found(tmp_path, name, text):
    Path(tmp_path, name).write_text(text)

    assert len(fetched_from_elsewhere(Path(tmp_path, name))) == 1


def test_links_and_own_files_are_no_fetching(tmp_path):
    page = tmp_path / "a.html"
    page.write_text('<a href="https://example.com/">x</a><img src="../x.png"><use href="#y">')

    assert fetched_from_elsewhere(page) == []
