"""MariaDB: the check is an upsert that returns its row.

The clock is SYSDATE, which is read when it is evaluated, so after the row was locked; NOW() is the
time when the statement began. SET STATEMENT sets the time zone and the time limit for one statement
only, so that nothing must be reset in the session.

Rows are locked in this order: policy, customer, counter, decisions. The check locks the customer
before the counter, and a service that gives a customer a policy locks that policy first.

MySQL itself has neither RETURNING nor SET STATEMENT, so this module does not run there.
"""

import functools
import json
import math
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any

from doc_priority.counters.base import Database, check_once
from doc_priority.counters.rows import (
    POLICY_COLUMNS,
    POLICY_SEPARATOR,
    Counted,
    LockedRow,
    counted_under_lock,
    decided,
    locked_rows,
)
from doc_priority.fields import BYTEWISE_COLLATIONS
from doc_priority.types import FLOOR, Conditions, PolicyTerms

WAITS_FOR_ONE_LOCK = 1
SHARE_LOCK = "LOCK IN SHARE MODE"

LOCK_WAIT_TIMEOUT = 1205
STATEMENT_TIMEOUT = 1969
DEADLOCK = 1213
RECORD_CHANGED = 1020
DUPLICATE = 1062
CUSTOMER_GONE = 1452
"""A foreign key violation: the customer was deleted during the check."""
NO_NEXT_ID = 1467
"""The error for a deadlock while waiting for a table's next id."""

STATEMENTS_THAT_LOCK = ("SELECT", "INSERT", "UPDATE", "DELETE")

CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))"
POLICY = f"IF(p.id IS NULL, NULL, CONCAT_WS('{POLICY_SEPARATOR}', {POLICY_COLUMNS}))"
KEY_COLUMN = "customer VARCHAR(64) CHARACTER SET utf8mb4 PATH"
KEYS = f"JSON_TABLE(%(keys)s, '$[*]' COLUMNS ({KEY_COLUMN} '$')) w"
SAME_KEY = f"w.customer COLLATE {BYTEWISE_COLLATIONS['mysql']}"

