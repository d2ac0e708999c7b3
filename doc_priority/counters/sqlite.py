"""SQLite: a check is one UPDATE. There is only one write lock, for the whole database."""

import functools
import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.clock import CLOCKS
from doc_priority.counters.base import Database, check_once
from doc_priority.counters.rows import (
    POLICY_COLUMNS,
    POLICY_SEPARATOR,
    Counted,
    LockedRow,
    counted_under_lock,
    decided,
    locked_row,
)
from doc_priority.types import FLOOR, Recovery

WAITS_FOR_ONE_LOCK = 1
SHARE_LOCK = ""

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE = 0xFF

DRIVER_TIMEOUT = 5.0
"""Seconds that a connection waits by default."""

POLICY = f"""CASE WHEN p.id IS NOT NULL THEN
    {POLICY_COLUMNS.replace(", ", f" || '{POLICY_SEPARATOR}' || ")} END"""

# MAX is NULL if one of its values is, so NOW is NULL for a counter that never counted. Each use of
# NOW allows for that: OVER is true then, and COALESCE takes the clock.
NOW = "MAX(updated_at, t.clock)"
OVER = f"""(updated_at IS NULL OR {NOW} - updated_at > t.interval
    OR t.recovery = 'window' AND {NOW} - recovered_at > t.interval)"""
HALVINGS = f"CASE WHEN t.recovery = 'halving' THEN ({NOW} - recovered_at) / t.tenth ELSE 0 END"
# - The expressions of SET see the old row and not each other's results, so each repeats NOW.
# - MIN(..., 30): 30 halvings bring every counter to 0.
# - RETURNING can use the updated table but not t, so the policy is a subquery.
CHECK = f"""
    UPDATE doc_priority_counter
       SET pending_documents = CASE WHEN {OVER} THEN 0
               ELSE MAX(-((-pending_documents) >> MIN({HALVINGS}, 30)) - 1, {FLOOR}) END,
           recovered_at = CASE WHEN {OVER} THEN COALESCE({NOW}, t.clock)
               ELSE recovered_at + {HALVINGS} * t.tenth END,
           updated_at = COALESCE({NOW}, t.clock)
      FROM (
        SELECT c.key, COALESCE(%(at)s, {CLOCKS["sqlite"]}) AS clock,
               COALESCE(p.reset_interval, {{reset_interval}}) * 1000000 AS interval,
               COALESCE(p.reset_interval, {{reset_interval}}) * 100000 AS tenth,
               COALESCE(p.recovery, '{{recovery}}') AS recovery
          FROM doc_priority_customer c LEFT JOIN doc_priority_policy p ON p.id = c.policy_id
         WHERE c.key = %(key)s) t
     WHERE customer_id = t.key AND updated_at IS {{known}}
    RETURNING customer_id, pending_documents, updated_at, recovered_at, pinned_priority,
        pinned_until, (SELECT {POLICY} FROM doc_priority_customer c
        LEFT JOIN doc_priority_policy p ON p.id = c.policy_id WHERE c.key = customer_id)
"""
# This changes nothing and takes the write lock.
TAKE_WRITE_LOCK = "UPDATE doc_priority_counter SET pending_documents = 0 WHERE false"
WRITE = """
    UPDATE doc_priority_counter SET pending_documents = %s, updated_at = %s, recovered_at = %s
     WHERE customer_id = %s
"""
FOUND = f"""
    SELECT k.customer_id, k.pending_documents, k.updated_at, k.recovered_at,
           k.pinned_priority, k.pinned_until, {POLICY}, COALESCE(%(at)s, {CLOCKS["sqlite"]})
      FROM json_each(%(keys)s) w
      JOIN doc_priority_counter k ON k.customer_id = w.value
      JOIN doc_priority_customer c ON c.key = k.customer_id
      LEFT JOIN doc_priority_policy p ON p.id = c.policy_id
"""
# Without WHERE true, SQLite would parse ON CONFLICT as the ON of a join.
ADD_CUSTOMERS = f"""
    INSERT INTO doc_priority_customer (key, name, created_at)
    SELECT value, '', COALESCE(%(at)s, {CLOCKS["sqlite"]}) FROM json_each(%(keys)s) WHERE true
        ON CONFLICT DO NOTHING
"""
ADD_COUNTERS = """
    INSERT INTO doc_priority_counter (customer_id, pending_documents)
    SELECT c.key, 0 FROM json_each(%(keys)s) w JOIN doc_priority_customer c ON c.key = w.value
     WHERE true ON CONFLICT DO NOTHING
"""


