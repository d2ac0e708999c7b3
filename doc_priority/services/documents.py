"""What was decided for documents that have a name, read and kept for many at once."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from doc_priority.models import DocumentDecision
from doc_priority.types import Decision

BATCH = 500
"""Small enough for the parameters of one statement on every database."""

NamedDocument = tuple[str, str]


def decided_before(
    named: Collection[NamedDocument], *, alias: str
) -> dict[NamedDocument, Decision]:
    """The decisions these documents have already, marked as repeated."""
    documents_of: dict[str, list[str]] = {}
    for key, document in named:
        documents_of.setdefault(key, []).append(document)
    found: dict[NamedDocument, Decision] = {}
    for keys, documents in _batches(documents_of):
        rows = DocumentDecision.objects.using(alias).filter(
            customer_id__in=keys, document__in=documents
        )
        found.update({(row.customer_id, row.document): _decision_kept_in(row) for row in rows})
    return found


def keep_decisions(decisions: Iterable[Decision], *, alias: str) -> None:
    """Keep what was decided, so that a repeated check finds it."""
    DocumentDecision.objects.using(alias).bulk_create(
        [
            DocumentDecision(
                customer_id=decision.customer,
                document=decision.document,
                pending_documents=decision.pending_documents,
                priority=decision.priority,
                pinned=decision.pinned,
                reset=decision.reset,
                policy=decision.policy,
                decided_at=decision.decided_at,
                resets_at=decision.resets_at,
            )
            for decision in decisions
        ],
        batch_size=BATCH,
    )


def repeat_of(decision: Decision) -> Decision:
    """The same decision, given again without counting."""
    return replace(decision, repeated=True)


def _batches(documents_of: dict[str, list[str]]) -> Iterable[tuple[list[str], list[str]]]:
    """Customers and documents of theirs, few enough for one statement.

    A customer with many documents goes alone; small ones share a statement, which may find a
    document of another customer too. That one was asked for as well, or is not looked at.
    """
    keys: list[str] = []
    documents: list[str] = []
    for key, names in documents_of.items():
        for start in range(0, len(names), BATCH):
            part = names[start : start + BATCH]
            if keys and len(keys) + len(documents) + len(part) > BATCH:
                yield keys, documents
                keys, documents = [], []
            keys, documents = [*keys, key], [*documents, *part]
    if keys:
        yield keys, documents


def _decision_kept_in(row: DocumentDecision) -> Decision:
    return Decision(
        customer=row.customer_id,
        document=row.document,
        pending_documents=row.pending_documents,
        priority=row.priority,
        pinned=row.pinned,
        reset=row.reset,
        repeated=True,
        decided_at=row.decided_at,
        resets_at=row.resets_at,
        policy=row.policy,
    )
