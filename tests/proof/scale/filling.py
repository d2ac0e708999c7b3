"""Customers by the million, made where they are kept.

Equally many of them count in every database, unless more are asked for: how many documents a pool
of workers takes does not grow with the number of customers.
"""

from pathlib import Path

from django.db import connection, transaction

from doc_priority.selectors import database_now
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds

STATEMENTS = Path(__file__).with_suffix(".sql")
COUNTING = 500
MORE_OLD = """
INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT key, 'OLD-' || now || '-' || n, 0, 1, false, false, '',
       now - 60 * 86400000000 + n
  FROM (SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint AS now) moment,
       generate_series(1, %s::bigint) n
  JOIN doc_priority_customer ON key = 'customer-' || lpad((n * 7919 %% %s)::text, 7, '0')
"""
REST = """
UPDATE doc_priority_counter SET updated_at = %(last)s, recovered_at = %(last)s
 WHERE updated_at > %(last)s AND customer_id <> ALL (%(keys)s)
"""
WAKE = """
UPDATE doc_priority_counter SET updated_at = %(now)s, recovered_at = %(now)s,
       pending_documents = -(substr(customer_id, 10)::bigint / %(every)s %% 30)
 WHERE customer_id = ANY (%(keys)s)
"""


def key_of(number: int) -> str:
    return f"customer-{number:07}"


def counting_keys(customers: int, *, counting: int = COUNTING) -> list[str]:
    return [key_of(number) for number in range(0, customers, every(customers, counting))][:counting]


def every(customers: int, counting: int = COUNTING) -> int:
    return max(1, customers // counting)


def fill(*, customers: int, old: int) -> None:
    """So many customers, and so many decisions that `prune` finds; the planner knows of them."""
    with connection.cursor() as cursor:
        with transaction.atomic():
            cursor.execute(
                "CREATE TEMP TABLE asked ON COMMIT DROP AS "
                "SELECT %s::bigint AS customers, %s::bigint AS every, %s::bigint AS old",
                [customers, every(customers), old],
            )
            cursor.execute(STATEMENTS.read_text("utf-8"))
        cursor.execute("VACUUM ANALYZE")


def keep_old(*, customers: int, old: int) -> None:
    """Have at least half of so many decisions that `prune` finds, or all of them again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM doc_priority_documentdecision WHERE decided_at < "
            "((EXTRACT(EPOCH FROM clock_timestamp()) - 45 * 86400) * 1000000)::bigint"
        )
        (left,) = cursor.fetchone()
        if left < old / 2:
            cursor.execute(MORE_OLD, [old - left, customers])
            cursor.execute("VACUUM ANALYZE doc_priority_documentdecision")


def wake(customers: int, *, counting: int = COUNTING) -> None:
    """So many have just sent a document, and stand at all priorities; all others are idle."""
    now = to_microseconds(database_now())
    told = {
        "keys": counting_keys(customers, counting=counting),
        "every": every(customers, counting),
        "now": now,
        "last": now - 86_400 * SECOND,
    }
    with connection.cursor() as cursor:
        cursor.execute(REST, told)
        cursor.execute(WAKE, told)