def check(database: Database, key: str, document: str) -> Counted | None:
    if not document:
        return _check(database, key, "")
    return check_once(_check, database, key, document)


def count_many(database: Database, documents: Mapping[str, int]) -> list[LockedRow]:
    counted = counted_under_lock(lock(database, documents), documents)
    with database.connection.cursor() as cursor:
        cursor.executemany(WRITE, [(*row[1:4], row.customer) for row in counted])
    return counted


def lock(database: Database, keys: Collection[str], *, customers: bool = False) -> list[LockedRow]:
    """The write lock, which the transaction has taken, covers the customers, too."""
    conditions = database.conditions
    with database.connection.cursor() as cursor:
        cursor.execute(FOUND, {"keys": json.dumps(list(keys)), "at": conditions.at})
        rows = cursor.fetchall()
    return [locked_row(row[:6], row[6], row[7], conditions.default) for row in rows]


def add(database: Database, keys: Collection[str]) -> None:
    parameters = {"keys": json.dumps(list(keys)), "at": database.conditions.at}
    with database.connection.cursor() as cursor:
        if database.conditions.create:
            cursor.execute(ADD_CUSTOMERS, parameters)
        cursor.execute(ADD_COUNTERS, {"keys": parameters["keys"]})


def busy_timeout(
    connection: BaseDatabaseWrapper, lock_timeout_ms: int
) -> AbstractContextManager[None]:
    """Wait for the write lock no longer than this; afterwards the host's timeout holds again."""
    host_timeout = connection.settings_dict["OPTIONS"].get("timeout", DRIVER_TIMEOUT)
    if host_timeout * 1000 <= lock_timeout_ms:
        return nullcontext()
    return _shorter_timeout(connection, lock_timeout_ms)


@contextmanager
def _shorter_timeout(connection: BaseDatabaseWrapper, lock_timeout_ms: int) -> Iterator[None]:
    connection.ensure_connection()
    driver = connection.connection
    (host_timeout,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute(f"PRAGMA busy_timeout = {lock_timeout_ms:d}")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA busy_timeout = {host_timeout:d}")


@contextmanager
def lock_timeout(database: Database) -> Iterator[None]:
    """Take the write lock first, because a transaction that has read cannot wait for it."""
    with database.connection.cursor() as cursor:
        cursor.execute(TAKE_WRITE_LOCK)
    yield


def is_busy(error: Exception) -> bool:
    return _code(error) & _PRIMARY_CODE in BUSY


def is_conflict(error: Exception) -> bool:
    """Others wrote after this transaction had read, or deleted the decision that it had met."""
    if _code(error) == sqlite3.SQLITE_CONSTRAINT_UNIQUE:
        return "doc_priority_documentdecision" in str(error)
    return _code(error) == sqlite3.SQLITE_BUSY_SNAPSHOT


def _code(error: Exception) -> int:
    code: int = getattr(error.__cause__, "sqlite_errorcode", 0)
    return code


def _check(database: Database, key: str, document: str) -> Counted | None:
    conditions = database.conditions
    terms = conditions.default.terms
    known, unknown = _statements(terms.reset_interval, terms.recovery)
    parameters = {"at": conditions.at, "key": key}
    with database.connection.cursor() as cursor:
        # RETURNING cannot tell whether this was the counter's first count, so there is a statement
        # for each case. The first is tried again, as others may have counted between the two.
        for statement, first in ((known, False), (unknown, True), (known, False)):
            if first:
                add(database, [key])
            cursor.execute(statement, parameters)
            columns = cursor.fetchone()
            if columns is not None:
                return decided(columns, document, conditions.default, first=first)
    return None


@functools.lru_cache(maxsize=64)
def _statements(reset_interval: int, recovery: Recovery) -> tuple[str, str]:
    """The check of a counter that has counted before, and of one that has not; not indented."""
    settings = {"reset_interval": reset_interval, "recovery": recovery.value}
    known, first = (
        " ".join(CHECK.format(known=known, **settings).split()) for known in ("NOT NULL", "NULL")
    )
    return known, first
