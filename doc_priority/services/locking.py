"""Counters under the transaction's locks, taken in key order."""

from collections.abc import Callable, Collection
from typing import TypeVar

from doc_priority.counters.rows import LockedRow
from doc_priority.services.deciding import not_found
from doc_priority.services.transactions import Unit, pause_before

T = TypeVar("T")

ATTEMPTS = 10
"""Maximum attempts: others may delete a customer after it was made and before it is locked."""


class CountersLackingError(Exception):
    """Some customers have no counter yet; what was done for the others is undone."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys


def with_counters(unit: Unit, work: Callable[[], T]) -> T:
    """Do the work in a transaction; if counters lack, in a new one that begins by adding them.

    Adding waits for others who add the same. Whoever held locks meanwhile that those need would
    close a circle.
    """
    missing: list[str] = []
    for attempt in range(ATTEMPTS if unit.conditions.create else 2):
        pause_before(attempt)
        try:
            with unit.transaction():
                if missing:
                    unit.counters.add(unit.connection, missing, unit.conditions)
                return work()
        except CountersLackingError as lacking:
            # What an attempt added is undone with it, so the next one adds all of it again.
            missing = sorted({*missing, *lacking.keys})
    raise not_found(*missing)


def locked(unit: Unit, keys: Collection[str], *, customers: bool = False) -> dict[str, LockedRow]:
    """Lock these customers' counters until the transaction ends; all of them must be there.

    With `customers` for work that goes on to write what belongs to the customers.
    """
    rows = unit.counters.lock(unit.connection, sorted(keys), unit.conditions, customers=customers)
    found = {row.customer: row for row in rows}
    require_all(keys, found)
    return found


def require_all(keys: Collection[str], found: Collection[str]) -> None:
    if len(found) < len(keys):
        raise CountersLackingError([key for key in keys if key not in found])
