"""Lists that callers hand over, of bounded length."""

from collections.abc import Iterable, Sized
from itertools import islice
from typing import TypeVar

from doc_priority.exceptions import InvalidInput, TooManyItems
from doc_priority.shortening import shortened

T = TypeVar("T")

MAX_ITEMS = 100_000


def listed(items: Iterable[T], *, of: str) -> list[T]:
    """The items as a list; a single text, nothing at all or too many are refused."""
    if isinstance(items, (str, bytes)):
        raise InvalidInput(f"{shortened(items)} is text, not a list of {of}; put it into a list.")
    if not isinstance(items, Iterable):
        raise InvalidInput(f"{shortened(items)} is not a list of {of}; give one, even of one.")
    found = list(islice(items, MAX_ITEMS + 1))
    if len(found) > MAX_ITEMS:
        number = len(items) if isinstance(items, Sized) else f"{len(found)} or more"
        raise TooManyItems(
            f"{number} {of} are more than the {MAX_ITEMS} one call takes; split the list."
        )
    return found
