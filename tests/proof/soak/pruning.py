"""Prune, beside those who ask, as a portal's cron has it done."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event

from doc_priority.models import Customer, DocumentDecision
from doc_priority.services.pruning import prune
from tests.factories import DocumentDecisionFactory
from tests.proof.soak.beside import beside

AGE = timedelta(days=45)
OLD = 200
"""Decisions that have become too old since the last time."""
BATCH = 50


@contextmanager
def pruning(*, every: float) -> Iterator[list[int]]:
    """Fills the list, every so many seconds, with how many decisions were deleted."""
    deleted: list[int] = []

    def prune_until(ended: Event) -> None:
        while not ended.wait(every):
            _grow_old()
            deleted.append(max(done.decisions for done in prune(batch_size=BATCH)))

    with beside(prune_until):
        yield deleted


def _grow_old() -> None:
    old = DocumentDecisionFactory.build_batch(
        OLD, customer=Customer.objects.earliest("pk"), decided_at=datetime.now(UTC) - AGE
    )
    DocumentDecision.objects.bulk_create(old)
