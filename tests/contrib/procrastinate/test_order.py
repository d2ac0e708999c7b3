"""In which order a real worker takes what waits, with the adapter and without."""

import random
from typing import Any

import pytest

from doc_priority import services
from doc_priority.testing import set_pending_documents
from tests.contrib.order import inversions
from tests.contrib.procrastinate import portal
from tests.contrib.procrastinate.worker import BATCH, WORKER, started, started_before
from tests.contrib.tasks.test_order import BACKLOG, COUNTS, DOCUMENTS, URGENT, levels_of
from tests.contrib.tasks.worker import managing, run, wait_until

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

WITHOUT = portal.process.configure(priority=1)
"""An explicit priority, the same for all, is how the adapter is left out for a call."""


def documents() -> list[dict[str, str]]:
    for count in COUNTS:
        set_pending_documents(f"customer{count}", count)
    return [
        {"customer_key": f"customer{random.choice(COUNTS)}", "document_id": str(number)}
        for number in range(DOCUMENTS)
    ]


def levels_in_order() -> list[int]:
    return levels_of([args["document_id"] for _, args in started()])


def test_all_levels_are_taken_in_their_order() -> None:
    portal.process.batch_defer(*documents())
    run(*BATCH)
    levels = levels_in_order()
    assert len(levels) == DOCUMENTS
    assert len(set(levels)) > 12
    assert inversions(levels) == 0


def test_without_the_adapter_they_are_not() -> None:
    jobs = documents()
    services.check_many([(job["customer_key"], job["document_id"]) for job in jobs])
    WITHOUT.batch_defer(*jobs)
    run(*BATCH)
    assert inversions(levels_in_order()) > DOCUMENTS


def overtaking(task: Any) -> int:
    """How many documents at 9 start before urgent ones that are sent while a worker is busy.

    What the worker had taken already when an urgent one came does not count.
    """
    set_pending_documents("flood", -50)
    task.batch_defer(
        *[{"customer_key": "flood", "document_id": str(number)} for number in range(BACKLOG)]
    )
    with managing(*WORKER):
        wait_until(lambda: len(started()) > BACKLOG // 10)
        urgent = [
            task.defer(customer_key=f"quiet{number}", document_id="urgent")
            for number in range(URGENT)
        ]
        wait_until(lambda: {job for job, _ in started()} >= set(urgent))
    return sum(max(started_before(job, besides=urgent) - 1, 0) for job in urgent)


def test_an_urgent_document_starts_next() -> None:
    assert overtaking(portal.process) == 0


def test_without_the_adapter_it_waits_for_the_backlog() -> None:
    assert overtaking(WITHOUT) > BACKLOG


def test_within_9_who_sent_less_goes_first() -> None:
    """A customer at one document per 5 s beside one that dropped 5,000."""
    set_pending_documents("flood", -5000)
    set_pending_documents("steady", -300)
    for number in range(50):
        for customer in ("flood", "steady"):
            portal.process.defer(customer_key=customer, document_id=str(number))
    run(*BATCH)
    customers = [args["customer_key"] for _, args in started()]
    assert customers == ["steady"] * 50 + ["flood"] * 50
