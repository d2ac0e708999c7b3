"""One document, enqueued by many at once, is one row and one charge."""

from functools import partial

import pytest
from django.db import transaction
from django_tasks_db.models import DBTaskResult

from doc_priority import services
from doc_priority.models import Counter
from tests.concurrency.crowd import in_threads
from tests.concurrency.test_conflicts import READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE
from tests.contrib.tasks import portal

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

THREADS = 8
DOCUMENTS = [f"INV-{number}" for number in range(6)]


def enqueue_all(customer: str = "acme") -> list[str]:
    return [portal.process.enqueue(customer, document).id for document in DOCUMENTS]


def enqueue_all_in_transactions(customer: str) -> list[str]:
    ids = []
    for document in DOCUMENTS:
        with transaction.atomic():
            ids.append(portal.process.enqueue(customer, document).id)
    return ids


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.parametrize("prepare", [READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE])
def test_whatever_the_isolation(prepare) -> None:
    answers = in_threads([enqueue_all] * THREADS, prepare=prepare)
    assert len(set(map(tuple, answers))) == 1
    assert DBTaskResult.objects.count() == len(DOCUMENTS)
    assert Counter.objects.get().pending_documents == 1 - len(DOCUMENTS)


@pytest.mark.parametrize("way", [enqueue_all, enqueue_all_in_transactions])
def test_new_documents(way) -> None:
    """No other test has these customers: where MariaDB removed one, its place is locked."""
    answers = in_threads([partial(way, f"by-{way.__name__}")] * THREADS)
    assert len(set(map(tuple, answers))) == 1
    assert DBTaskResult.objects.count() == len(DOCUMENTS)
    assert Counter.objects.get().pending_documents == 1 - len(DOCUMENTS)


def test_documents_that_were_decided_before() -> None:
    for document in DOCUMENTS:
        services.check("acme", document=document)
    answers = in_threads([enqueue_all] * THREADS)
    assert len(set(map(tuple, answers))) == 1
    assert DBTaskResult.objects.count() == len(DOCUMENTS)
    assert Counter.objects.get().pending_documents == 1 - len(DOCUMENTS)


def test_failed_documents_go_back_once() -> None:
    for document in DOCUMENTS:
        portal.process.enqueue("acme", document)
    DBTaskResult.objects.update(status="FAILED")
    in_threads([enqueue_all] * THREADS)
    assert DBTaskResult.objects.filter(status="READY").count() == len(DOCUMENTS)
    assert Counter.objects.get().pending_documents == 1 - len(DOCUMENTS)


def test_many_customers() -> None:
    def work(thread: int) -> None:
        for document in DOCUMENTS:
            portal.process.enqueue(f"customer-{thread % 2}", document)
            portal.count.enqueue(f"customer-{thread}")

    in_threads([partial(work, thread) for thread in range(THREADS)])
    rows = len(DOCUMENTS) * (2 + THREADS)
    assert DBTaskResult.objects.count() == rows
    assert sum(1 - counter.pending_documents for counter in Counter.objects.all()) == rows
