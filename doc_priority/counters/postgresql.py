"""PostgreSQL: a check calls a function (check.sql); many checks are one UPDATE in key order."""

import functools
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from doc_priority.counters import postgresql_function
from doc_priority.counters.base import Database
from doc_priority.counters.rows import (
    POLICY_COLUMNS,
    POLICY_SEPARATOR,
    Counted,
    LockedRow,
    decision_of,
    locked_rows,
    policy_of,
)
from doc_priority.types import FLOOR, Conditions, CounterState, PolicyTerms

WAITS_FOR_ONE_LOCK = 2
"""For one row PostgreSQL may wait for the tuple lock, behind others who wait for the same row, and
then for the transaction that has the row. Each wait gets the full lock_timeout."""

SHARE_LOCK = "FOR KEY SHARE"

BUSY = frozenset({"55P03"})
CONFLICTS = frozenset({"40001", "40P01", "23503"})
"""The last is a foreign key violation: the customer was deleted during the check."""

CLOCK = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint"
"""The time when it is evaluated; now() is the time when the transaction began."""

POLICY = (
    f"CASE WHEN p.id IS NOT NULL "
    f"THEN concat_ws('{POLICY_SEPARATOR}', {POLICY_COLUMNS}) END AS policy"
)
WANTED = """
    SELECT unnest(string_to_array(%(keys)s, ',')) AS key,
           unnest(string_to_array(%(documents)s, ',')::bigint[]) AS documents
"""
# After waiting for a lock, a statement still sees all other rows as they were before the wait. So
# counters are locked first, and policies and time are read by the next statement.
LOCK = f"""
    SELECT k.customer_id, k.pending_documents, k.updated_at, k.recovered_at,
           k.pinned_priority, k.pinned_until
      FROM ({WANTED}) w JOIN doc_priority_counter k ON k.customer_id = w.key
     ORDER BY k.customer_id
       FOR NO KEY UPDATE OF k
"""
READ_POLICIES = f"""
    SELECT c.key, {POLICY}, COALESCE(%(at)s::bigint, {CLOCK})
      FROM ({WANTED}) w
      JOIN doc_priority_customer c ON c.key = w.key
      LEFT JOIN doc_priority_policy p ON p.id = c.policy_id
"""
# MATERIALIZED reads all rows once before any is updated, so that RETURNING has each state before.
# LEAST(..., 30): 30 halvings bring every counter to 0, and PostgreSQL shifts modulo 64.
COUNT_MANY = f"""
    WITH found AS MATERIALIZED (
        SELECT k.customer_id, k.pending_documents, k.updated_at, k.recovered_at, {POLICY},
               w.documents,
               COALESCE(p.reset_interval, %(reset_interval)s::bigint) * 1000000 AS interval,
               COALESCE(p.reset_interval, %(reset_interval)s::bigint) * 100000 AS tenth,
               COALESCE(p.recovery, %(recovery)s) AS recovery
          FROM ({WANTED}) w
          JOIN doc_priority_counter k ON k.customer_id = w.key
          JOIN doc_priority_customer c ON c.key = w.key
          LEFT JOIN doc_priority_policy p ON p.id = c.policy_id)
    UPDATE doc_priority_counter k
       SET (pending_documents, updated_at, recovered_at) = (
           SELECT CASE WHEN o.over THEN 1 - l.documents ELSE GREATEST(
                      -((-k.pending_documents) >> LEAST(o.halvings, 30)::integer) - l.documents,
                      {FLOOR}) END,
                  o.now,
                  CASE WHEN o.over THEN o.now ELSE k.recovered_at + o.halvings * l.tenth END
             FROM (SELECT n.now,
                          k.updated_at IS NULL OR n.now - k.updated_at > l.interval
                          OR l.recovery = 'window' AND n.now - k.recovered_at > l.interval AS over,
                          CASE WHEN l.recovery = 'halving'
                               THEN (n.now - k.recovered_at) / l.tenth ELSE 0 END AS halvings
                     FROM (SELECT GREATEST(k.updated_at, COALESCE(%(at)s::bigint, {CLOCK}))
                               AS now) n) o)
      FROM found l
     WHERE k.customer_id = l.customer_id
    RETURNING k.customer_id, k.pending_documents, k.updated_at, k.recovered_at,
              k.pinned_priority, k.pinned_until, l.policy,
              l.pending_documents, l.updated_at, l.recovered_at
"""
ADD_CUSTOMERS = f"""
    INSERT INTO doc_priority_customer (key, name, created_at)
    SELECT key, '', COALESCE(%(at)s::bigint, {CLOCK})
      FROM unnest(string_to_array(%(keys)s, ',')) AS key ORDER BY key COLLATE "C"
        ON CONFLICT DO NOTHING
"""
ADD_COUNTERS = """
    INSERT INTO doc_priority_counter (customer_id, pending_documents)
    SELECT c.key, 0 FROM doc_priority_customer c
     WHERE c.key = ANY (string_to_array(%(keys)s, ',')) ORDER BY c.key
        ON CONFLICT DO NOTHING
"""


