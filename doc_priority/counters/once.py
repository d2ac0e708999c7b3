"""A check that names its document, where one statement cannot write two tables.

The counter's row is locked by counting, so checks of one customer follow one another, and the
unique document undoes the count of every one but the first.
"""

from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from doc_priority.counters.rows import Verdict

INSERT = (
    "INSERT INTO doc_priority_documentdecision (customer_id, document, pending_documents, "
    "priority, pinned, reset, policy, decided_at, resets_at) VALUES (%(customer)s, %(document)s, "
    "%(pending)s, %(priority)s, %(pinned)s, %(reset)s, %(policy)s, %(decided)s, %(resets)s)"
)
SELECT = """
    SELECT pending_documents, priority, pinned, reset, decided_at, resets_at, policy
      FROM doc_priority_documentdecision WHERE customer_id = %s AND document = %s
"""


def check_once(
    connection: BaseDatabaseWrapper,
    key: str,
    document: str,
    count: Callable[[], Verdict | None],
) -> Verdict | None:
    """Count unless the document has its decision already; then give that one."""
    try:
        with transaction.atomic(using=connection.alias):
            verdict = count()
            if verdict is not None:
                _keep(connection, key, document, verdict)
            return verdict
    except IntegrityError:
        decided = _decided(connection, key, document)
        if decided is None:
            raise
        return decided


def _keep(connection: BaseDatabaseWrapper, key: str, document: str, verdict: Verdict) -> None:
    values: dict[str, str | int | bool | None] = {
        "customer": key,
        "document": document,
        "pending": verdict.pending_documents,
        "priority": verdict.priority,
        "pinned": verdict.pinned,
        "reset": verdict.reset,
        "policy": verdict.policy,
        "decided": verdict.decided_at,
        "resets": verdict.resets_at,
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT, values)


def _decided(connection: BaseDatabaseWrapper, key: str, document: str) -> Verdict | None:
    with connection.cursor() as cursor:
        cursor.execute(SELECT, (key, document))
        row = cursor.fetchone()
    if row is None:
        return None
    pending, priority, pinned, reset, decided_at, resets_at, policy = row
    return Verdict(
        pending, priority, bool(pinned), bool(reset), True, decided_at, resets_at, policy, priority
    )