ELAPSED = "@doc_priority_now - doc_priority_counter.recovered_at"
# One statement, so that a check is one round trip. Read it from top to bottom:
#
# - The SELECT finds the customer and locks its row for reading, as the foreign key does. VALUES
#   would not do: for the first check of a session RETURNING would not know the variables yet, and
#   the foreign key would lock the gap where a new customer belongs, so that two transactions that
#   insert one wait for each other.
# - LENGTH(CONCAT_WS(...)) is 0, the count of a counter that is made here. It clears the variables,
#   which the session has kept from the check before.
# - ON DUPLICATE KEY UPDATE: now the counter is locked. The first WHEN is never true, because
#   CONCAT_WS is never NULL. It is there for its arguments: they are evaluated from left to right,
#   and set the variables @doc_priority_..., which the rest uses.
# - The policy is read here and not above, where it would come from a snapshot older than the wait.
#   Its subquery names the counter's column, because MariaDB evaluates a constant one before the
#   wait, too.
# - updated_at NULL makes the second WHEN unknown, so a counter that never counted gets 0.
# - >> gives an unsigned number, which cannot be negated, hence the CAST. LEAST(30, ...): 30
#   halvings bring every counter to 0.
# - Assignments run from left to right: the count is computed from the old times, and recovered_at
#   from the new count. That is 0 only if the interval was over; otherwise it is at most -1.
# - RETURNING gives the row, and by the variables its policy and whether this is its first count.
CHECK = f"""
    SET STATEMENT time_zone = '+00:00', max_statement_time = {{statement_s}} FOR
    INSERT INTO doc_priority_counter (customer_id, pending_documents)
    SELECT c.key, LENGTH(CONCAT_WS('', @doc_priority_policy := '', @doc_priority_before := NULL))
      FROM doc_priority_customer c WHERE c.key = %s LOCK IN SHARE MODE
    ON DUPLICATE KEY UPDATE
        pending_documents = CASE
            WHEN CONCAT_WS('',
                @doc_priority_policy := (SELECT {POLICY}
                    FROM doc_priority_customer c LEFT JOIN doc_priority_policy p
                      ON p.id = c.policy_id WHERE c.key = doc_priority_counter.customer_id),
                @doc_priority_interval := 1000000 * IF(@doc_priority_policy IS NULL,
                    {{reset_interval}},
                    CAST(SUBSTRING_INDEX(@doc_priority_policy, '{POLICY_SEPARATOR}', 1) AS SIGNED)),
                @doc_priority_recovery := IF(@doc_priority_policy IS NULL, '{{recovery}}',
                    SUBSTRING_INDEX(SUBSTRING_INDEX(
                        @doc_priority_policy, '{POLICY_SEPARATOR}', 2), '{POLICY_SEPARATOR}', -1)),
                @doc_priority_before := doc_priority_counter.updated_at,
                @doc_priority_now := GREATEST(
                    COALESCE(doc_priority_counter.updated_at, 0), COALESCE(%s, {CLOCK}))
            ) IS NULL THEN NULL
            WHEN @doc_priority_now - doc_priority_counter.updated_at <= @doc_priority_interval
                AND (@doc_priority_recovery <> 'window' OR {ELAPSED} <= @doc_priority_interval)
            THEN GREATEST({FLOOR}, IF(@doc_priority_recovery = 'halving',
                -CAST((-pending_documents)
                    >> LEAST(30, ({ELAPSED}) DIV (@doc_priority_interval DIV 10)) AS SIGNED),
                pending_documents) - 1)
            ELSE 0 END,
        recovered_at = CASE
            WHEN doc_priority_counter.pending_documents = 0 THEN @doc_priority_now
            WHEN @doc_priority_recovery = 'halving' THEN doc_priority_counter.recovered_at
                + ({ELAPSED}) DIV (@doc_priority_interval DIV 10) * (@doc_priority_interval DIV 10)
            ELSE doc_priority_counter.recovered_at END,
        updated_at = @doc_priority_now
    RETURNING customer_id, pending_documents, updated_at, recovered_at, pinned_priority,
        pinned_until, @doc_priority_policy, @doc_priority_before IS NULL
"""
# Rows are locked in the order in which they are read. STRAIGHT_JOIN reads the sorted keys first,
# and FORCE INDEX finds each row by its key. Without it MariaDB reads, and locks, a whole table if
# that is small.
LOCK_CUSTOMERS = f"""
    SET STATEMENT innodb_lock_wait_timeout = {{wait_s}} FOR
    SELECT STRAIGHT_JOIN COUNT(*)
      FROM {KEYS} JOIN doc_priority_customer c FORCE INDEX (`key`) ON c.key = {SAME_KEY}
       FOR UPDATE
"""
LOCK = f"""
    SET STATEMENT innodb_lock_wait_timeout = {{wait_s}} FOR
    SELECT STRAIGHT_JOIN k.customer_id, k.pending_documents, k.updated_at, k.recovered_at,
           k.pinned_priority, k.pinned_until, @@{{isolation}}
      FROM {KEYS}
      JOIN doc_priority_counter k FORCE INDEX (PRIMARY) ON k.customer_id = {SAME_KEY}
       FOR UPDATE
"""
# A separate statement: after waiting for a lock, a statement still reads all other rows as they
# were before the wait.
READ_POLICIES = f"""
    SET STATEMENT time_zone = '+00:00', innodb_lock_wait_timeout = {{wait_s}} FOR
    SELECT STRAIGHT_JOIN c.key, {POLICY}, COALESCE(%(at)s, {CLOCK})
      FROM {KEYS} JOIN doc_priority_customer c ON c.key = {SAME_KEY}
      LEFT JOIN doc_priority_policy p ON p.id = c.policy_id
"""
WRITE = f"""
    UPDATE JSON_TABLE(%s, '$[*]' COLUMNS (
               {KEY_COLUMN} '$[0]', pending_documents BIGINT PATH '$[1]',
               updated_at BIGINT PATH '$[2]', recovered_at BIGINT PATH '$[3]')) w
      STRAIGHT_JOIN doc_priority_counter k FORCE INDEX (PRIMARY) ON k.customer_id = {SAME_KEY}
       SET k.pending_documents = w.pending_documents, k.updated_at = w.updated_at,
           k.recovered_at = w.recovered_at
"""
# ON DUPLICATE KEY UPDATE changes nothing here. INSERT IGNORE would ignore other errors, too.
ADD_CUSTOMERS = f"""
    SET STATEMENT time_zone = '+00:00', innodb_lock_wait_timeout = {{wait_s}} FOR
    INSERT INTO doc_priority_customer (`key`, name, created_at)
    SELECT w.customer, '', COALESCE(%(at)s, {CLOCK}) FROM {KEYS}
        ON DUPLICATE KEY UPDATE doc_priority_customer.name = doc_priority_customer.name
"""
ADD_COUNTERS = f"""
    SET STATEMENT innodb_lock_wait_timeout = {{wait_s}} FOR
    INSERT INTO doc_priority_counter (customer_id, pending_documents)
    SELECT STRAIGHT_JOIN c.key, 0
      FROM {KEYS} JOIN doc_priority_customer c ON c.key = {SAME_KEY}
        ON DUPLICATE KEY UPDATE doc_priority_counter.customer_id = doc_priority_counter.customer_id
"""


