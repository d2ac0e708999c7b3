"""What the clients ask for, and the ways to ask."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from doc_priority import services
from doc_priority.models import DocumentDecision

CUSTOMERS = 3
"""So few that clients meet at each of them."""
TOGETHER_EVERY = 4
"""So often a call is a check_many."""
COUNT = """
    UPDATE doc_priority_counter
       SET pending_documents = CASE WHEN updated_at IS NULL THEN 0 ELSE pending_documents - 1 END,
           updated_at = 1, recovered_at = 1
     WHERE customer_id = %s
    RETURNING pending_documents
"""


class Call(NamedTuple):
    customer: str
    documents: tuple[str, ...]


class Answer(NamedTuple):
    counts: list[int]
    repeated: bool


Asking = Callable[[Call], Answer]


def customers(scene: str) -> list[str]:
    return [f"{scene}-{number}" for number in range(CUSTOMERS)]


def call_of(client: str, number: int, *, scene: str) -> Call:
    """The same whenever it is asked for: who repeats a call names the same documents."""
    together = 3 if number % TOGETHER_EVERY == 0 else 1
    documents = tuple(f"{client}-{number}-{part}" for part in range(together))
    return Call(customers(scene)[number % CUSTOMERS], documents)


def check(call: Call) -> Answer:
    if len(call.documents) == 1:
        decisions = [services.check(call.customer, document=call.documents[0])]
    else:
        decisions = services.check_many([(call.customer, one) for one in call.documents])
    counts = [decision.pending_documents for decision in decisions]
    return Answer(counts, all(decision.repeated for decision in decisions))


def count_then_keep(call: Call) -> Answer:
    """How not to do it: who dies between the two has counted, and nothing says what for."""
    return Answer([_counted_then_kept(call.customer, one) for one in call.documents], False)


def _counted_then_kept(customer: str, document: str) -> int:
    kept = DocumentDecision.objects.filter(customer_id=customer, document=document).first()
    if kept is not None:
        return kept.pending_documents
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [customer])
        (count,) = cursor.fetchone()
    decided: Any = {"customer_id": customer, "document": document, "pending_documents": count}
    DocumentDecision.objects.create(**decided, priority=1, decided_at=datetime.now(UTC))
    return count
