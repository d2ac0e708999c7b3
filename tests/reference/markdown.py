"""Markdown as GitHub and the site read it alike."""

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"[\\*<>|]|(?<!\w)_|_(?!\w)|\](?=\()")


def code(text: str) -> str:
    return f"`{text}`"


def prose(text: str) -> str:
    """Plain text, with nothing in it that Markdown would take for its own."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def prose_of(text: str) -> str:
    """A docstring's text: what stands between backticks is code already."""
    parts = text.split("`")
    return "`".join(part if place % 2 else prose(part) for place, part in enumerate(parts))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def sections(*texts: str) -> str:
    return "\n\n".join(text.strip() for text in texts if text.strip())


def fenced(text: str) -> str:
    return f"```text\n{text}\n```"


def anchor(heading: str) -> str:
    """Where a heading can be linked to."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _cell(text: str) -> str:
    """One line; a bar within code ends a cell too, unless it is escaped."""
    return re.sub(r"(?<!\\)\|", r"\|", " ".join(text.split()))
