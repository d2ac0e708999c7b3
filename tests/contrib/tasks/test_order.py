"""In which order a real worker takes what waits, with the adapter and without."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.conf import settings
from doc_priority.models import DocumentDecision
from doc_priority.rules import depth_of
from doc_priority.testing import set_pending_documents
from tests.contrib.order import inversions
from tests.contrib.tasks import portal
from tests.contrib.tasks.worker import managing, run, wait_until, worker

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENTS = 500
COUNTS = [0, -2, -4, -6, -8, -10, -12, -14, -20, -41, -167, -700, -6000]
"""Of the customers at the start: every priority, and several depths within 9."""
BACKLOG = 300
URGENT = 5


def started() -> Any:
    return DBTaskResult.objects.filter(started_at__isnull=False).order_by("started_at")


def levels_of(documents: Sequence[str]) -> list[int]:
    """The priority that was decided for each, and the depth within it."""
    decided = {one.document: one for one in DocumentDecision.objects.all()}
    return [_level(decided[document]) for document in documents]


def _level(decision: DocumentDecision) -> int:
    thresholds = settings.default_policy.terms.thresholds
    depth = depth_of(decision.pending_documents, thresholds) if decision.priority == 9 else 0
    return 10 * decision.priority + depth


def enqueue_in_any_order(task: Any) -> None:
    for count in COUNTS:
        set_pending_documents(f"customer{count}", count)
    customers = [f"customer{random.choice(COUNTS)}" for _ in range(DOCUMENTS)]
    for number, customer in enumerate(customers):
        task.enqueue(customer, document_id=str(number))


def levels_in_order() -> list[int]:
    return levels_of([row.args_kwargs["kwargs"]["document_id"] for row in started()])


def test_all_levels_are_taken_in_their_order() -> None:
    enqueue_in_any_order(portal.process)
    run(*worker("default", "--batch"))
    levels = levels_in_order()
    assert len(levels) == DOCUMENTS
    assert len(set(levels)) > 12
    assert inversions(levels) == 0


def test_without_the_adapter_they_are_not() -> None:
    for count in COUNTS:
        set_pending_documents(f"customer{count}", count)
    for number in range(DOCUMENTS):
        customer = f"customer{random.choice(COUNTS)}"
        services.check(customer, document=str(number))
        portal.process.using(backend="plain").enqueue(customer, document_id=str(number))
    run(*worker("plain", "--batch"))
    assert inversions(levels_in_order()) > DOCUMENTS


def overtaking(task: Any, backend: str) -> int:
    """How many documents at 9 start before urgent ones that are sent while a worker is busy.

    What the worker had taken already when an urgent one came does not count.
    """
    set_pending_documents("flood", -50)
    for number in range(BACKLOG):
        task.enqueue("flood", document_id=str(number))
    with managing(*worker(backend)):
        wait_until(lambda: started().count() > BACKLOG // 10)
        sent = {}
        for number in range(URGENT):
            result = task.enqueue(f"quiet{number}", document_id="urgent")
            sent[result.id] = timezone.now()
        wait_until(lambda: started().filter(pk__in=sent).count() == URGENT)
        rows = list(started())
    others = [row.started_at for row in rows if str(row.pk) not in sent]
    assert len(others) < BACKLOG or backend == "plain", "nothing was left to be overtaken"
    return sum(
        len([moment for moment in others if sent[str(row.pk)] < moment < row.started_at][1:])
        for row in rows
        if str(row.pk) in sent
    )


def test_an_urgent_document_starts_next() -> None:
    assert overtaking(portal.process, "default") == 0


def test_without_the_adapter_it_waits_for_the_backlog() -> None:
    assert overtaking(portal.process.using(backend="plain"), "plain") > BACKLOG


def test_within_9_who_sent_less_goes_first() -> None:
    """A customer at one document per 5 s beside one that dropped 5,000."""
    set_pending_documents("flood", -5000)
    set_pending_documents("steady", -300)
    for number in range(50):
        for customer in ("flood", "steady"):
            result = portal.process.enqueue(customer, document_id=str(number))
            assert services.peek(customer).priority == 9, result
    run(*worker("default", "--batch"))
    customers = [row.args_kwargs["args"][0] for row in started()]
    assert customers == ["steady"] * 50 + ["flood"] * 50
