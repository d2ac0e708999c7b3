"""How the arguments of `simulate` are read."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from doc_priority.exceptions import InvalidInput
from doc_priority.simulation.traffic import Kind, kind_of, span_of
from doc_priority.validation import shortened

T = TypeVar("T")


def kind(text: str) -> Kind:
    return _read(kind_of, text)


def span(text: str) -> int:
    return _read(span_of, text)


def hours(text: str) -> int:
    """The microseconds of so many hours."""
    try:
        length = span_of(f"{text}h") if text else 0
    except InvalidInput as error:
        raise ArgumentTypeError(
            f"{shortened(text, 80)} is not a number of hours up to a year; write it as 12 or 0.5."
        ) from error
    if not length:
        raise ArgumentTypeError(f"{shortened(text, 80)} is no time at all; give more hours.")
    return length


def thresholds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError as error:
        raise ArgumentTypeError(
            f"{shortened(text, 80)} is not a list of whole numbers with commas between them."
        ) from error


def drawing(text: str) -> Path:
    """Where to draw; nothing but SVG is drawn."""
    if not text.lower().endswith(".svg"):
        raise ArgumentTypeError(
            f"{shortened(text)} does not end in .svg, and nothing else is drawn."
        )
    return Path(text)


def _read(reader: Callable[[str], T], text: str) -> T:
    try:
        return reader(text)
    except InvalidInput as error:
        raise ArgumentTypeError(str(error)) from error
