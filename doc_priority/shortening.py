"""How a message shows a value or a list that may be long: what is left out is said."""

from collections.abc import Iterable


def shortened(value: object, length: int = 200) -> str:
    """The value as Python writes it; a long one ends after a whole word, with "…"."""
    text = repr(value)
    if len(text) <= length:
        return text
    cut = text[: length + 1]
    words = cut.rpartition(" ")[0]
    # A word that takes half of it or more is cut all the same.
    kept = (words if len(words) > length // 2 else cut[:-1]).rstrip(" ,")
    return f"{kept}…{text[0] if isinstance(value, str) else ''}"


def joined(names: Iterable[str], most: int = 5) -> str:
    """The first names, and how many there are besides: "a, b and 14 more"."""
    known = list(names)
    if len(known) <= most + 1:  # one more name is no longer than "and 1 more"
        return ", ".join(known)
    return f"{', '.join(known[:most])} and {len(known) - most} more"
