"""What a catalogue says, read without gettext."""

import ast
import re
import struct
from pathlib import Path
from typing import NamedTuple

_FIELD = re.compile(r'^(msg\w+)(?:\[\d+\])?((?:\s*"(?:[^"\\]|\\.)*")+)', re.MULTILINE)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_FLAGS = re.compile(r"^#, (.*)$", re.MULTILINE)
_PLURAL_FORMS = re.compile(r"^Plural-Forms: nplurals=(\d+);", re.MULTILINE)
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-z%]|\{\w*\}")


class Message(NamedTuple):
    """One message: what the code says, what the catalogue says instead, and its marks."""

    sources: tuple[str, ...]
    translations: tuple[str, ...]
    flags: frozenset[str]
    context: str | None

    @property
    def key(self) -> str:
        """How a compiled catalogue names it."""
        context = "" if self.context is None else f"{self.context}\x04"
        return context + "\0".join(self.sources)


Catalogue = dict[str, Message]


def read(path: Path) -> Catalogue:
    """The messages of a `.po` file by their keys; the one with the empty key is the header."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    messages = [_message(block) for block in blocks if _FIELD.search(block)]
    assert len({message.key for message in messages}) == len(messages), f"{path}: a message twice"
    return {message.key: message for message in messages}


def read_compiled(path: Path) -> dict[str, str]:
    """What a `.mo` file has for each key; plural forms are joined by NUL."""
    data = path.read_bytes()
    order = "<" if data.startswith(b"\xde\x12\x04\x95") else ">"
    count, keys, translations = struct.unpack_from(f"{order}3I", data, 8)

    def text(table: int, number: int) -> str:
        length, start = struct.unpack_from(f"{order}2I", data, table + 8 * number)
        return data[start : start + length].decode()

    return {text(keys, number): text(translations, number) for number in range(count)}


def plural_forms(catalogue: Catalogue) -> int:
    (header,) = catalogue[""].translations
    found = _PLURAL_FORMS.search(header)
    assert found is not None, "The header has no Plural-Forms"
    return int(found[1])


def placeholders(text: str) -> list[str]:
    return sorted(_PLACEHOLDER.findall(text))


def _message(block: str) -> Message:
    fields = [(name, _text(quoted)) for name, quoted in _FIELD.findall(block)]
    return Message(
        sources=tuple(text for name, text in fields if name in ("msgid", "msgid_plural")),
        translations=tuple(text for name, text in fields if name == "msgstr"),
        flags=frozenset(flag for line in _FLAGS.findall(block) for flag in line.split(", ")),
        context=next((text for name, text in fields if name == "msgctxt"), None),
    )


def _text(quoted: str) -> str:
    return "".join(ast.literal_eval(part) for part in _QUOTED.findall(quoted))
