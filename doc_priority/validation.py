"""Checks of what callers hand over: an error names the value and the remedy."""

import re
from collections.abc import Iterable, Sized
from datetime import datetime, timedelta
from itertools import islice, pairwise
from typing import TypeVar

from doc_priority.exceptions import (
    InvalidDocument,
    InvalidInput,
    InvalidKey,
    InvalidPolicy,
    InvalidText,
    InvalidTime,
    TooManyItems,
)
from doc_priority.types import (
    DOCUMENT_LENGTH,
    DOT_SEGMENTS,
    EPOCH,
    FLOOR,
    KEY_LENGTH,
    KEY_PATTERN,
    LAST_MOMENT,
    MAX_RESET_INTERVAL,
    MIN_RESET_INTERVAL,
    THRESHOLD_COUNT,
    PolicyTerms,
    Recovery,
)

T = TypeVar("T")

MAX_ITEMS = 100_000

_KEY_REMEDY = (
    f"use 1 to {KEY_LENGTH} of the characters A-Z a-z 0-9 . _ ~ : @ -, but neither '.' nor '..'."
)
_is_number = re.compile("[1-9][0-9]{0,8}").fullmatch
_MICROSECOND = timedelta(microseconds=1)
_is_key = re.compile(KEY_PATTERN).fullmatch
_CONTROLS = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_DIRECTIONS = "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_has_controls = re.compile(f"[{_CONTROLS}]").search
_unseen = re.compile(f"[{_CONTROLS}{_DIRECTIONS}]")


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


def to_microseconds(moment: datetime) -> int:
    """A moment as the app counts time: whole microseconds since 1970."""
    if not isinstance(moment, datetime) or moment.utcoffset() is None:
        raise InvalidTime(f"{moment!r} is not an aware datetime; give a datetime with a time zone.")
    if not EPOCH <= moment <= LAST_MOMENT:
        raise InvalidTime(f"{moment!r} does not lie between the years 1970 and 9998.")
    return (moment - EPOCH) // _MICROSECOND


def whole_number(text: str) -> int | None:
    """The whole number from 1 to 999999999 in this text; None if it has anything but digits."""
    return int(text) if _is_number(text) else None


def is_key(key: str) -> bool:
    """Whether this can be a customer's key."""
    return _is_key(key) is not None


def require_key(key: object) -> None:
    """Refuse what cannot be a customer's key."""
    if not isinstance(key, str):
        raise InvalidKey(f"{shortened(key)} is not text; give a str and {_KEY_REMEDY}")
    if not _is_key(key):
        raise InvalidKey(f"{shortened(key)} is not a customer's key; {_KEY_REMEDY}")


def require_document(document: object) -> None:
    """Refuse what cannot be a document's id; the empty one names no document."""
    if not isinstance(document, str) or len(document) > DOCUMENT_LENGTH:
        raise InvalidDocument(
            f"{shortened(document)} is not a document's id; "
            f"use text of at most {DOCUMENT_LENGTH} characters."
        )
    if _has_controls(document):
        raise InvalidDocument(
            f"{shortened(document)} is not a document's id; "
            "leave out its control characters and lone surrogates."
        )


def require_text(value: object, *, name: str, length: int) -> str:
    """The text; refuse what is longer, or has control characters or invisible marks."""
    if not isinstance(value, str) or len(value) > length:
        raise InvalidText(f"{name} {shortened(value)} is not text of at most {length} characters.")
    if _unseen.search(value):
        raise InvalidText(
            f"{name} {shortened(value)} has control characters or invisible marks; leave them out."
        )
    return value


def require_addressable(name: str) -> None:
    """Refuse a policy's name that cannot stand in a URL."""
    if name in DOT_SEGMENTS:
        raise InvalidPolicy(f"No address can hold the name {name!r}; use another name.")


def shown_text(value: str) -> str:
    """The text without control characters and invisible marks."""
    return _unseen.sub("", value)


def require_list(items: Iterable[T], *, of: str) -> list[T]:
    """The items as a list; refuse a single text, what is no list, and too many."""
    if isinstance(items, (str, bytes)):
        raise InvalidInput(f"{shortened(items)} is text, not a list of {of}; put it into a list.")
    if not isinstance(items, Iterable):
        raise InvalidInput(f"{shortened(items)} is not a list of {of}; give a list.")
    found = list(islice(items, MAX_ITEMS + 1))
    if len(found) > MAX_ITEMS:
        number = len(items) if isinstance(items, Sized) else f"{len(found)} or more"
        raise TooManyItems(
            f"{number} {of} are more than the {MAX_ITEMS} one call takes; split the list."
        )
    return found


def is_whole(value: object) -> bool:
    """Whether this is an int; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def terms_of(reset_interval: int, recovery: str, thresholds: Iterable[int]) -> PolicyTerms:
    """The terms of a policy; raises InvalidPolicy if one of them cannot be used."""
    if not is_whole(reset_interval) or not (
        MIN_RESET_INTERVAL <= reset_interval <= MAX_RESET_INTERVAL
    ):
        raise InvalidPolicy(
            f"reset_interval {shortened(reset_interval)} is not a whole number of seconds "
            f"from {MIN_RESET_INTERVAL} to {MAX_RESET_INTERVAL}."
        )
    if recovery not in tuple(Recovery):
        known = ", ".join(Recovery)
        raise InvalidPolicy(f"recovery {shortened(recovery)} is not known; choose one of {known}.")
    values = tuple(thresholds) if isinstance(thresholds, Iterable) else ()
    if isinstance(thresholds, str) or len(values) != THRESHOLD_COUNT:
        raise InvalidPolicy(
            f"thresholds {shortened(thresholds)} are not a list of eight whole numbers."
        )
    for threshold in values:
        if not is_whole(threshold) or not FLOOR <= threshold <= 0:
            raise InvalidPolicy(
                f"threshold {shortened(threshold)} is not a whole number from {FLOOR} to 0."
            )
    for upper, lower in pairwise(values):
        if lower >= upper:
            raise InvalidPolicy(
                f"thresholds {list(values)!r} do not fall: {lower} must be below {upper}."
            )
    return PolicyTerms(reset_interval, Recovery(recovery), values)
