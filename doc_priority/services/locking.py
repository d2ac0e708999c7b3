"""Counters under the transaction's locks, taken in key order."""

from collections.abc import Collection

from doc_priority.counters.rows import LockedRow
from doc_priority.services.deciding import not_found
from doc_priority.services.transactions import Unit


def locked(unit: Unit, keys: Collection[str]) -> dict[str, LockedRow]:
    """Lock these customers' counters until the transaction ends, adding those they lack."""
    ordered = sorted(keys)
    rows = _found(unit, ordered)
    missing = [key for key in ordered if key not in rows]
    if missing:
        unit.counters.add(unit.connection, missing, unit.conditions)
        rows = _found(unit, ordered)
        missing = [key for key in ordered if key not in rows]
    if missing:
        raise not_found(*missing)
    return rows


def _found(unit: Unit, keys: Collection[str]) -> dict[str, LockedRow]:
    rows = unit.counters.lock(unit.connection, keys, unit.conditions)
    return {row.customer: row for row in rows}
