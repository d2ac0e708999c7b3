"""A language in which every message is itself between two marks: what stands outside is not marked.

It goes by the code of a language that Django knows and has no formats of its own for.
"""

import re
import struct
from collections.abc import Container, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from tests.project.catalogues import read_compiled

CODE = "ia"
START, END = "⟦", "⟧"

SHOWN = frozenset({"alt", "aria-label", "aria-description", "data-label", "placeholder", "title"})
"""Attributes that somebody reads or hears."""

BUTTONS = frozenset({"button", "reset", "submit"})
SKIPPED = frozenset({"code", "pre", "script", "style", "textarea"})
"""Elements whose text is for programs, or was typed by somebody."""

VOID = frozenset(
    ["br", "circle", "hr", "img", "input", "line", "link", "meta", "path", "rect", "use"]
)

TOLD_LATER = frozenset(
    {
        "data-back",
        "data-changed",
        "data-gone",
        "data-lost",
        "data-pause",
        "data-refused",
        "data-resume",
        "data-sign-in",
        "data-signed-out",
    }
)
"""What the script of the live pages says."""

HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n != 1;\n"

_LETTERS = re.compile(r"[^\W\d_]{2,}")


def said_by(models: Iterable[Path], *, alike: Container[str]) -> set[str]:
    """The messages that these say in other words than English, or in one that is `alike`.

    As Django does it, of a message that is in several the first counts.
    """
    translations: dict[str, str] = {}
    for model in models:
        translations = read_compiled(model) | translations
    return {
        key
        for key, text in translations.items()
        if text and (text.strip() != _source(key) or text in alike)
    }


def write_catalogue(folder: Path, messages: Iterable[str]) -> None:
    """A compiled catalogue of these messages, below `folder` as Django looks for it."""
    marked = {key: _marked(key) for key in messages} | {"": HEADER}
    path = folder / CODE / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(_compiled(marked))


def unmarked(page: str) -> list[str]:
    """What a page shows with letters in it, outside of all messages."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return [text for text in reader.outside if _LETTERS.search(text)]


def outside(text: str, depth: int = 0) -> tuple[str, int]:
    """The text without what stands between marks, and how many are still open at its end."""
    kept = []
    for character in text:
        depth += (character == START) - (character == END)
        if depth == 0 and character != END:
            kept.append(character)
    return "".join(kept), depth


def _marked(key: str) -> str:
    return "\0".join(f"{START}{source}{END}" for source in _source(key).split("\0"))


def _source(key: str) -> str:
    """The message without its context."""
    return key.rpartition("\x04")[2]


def _compiled(messages: dict[str, str]) -> bytes:
    """As gettext's `.mo` files have it: a table of keys, one of translations, and the texts."""
    texts = [*sorted(messages), *(messages[key] for key in sorted(messages))]
    start = 28 + 8 * len(texts)
    tables, data = b"", b""
    for text in texts:
        encoded = text.encode()
        tables += struct.pack("<2I", len(encoded), start + len(data))
        data += encoded + b"\0"
    count = len(messages)
    return struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0) + tables + data


class _Reader(HTMLParser):
    """Gathers what is outside of the marks; a message may have elements in it."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self._depth = 0
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        for value in _shown(tag, attributes):
            self.outside.append(outside(value)[0])
        # What is written in a language of its own says so.
        foreign = tag != "html" and "lang" in attributes
        if (self._skipped or foreign or tag in SKIPPED) and tag not in VOID:
            self._skipped.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipped and tag == self._skipped[-1]:
            self._skipped.pop()

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            text, self._depth = outside(data, self._depth)
            self.outside.append(" ".join(text.split()))


def _shown(tag: str, attributes: dict[str, str]) -> Iterator[str]:
    yield from (value for name, value in attributes.items() if name in SHOWN)
    if tag == "input" and attributes.get("type") in BUTTONS:
        yield attributes.get("value", "")
    if "dp-polling" in attributes.get("class", ""):
        yield from (value for name, value in attributes.items() if name in TOLD_LATER)
