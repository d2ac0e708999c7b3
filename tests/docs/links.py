"""Where the links of a page lead, and which anchors it has, as GitHub makes them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it.token import Token

from tests.docs.reading import MARKDOWN

HERE = ("127.0.0.1", "localhost")
LINKS = {"image": "src", "link_open": "href"}


@dataclass(frozen=True)
class Link:
    target: str
    line: int


def links(path: Path) -> list[Link]:
    return [
        Link(str(part.attrGet(LINKS[part.type])), line)
        for part, line in parts(path)
        if part.type in LINKS
    ]


def parts(path: Path) -> Iterator[tuple[Token, int]]:
    """The parts of all paragraphs, headings and cells, with the line in which theirs begins."""
    for token in MARKDOWN.parse(path.read_text(encoding="utf-8")):
        for part in token.children or ():
            yield part, token.map[0] + 1 if token.map else 0


@cache
def anchors(path: Path) -> frozenset[str]:
    found: list[str] = []
    tokens = MARKDOWN.parse(path.read_text(encoding="utf-8"))
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            found.append(numbered(slug(inline), found))
    return frozenset(found)


def slug(heading: Token) -> str:
    """Lower case, spaces as dashes, and of everything else letters, digits, `_` and `-`."""
    text = "".join(part.content for part in heading.children or () if part.type != "image")
    return re.sub(r"[^\w\- ]", "", text.lower().strip()).replace(" ", "-")


def numbered(name: str, taken: list[str]) -> str:
    """The second heading of a name is `name-1`."""
    number, unique = 0, name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    return unique


def fault(path: Path, link: Link) -> str:
    """What is wrong with the link; empty if nothing is, or if it leads to another site."""
    url = urlsplit(link.target)
    if url.scheme or url.netloc:
        safe = url.scheme in ("https", "mailto") or url.hostname in HERE
        return "" if safe else "leads over an open line: use https"
    target = (path.parent / unquote(url.path)).resolve() if url.path else path
    if not target.is_file():
        return "leads to no file"
    if url.fragment and target.suffix == ".md" and url.fragment not in anchors(target):
        return "leads to no heading"
    return ""
