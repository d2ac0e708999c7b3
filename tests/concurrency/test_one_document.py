"""One document, checked by many at once, is counted once."""

from dataclasses import replace
from functools import partial

import pytest

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from doc_priority.types import Decision
from tests.concurrency.crowd import in_threads

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

THREADS = 16
DOCUMENTS = [f"D-{number}" for number in range(25)]


def one_by_one(key: str) -> list[Decision]:
    return [services.check(key, document=document) for document in DOCUMENTS]


def all_at_once(key: str) -> list[Decision]:
    return services.check_many([(key, document) for document in DOCUMENTS])


def one_per_call(key: str) -> list[Decision]:
    return [services.check_many([(key, document)])[0] for document in DOCUMENTS]


@pytest.mark.parametrize(
    "ways",
    [
        [one_by_one] * THREADS,
        [all_at_once] * THREADS,
        [one_by_one, one_per_call, one_per_call, all_at_once] * (THREADS // 4),
    ],
    ids=["check", "check_many", "both"],
)
def test_a_document_counts_once(ways) -> None:
    decided = in_threads([partial(way, "acme") for way in ways])
    for decisions in zip(*decided, strict=True):
        assert [decision.repeated for decision in decisions].count(False) == 1
        assert len({replace(decision, repeated=False) for decision in decisions}) == 1
    counts = sorted(decision.pending_documents for decision in decided[0])
    assert counts == sorted(-number for number in range(len(DOCUMENTS)))
    assert Counter.objects.get().pending_documents == 1 - len(DOCUMENTS)
    assert DocumentDecision.objects.count() == len(DOCUMENTS)


def test_a_repeated_document_beside_others() -> None:
    """Each thread has documents of its own between those that all of them repeat."""

    def work(thread: int) -> list[Decision]:
        return [
            services.check("acme", document=name)
            for document in DOCUMENTS
            for name in (document, f"{document} of {thread}")
        ]

    decided = in_threads([partial(work, thread) for thread in range(THREADS)])
    counted = [one for decisions in decided for one in decisions if not one.repeated]
    assert len(counted) == len(DOCUMENTS) * (THREADS + 1)
    assert sorted(-one.pending_documents for one in counted) == list(range(len(counted)))
    assert Counter.objects.get().pending_documents == 1 - len(counted)
