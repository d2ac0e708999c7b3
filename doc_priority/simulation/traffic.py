"""The customers, and when each sends documents; the same for every discipline.

All spans and moments are whole microseconds, counted from the beginning.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import repeat
from random import Random
from typing import Self

from doc_priority.exceptions import InvalidInput
from doc_priority.types import SECOND
from doc_priority.validation import shortened

LONGEST_SPAN = 366 * 86_400 * SECOND

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


@dataclass(frozen=True, slots=True)
class AtRandom:
    """This average number of documents in a span, each at a random moment."""

    documents: int
    span: int

    def most(self, length: int) -> int:
        """The number of documents of one customer within this time; here an average."""
        return self.documents * length // self.span

    def moments(self, random: Random, length: int) -> Iterator[int]:
        """The moments when one customer sends them, in order."""
        rate = self.documents / self.span
        moment = random.expovariate(rate)
        while moment < length:
            yield int(moment)
            moment += random.expovariate(rate)


@dataclass(frozen=True, slots=True)
class AtOnce:
    """This number of documents at one moment, once."""

    documents: int
    moment: int

    def most(self, length: int) -> int:
        return self.documents if self.moment < length else 0

    def moments(self, random: Random, length: int) -> Iterator[int]:
        yield from repeat(self.moment, self.most(length))


@dataclass(frozen=True, slots=True)
class Again:
    """This number of documents at one moment, and again after each span.

    The first moment is a random one in the first span, so that customers of a kind do not all send
    at the same time.
    """

    documents: int
    span: int

    def most(self, length: int) -> int:
        return self.documents * -(-length // self.span)

    def moments(self, random: Random, length: int) -> Iterator[int]:
        for moment in range(random.randrange(self.span), length, self.span):
            yield from repeat(moment, self.documents)


@dataclass(frozen=True, slots=True)
class Kind:
    """A number of customers that send in the same pattern, independently of each other."""

    name: str
    customers: int
    pattern: AtRandom | AtOnce | Again

    def most(self, length: int) -> int:
        """The number of documents of all of them within this time; an average if at random."""
        return self.customers * self.pattern.most(length)


_PATTERNS: dict[str, Callable[[int, int], AtRandom | AtOnce | Again]] = {
    "/": AtRandom,
    "@": AtOnce,
    "@every:": Again,
}


def span_of(text: str) -> int:
    """A time span such as `200ms`, `0.2s`, `20min` or `h`, in microseconds."""
    match = _read_span(text)
    if match is None:
        raise InvalidInput(
            f"{shortened(text, 80)} is not a time span; write it as 200ms, 0.2s, 20min, 12h or 1d."
        )
    number, unit = match.groups(default="1")
    microseconds = int(Decimal(number) * _UNITS[unit])
    if microseconds > LONGEST_SPAN:
        raise InvalidInput(f"{shortened(text, 80)} is more than a year; give a shorter time span.")
    return microseconds


def kind_of(text: str) -> Kind:
    """The kind that is written `NAME:CUSTOMERS:PATTERN`.

    A pattern is `5/min` (at random), `5000@10min` (all at once, at that time) or `5000@every:1h`.
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


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Documents in the order of their moments; customers and kinds are numbered from 0."""

    kinds: tuple[Kind, ...]
    moments: list[int]
    customers: list[int]
    """The customer of each document."""
    kinds_of_customers: list[int]
    """The kind of each customer."""

    @classmethod
    def of(cls, kinds: Sequence[Kind], *, length: int, seed: int) -> Self:
        """The documents of these kinds; the same seed gives the same documents."""
        kinds_of_customers = [
            number for number, kind in enumerate(kinds) for _ in range(kind.customers)
        ]
        sent = []
        for customer, kind in enumerate(kinds_of_customers):
            # Each customer has its own random numbers, so another customer does not change them.
            random = Random(f"{seed} {customer}")  # noqa: S311 - a simulation keeps no secret
            for moment in kinds[kind].pattern.moments(random, length):
                sent.append((moment, customer))
        sent.sort()
        return cls(
            tuple(kinds),
            [moment for moment, _ in sent],
            [customer for _, customer in sent],
            kinds_of_customers,
        )

    def __len__(self) -> int:
        return len(self.moments)