def check(database: Database, key: str, document: str) -> Counted | None:
    conditions = database.conditions
    with database.connection.cursor() as cursor:
        call = _call(conditions.default.terms, conditions.create, conditions.lock_timeout_ms)
        cursor.execute(call, (key, document, conditions.at))
        (text,) = cursor.fetchone()
    if text is None:
        return None
    # All are numbers but the policy's name; it comes last, because it may contain a "|".
    *decision, before, policy = text.split("|", 8)
    return decision_of((key, document, *decision, policy)), int(before)


def count_many(database: Database, documents: Mapping[str, int]) -> list[LockedRow]:
    default = database.conditions.default
    parameters = _parameters(documents, database.conditions)
    with database.connection.cursor() as cursor:
        cursor.execute(LOCK, parameters)
        cursor.execute(COUNT_MANY, parameters)
        rows = cursor.fetchall()
    # The time of the count is updated_at; the last three columns are the state before.
    return [
        LockedRow(
            key,
            pending,
            now,
            recovered_at,
            pinned,
            until,
            default if policy is None else policy_of(policy),
            now,
            CounterState(*before),
        )
        for key, pending, now, recovered_at, pinned, until, policy, *before in rows
    ]


def lock(database: Database, keys: Collection[str], *, customers: bool = False) -> list[LockedRow]:
    """`customers` is ignored: on PostgreSQL checks lock the counter first."""
    parameters = _parameters(dict.fromkeys(keys, 0), database.conditions)
    with database.connection.cursor() as cursor:
        cursor.execute(LOCK, parameters)
        counters = cursor.fetchall()
        cursor.execute(READ_POLICIES, parameters)
        return locked_rows(counters, cursor.fetchall(), database.conditions.default)


def add(database: Database, keys: Collection[str]) -> None:
    parameters = {"keys": ",".join(keys), "at": database.conditions.at}
    with database.connection.cursor() as cursor:
        if database.conditions.create:
            cursor.execute(ADD_CUSTOMERS, parameters)
        cursor.execute(ADD_COUNTERS, parameters)


@contextmanager
def lock_timeout(database: Database) -> Iterator[None]:
    """Set lock_timeout for the transaction, and at the end of a savepoint set the host's again.

    The end of our own transaction, or a rollback, takes it back without us. In our own transaction
    it must hold until then, because COMMIT checks foreign keys, which locks the rows they refer to.
    """
    with database.connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('lock_timeout'), set_config('lock_timeout', %s, true)",
            [str(database.conditions.lock_timeout_ms)],
        )
        (host_timeout, _) = cursor.fetchone()
        yield
        if database.connection.savepoint_ids:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [host_timeout])


def is_busy(error: Exception) -> bool:
    return _sqlstate(error) in BUSY


def is_conflict(error: Exception) -> bool:
    return _sqlstate(error) in CONFLICTS


def _sqlstate(error: Exception) -> str | None:
    cause = error.__cause__
    return getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)


@functools.lru_cache(maxsize=64)
def _call(terms: PolicyTerms, create: bool, lock_timeout_ms: int) -> str:
    """The call with the settings written into it, so that each check binds only three values.

    With the types of all arguments it calls the function of SIGNATURE, and no other of that name.
    """
    thresholds = ",".join(map(str, terms.thresholds))
    return (
        f"SELECT {postgresql_function.NAME}(%s::text, %s::text, %s::bigint, {create}, "
        f"'{lock_timeout_ms:d}'::text, {terms.reset_interval:d}::bigint, "
        f"'{terms.recovery}'::text, '{{{thresholds}}}'::integer[])"
    )


def _parameters(
    documents: Mapping[str, int], conditions: Conditions
) -> dict[str, str | int | None]:
    terms = conditions.default.terms
    return {
        "keys": ",".join(documents),
        "documents": ",".join(map(str, documents.values())),
        "reset_interval": terms.reset_interval,
        "recovery": terms.recovery.value,
        "at": conditions.at,
    }
