"""Whether counters, decisions and what the clients were told say the same."""

from dataclasses import dataclass

from django.db.models import Count, Max, Min, QuerySet

from doc_priority.models import Counter, DocumentDecision
from tests.proof.crash.calls import customers
from tests.proof.crash.clients import Crowd


@dataclass(frozen=True)
class Differences:
    lost: int
    """Documents whose client was told a count that is not what is stored."""
    twice: int
    """Counts beyond one for each document."""


def wrong_counters(scene: str) -> int:
    """Customers whose decisions are not 0, -1, … down to the counter, each once.

    One statement, so that clients may go on meanwhile.
    """
    decided = "customer__documents"
    rows = Counter.objects.filter(customer_id__in=customers(scene)).annotate(
        decisions=Count(decided),
        different=Count(f"{decided}__pending_documents", distinct=True),
        last=Min(f"{decided}__pending_documents"),
        first=Max(f"{decided}__pending_documents"),
    )
    return sum(
        not (row.decisions == row.different == 1 - row.pending_documents)
        or (row.first, row.last) != (0, row.pending_documents)
        for row in rows
    )


def lost_since(moment: float, clients: Crowd, scene: str) -> int:
    """Documents told after the moment, and not stored so; the clients may go on meanwhile."""
    told = _told(clients, since=moment)
    return _not_stored(told, _decisions(scene).filter(document__in=[name for _, name in told]))


def differences(clients: Crowd, scene: str) -> Differences:
    """After the clients have come to their end: all they asked for they were told."""
    told = _told(clients)
    counters = Counter.objects.filter(customer_id__in=customers(scene))
    counted = sum(1 - count for count in counters.values_list("pending_documents", flat=True))
    return Differences(_not_stored(told, _decisions(scene)), counted - len(told))


def _told(clients: Crowd, *, since: float = 0) -> dict[tuple[str, str], int]:
    return {
        (call.customer, document): count
        for client in clients
        for call, note in client.told(since)
        for document, count in zip(call.documents, note.counts, strict=True)
    }


def _decisions(scene: str) -> QuerySet[DocumentDecision]:
    return DocumentDecision.objects.filter(customer_id__in=customers(scene))


def _not_stored(told: dict[tuple[str, str], int], decisions: QuerySet[DocumentDecision]) -> int:
    rows = decisions.values_list("customer_id", "document", "pending_documents")
    stored = {(customer, document): count for customer, document, count in rows}
    return sum(stored.get(document) != count for document, count in told.items())
