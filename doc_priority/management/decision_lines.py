"""A decision as one line for a reader."""

from collections.abc import Iterable, Iterator

from doc_priority.management.console import shown_text, shown_time
from doc_priority.types import Decision


def lines_of(decisions: Iterable[Decision]) -> list[str]:
    return [", ".join(_parts(decision)) for decision in decisions]


def _parts(decision: Decision) -> Iterator[str]:
    document = f" document {shown_text(decision.document)}" if decision.document else ""
    pinned = " (pinned)" if decision.pinned else ""
    yield f"{decision.customer}{document}: priority {decision.priority}{pinned}"
    yield f"pending documents {decision.pending_documents}"
    if decision.policy:
        yield f"policy {shown_text(decision.policy)}"
    if decision.repeated:
        yield f"decided before, at {shown_time(decision.decided_at)}"
    if decision.pending_documents and decision.resets_at:
        yield f"back at 0 at {shown_time(decision.resets_at)}"
