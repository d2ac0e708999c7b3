"""Kinds of customers and spans of time as people write them: `quiet:50:1/min`, `200ms`."""

import re
from collections.abc import Callable
from decimal import Decimal

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.kinds import Again, AtOnce, AtRandom, Kind
from doc_priority.types import SECOND
from doc_priority.validation import shortened

LONGEST = 366 * 86_400 * SECOND
"""No span is longer than a year."""
MOST = 999_999_999

_UNITS = {
    "us": 1,
    "ms": 1_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "min": 60 * SECOND,
    "h": 3_600 * SECOND,
    "d": 86_400 * SECOND,
}
_read_span = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)?(us|ms|s|min|m|h|d)", re.ASCII).fullmatch
_read_kind = re.compile(
    r"(?P<name>[A-Za-z0-9_-]{1,32}):(?P<customers>\d{1,9}):"
    r"(?P<documents>\d{1,9})(?P<how>/|@every:|@)(?P<span>[^:@/]+)",
    re.ASCII,
).fullmatch
_PATTERNS: dict[str, Callable[[int, int], AtRandom | AtOnce | Again]] = {
    "/": AtRandom,
    "@": AtOnce,
    "@every:": Again,
}


def span_of(text: str) -> int:
    """The microseconds of `200ms`, `0.2s`, `20min`, `h`, …"""
    match = _read_span(text)
    if match is None:
        raise InvalidInput(
            f"{shortened(text, 80)} is not a time span; write it as 200ms, 0.2s, 20min, 12h or 1d."
        )
    number, unit = match.groups(default="1")
    microseconds = int(Decimal(number) * _UNITS[unit])
    if microseconds > LONGEST:
        raise InvalidInput(f"{shortened(text, 80)} is more than a year; give a shorter time span.")
    return microseconds


def kind_of(text: str) -> Kind:
    """The kind that is written `NAME:CUSTOMERS:PATTERN`.

    A pattern is `5/min` (at random), `5000@10min` (all at once, then) or `5000@every:1h`.
    """
    match = _read_kind(text)
    if match is None:
        raise InvalidInput(
            f"{shortened(text, 80)} is not a kind of customers; write it as "
            "NAME:CUSTOMERS:PATTERN, such as quiet:50:1/min, "
            "flood:1:5000@10min or rare:1:1@every:20min."
        )
    customers, documents = int(match["customers"]), int(match["documents"])
    span = span_of(match["span"])
    if 0 in (customers, documents) or (span == 0 and match["how"] != "@"):
        raise InvalidInput(
            f"{shortened(text, 80)} has a zero in it; give at least 1, and a longer span."
        )
    return Kind(match["name"], customers, _PATTERNS[match["how"]](documents, span))
