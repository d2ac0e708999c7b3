"""What must have come of the calls, whichever of them came first."""

from collections import Counter as Tally
from collections.abc import Sequence

from doc_priority.models import Counter, DocumentDecision, Event
from tests.proof.deadlocks.calls import Call, Kind


def wrong_customers(calls: Sequence[Call]) -> dict[str, str]:
    """Whose counter is not exact, or whose decisions or events are not those of the calls.

    With how much of something there is, and how much is due.
    """
    due, kept = _due(calls), _kept()
    return {
        key: f"{kind} {kept[key, kind]:,}, not {due[key, kind]:,}"
        for key, kind in sorted((due - kept) + (kept - due))
    }


def _due(calls: Sequence[Call]) -> Tally[tuple[str, str]]:
    """For each customer: checks that count, documents, resets, pins."""
    named = {item for call in calls for item in call.items if isinstance(item, tuple)}
    due = Tally((key, "document") for key, _ in named)
    due.update((key, "check") for key, _ in named)
    for call in calls:
        if call.kind is Kind.CHECK:
            due.update((item, "check") for item in call.items if isinstance(item, str))
        else:
            due.update((key, call.kind.value) for key in call.keys)
    return due


def _kept() -> Tally[tuple[str, str]]:
    """The same, from what is stored.

    What a counter had counted when it was reset stands in the event, what it counted since then in
    the counter itself.
    """
    kept = Tally[tuple[str, str]]()
    for counter in Counter.objects.all():
        kept[counter.customer_id, "check"] -= counter.pending_documents
    for event in Event.objects.all():
        kept[event.customer, event.kind] += 1
        if event.kind == Event.Kind.RESET:
            kept[event.customer, "check"] -= event.before["pending_documents"]
    kept.update((row.customer_id, "document") for row in DocumentDecision.objects.all())
    return kept
