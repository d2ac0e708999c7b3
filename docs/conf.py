"""How Sphinx makes a site of these pages: `make docs`, into `build/docs`.

The root of the sources is the repository, so that a relative link leads to the same page here as on
GitHub, also from the documentation to the changelog or the measurements and back.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent

project = "django-doc-priority"
author = "The django-doc-priority authors"
copyright = f"2026 {author}"  # noqa: A001 - what Sphinx calls it
extensions = ["myst_parser"]
include_patterns = [
    "docs/**.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "benchmarks/README.md",
]
exclude_patterns = [".venv", ".tox", "build", "dist"]
root_doc = "docs/index"
source_suffix = {".md": "markdown"}
nitpicky = True
smartquotes = False
"""Options and settings can be copied as they stand."""

myst_heading_anchors = 4
"""Headings down to this level have the anchors that GitHub gives them."""

html_theme = "furo"
html_title = "doc_priority"
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "friendly"
pygments_dark_style = "monokai"

SECTION = re.compile(r"(?m)^## (.+)\n((?:(?!^## )[\s\S])*)")
LINK = re.compile(r"(?m)^\W*\[[^\]]+\]\(([^)#]+)\.md\)")
TOCTREE = "\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n"
START = '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">\n'


def add_toctrees(app: Sphinx, docname: str, source: list[str]) -> None:
    """The sidebar is what the index lists, in its order: rows or items that begin with a link."""
    if docname == root_doc:
        for caption, section in SECTION.findall(source[0]):
            if pages := LINK.findall(section):
                source[0] += TOCTREE.format(caption=caption, pages="\n".join(pages))


def leave_out_of_the_sidebar(app: Sphinx, docname: str, source: list[str]) -> None:
    """The README is for GitHub and the package index; here its links are looked at."""
    if docname == "README":
        source[0] = f"---\norphan: true\n---\n{source[0]}"


def lead_to_the_index(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        Path(app.outdir, "index.html").write_text(START, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_toctrees)
    app.connect("source-read", leave_out_of_the_sidebar)
    app.connect("build-finished", lead_to_the_index)
    return {"parallel_read_safe": True}
