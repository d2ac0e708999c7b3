"""Which bulk calls are made, each with some of the customers, in no order."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import NamedTuple

from doc_priority import services
from doc_priority.services.documents import NamedDocument

MOST_CUSTOMERS = 12
NAMED = 0.2
"""So many of the items name their document."""

DOCUMENTS = 20
"""So few names there are for each customer: most of them are named by several calls."""


class Kind(Enum):
    """What a call does."""

    CHECK = "check"
    RESET = "reset"
    PIN = "pin"


class Call(NamedTuple):
    kind: Kind
    items: list[str | NamedDocument]

    @property
    def keys(self) -> list[str]:
        return [item if isinstance(item, str) else item[0] for item in self.items]


def customers(count: int) -> list[str]:
    return [f"customer-{number:02}" for number in range(count)]


def bulk_calls(keys: Sequence[str], total: int) -> list[Call]:
    """The same ones in every run; eight of ten check, one resets, one pins."""
    chance = random.Random(total)
    kinds = [*[Kind.CHECK] * 8, Kind.RESET, Kind.PIN]
    return [_call(chance, chance.choice(kinds), keys) for _ in range(total)]


def _call(chance: random.Random, kind: Kind, keys: Sequence[str]) -> Call:
    taken = chance.sample(keys, chance.randint(2, MOST_CUSTOMERS))
    if kind is not Kind.CHECK:
        return Call(kind, list(taken))
    repeated = taken[: len(taken) // 3]
    return Call(kind, [_item(chance, key) for key in [*taken, *repeated]])


def _item(chance: random.Random, key: str) -> str | NamedDocument:
    return (key, f"D-{chance.randrange(DOCUMENTS)}") if chance.random() < NAMED else key


def _pin(call: Call) -> object:
    until = datetime.now(UTC) + timedelta(hours=1)
    return services.pin_many(call.keys, priority=2, until=until)


ACTIONS: dict[Kind, Callable[[Call], object]] = {
    Kind.CHECK: lambda call: services.check_many(call.items),
    Kind.RESET: lambda call: services.reset_many(call.keys),
    Kind.PIN: _pin,
}


def make(call: Call) -> None:
    ACTIONS[call.kind](call)
