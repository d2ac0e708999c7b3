"""A page of the documentation: its blocks of code, each with what the comments before it say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
MARKDOWN = MarkdownIt("commonmark").enable("table")
COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)

OF_BLOCKS = {"append": True, "background": False, "fails": False, "file": True, "shown": True}
"""How the comment before a block may begin, and whether a colon and something must follow."""

OF_PAGES = {"empty folder": False, "needs": True}
"""The same for comments before the first block, which are about the whole page."""


GENERATED = ("end", "generated")
"""Where what is written from the code begins and ends."""


class PageError(AssertionError):
    """Something on a page cannot be run or is not true."""


class Comment(NamedTuple):
    line: int
    text: str

    @property
    def name(self) -> str:
        return self.text.partition(":")[0].strip()

    @property
    def value(self) -> str:
        return self.text.partition(":")[2].strip()


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int
    marks: dict[str, str]


@dataclass(frozen=True)
class Page:
    path: Path
    blocks: tuple[Block, ...]
    marks: dict[str, str]

    def error(self, line: int, message: str) -> PageError:
        return page_error(self.path, line, message)


def page_error(path: Path, line: int, message: str) -> PageError:
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    return PageError(f"{name}:{line}: {message}")


def read(path: Path) -> Page:
    tokens = MARKDOWN.parse(path.read_text(encoding="utf-8"))
    return Page(path, tuple(blocks(path, tokens)), marks(path, of_the_page(tokens), OF_PAGES))


def blocks(path: Path, tokens: list[Token]) -> Iterator[Block]:
    waiting: list[Comment] = []
    for token in [*tokens, Token("end", "", 0)]:
        if token.type == "html_block":
            waiting += comments(token)
            continue
        if token.type == "fence":
            yield block(path, token, waiting)
        else:
            refuse_lost(path, waiting)
        if token.type == "code_block":
            raise page_error(path, first_line(token), "Indented code: put it between ``` lines")
        waiting = []


def block(path: Path, token: Token, before: list[Comment]) -> Block:
    others = (*OF_PAGES, *GENERATED)
    about_it = [comment for comment in before if comment.name not in others]
    return Block(
        token.info.strip(), token.content, first_line(token), marks(path, about_it, OF_BLOCKS)
    )


def marks(path: Path, of_it: list[Comment], known: dict[str, bool]) -> dict[str, str]:
    for comment in of_it:
        if comment.name not in known:
            raise page_error(path, comment.line, f"{comment.text!r} is none of {sorted(known)}")
        if bool(comment.value) != known[comment.name]:
            wanted = "more after a colon" if known[comment.name] else "nothing after it"
            raise page_error(path, comment.line, f"{comment.name!r} takes {wanted}")
    return {comment.name: comment.value for comment in of_it}


def refuse_lost(path: Path, waiting: list[Comment]) -> None:
    for comment in waiting:
        if comment.name in OF_BLOCKS:
            raise page_error(path, comment.line, f"No block comes after {comment.text!r}")


def of_the_page(tokens: list[Token]) -> list[Comment]:
    found = []
    for token in tokens:
        if token.type == "fence":
            break
        if token.type == "html_block":
            found += [comment for comment in comments(token) if comment.name in OF_PAGES]
    return found


def comments(token: Token) -> list[Comment]:
    return [Comment(first_line(token), text) for text in COMMENT.findall(token.content)]


def first_line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0
