"""What a catalogue says."""

from pathlib import Path
from typing import NamedTuple

from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po


class Message(NamedTuple):
    """What the code says, with its plural if there is one, and what the catalogue says instead."""

    sources: tuple[str, ...]
    translations: tuple[str, ...]
    is_guess: bool = False


def read(path: Path) -> dict[str, Message]:
    """The messages of a `.po` or `.mo` file, by the keys that gettext has for them."""
    with path.open("rb") as file:
        catalog = read_mo(file) if path.suffix == ".mo" else read_po(file)
    found = {}
    for one in catalog:
        sources, translations = (
            (text,) if isinstance(text, str) else tuple(text) for text in (one.id, one.string)
        )
        # From a `.mo` file Babel gives a context as bytes.
        context = one.context.decode() if isinstance(one.context, bytes) else one.context
        key = "\0".join(sources) if context is None else f"{context}\x04{sources[0]}"
        if key:  # The empty one is the header.
            found[key] = Message(sources, translations, one.fuzzy)
    return found
