"""What is to be checked, and which worker does it."""

from collections.abc import Sequence
from typing import NamedTuple

NAMED_EVERY = 10
"""So often a check names its document; that one is then checked by two workers at once."""


class Item(NamedTuple):
    customer: str
    document: str = ""


def customers(count: int, *, of: str) -> list[str]:
    return [f"{of}-{number}" for number in range(count)]


def items(keys: Sequence[str], total: int) -> list[Item]:
    """So many that count, every customer's equally often, its documents' names among them."""
    return [
        Item(keys[number % len(keys)], f"D-{number}" if number % NAMED_EVERY == 0 else "")
        for number in range(total)
    ]


def shares(wanted: Sequence[Item], workers: int) -> list[list[Item]]:
    """Each item for one worker, a named one for its neighbour as well."""
    handed: list[list[Item]] = [[] for _ in range(workers)]
    for number, item in enumerate(wanted):
        handed[number % workers].append(item)
        if item.document:
            handed[(number + 1) % workers].append(item)
    return handed