def check(database: Database, key: str, document: str) -> Counted | None:
    if not document:
        return _check(database, key, "")
    with lock_timeout(database):
        return check_once(_check, database, key, document)


def count_many(database: Database, documents: Mapping[str, int]) -> list[LockedRow]:
    counted = counted_under_lock(lock(database, documents), documents)
    with database.connection.cursor() as cursor:
        cursor.execute(WRITE, [json.dumps([row[:4] for row in counted])])
    return counted


def lock(database: Database, keys: Collection[str], *, customers: bool = False) -> list[LockedRow]:
    connection, conditions = database.connection, database.conditions
    parameters = {"keys": json.dumps(list(keys)), "at": conditions.at}
    started = time.monotonic()
    with connection.cursor() as cursor:
        if customers:
            cursor.execute(_limited(LOCK_CUSTOMERS, conditions), parameters)
        # The limit is for both waits: this one gets what the wait for customers has left.
        left_s = max(0, _wait_s(conditions) - round(time.monotonic() - started))
        # The variable was renamed in 11.1, and the old name is deprecated.
        is_renamed = connection.mysql_version >= (11, 1)  # type: ignore[attr-defined]
        isolation = "transaction_isolation" if is_renamed else "tx_isolation"
        cursor.execute(LOCK.format(isolation=isolation, wait_s=left_s), parameters)
        counters = cursor.fetchall()
        read_policies = _limited(READ_POLICIES, conditions)
        if counters and counters[0][-1] == "REPEATABLE-READ":
            # Without a lock it would read from the snapshot of the portal's transaction.
            read_policies += SHARE_LOCK
        cursor.execute(read_policies, parameters)
        rows = (counter[:-1] for counter in counters)
        return locked_rows(rows, cursor.fetchall(), conditions.default)


def add(database: Database, keys: Collection[str]) -> None:
    conditions = database.conditions
    parameters = {"keys": json.dumps(list(keys)), "at": conditions.at}
    first = ADD_CUSTOMERS if conditions.create else LOCK_CUSTOMERS
    with database.connection.cursor() as cursor:
        cursor.execute(_limited(first, conditions), parameters)
        cursor.execute(_limited(ADD_COUNTERS, conditions), parameters)


def lock_timeout(database: Database) -> AbstractContextManager[None]:
    """Put the limit before each statement, so that nothing stays in the session after an error."""
    prefix = f"SET STATEMENT innodb_lock_wait_timeout = {_wait_s(database.conditions)} FOR "

    def execute_limited(
        execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        limit = prefix if sql.lstrip().startswith(STATEMENTS_THAT_LOCK) else ""
        return execute(limit + sql, params, many, context)

    return database.connection.execute_wrapper(execute_limited)


def is_busy(error: Exception) -> bool:
    return _code(error) in (LOCK_WAIT_TIMEOUT, STATEMENT_TIMEOUT)


def is_conflict(error: Exception) -> bool:
    """Also a decision that another transaction made after this one's snapshot was taken."""
    if _code(error) == DUPLICATE:
        return "doc_priority_decision_once" in str(error)
    return _code(error) in (DEADLOCK, RECORD_CHANGED, NO_NEXT_ID, CUSTOMER_GONE)


def _code(error: Exception) -> object:
    return error.args[0] if error.args else None


def _check(database: Database, key: str, document: str) -> Counted | None:
    conditions = database.conditions
    statement = _check_with(conditions.default.terms, conditions.lock_timeout_ms)
    may_add = conditions.create
    with database.connection.cursor() as cursor:
        while True:
            cursor.execute(statement, (key, conditions.at))
            row = cursor.fetchone()
            if row is None:  # there is no such customer
                if not may_add:
                    return None
                add(database, [key])
                may_add = False
            elif row[2] is not None:
                return decided(row, document, conditions.default, first=bool(row[-1]))
            # updated_at is NULL: the statement has inserted the counter and not counted. The next
            # one counts, unless others delete the counter in between.


@functools.lru_cache(maxsize=64)
def _check_with(terms: PolicyTerms, lock_timeout_ms: int) -> str:
    """The check with the settings written into it, and without its indentation."""
    statement = CHECK.format(
        statement_s=lock_timeout_ms / 1000,
        reset_interval=terms.reset_interval,
        recovery=terms.recovery.value,
    )
    return " ".join(statement.split())


def _limited(statement: str, conditions: Conditions) -> str:
    return statement.format(wait_s=_wait_s(conditions))


def _wait_s(conditions: Conditions) -> int:
    """The timeout in seconds, rounded up, because InnoDB takes whole seconds."""
    return math.ceil(conditions.lock_timeout_ms / 1000)
