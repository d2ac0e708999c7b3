"""A customer deleted while it is checked is made again; no check fails for that."""

from functools import partial

import pytest

from doc_priority import services
from doc_priority.exceptions import CounterBusy, CustomerNotFound, TransactionConflict
from doc_priority.models import Counter, DocumentDecision
from tests.concurrency.crowd import in_threads

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

CHECKS = 60
DELETIONS = 25


def check_alone(name: str) -> list[int]:
    return [services.check("acme").pending_documents for _ in range(CHECKS)]


def check_named(name: str) -> list[int]:
    return [
        services.check("acme", document=f"{name}-{number % 3}").pending_documents
        for number in range(CHECKS)
    ]


def check_together(name: str) -> list[int]:
    return [services.check_many(["acme", "birch"])[0].pending_documents for _ in range(CHECKS)]


def forget(name: str) -> list[int]:
    """Forgetting may lose against the checks; that is its caller's to repeat."""
    forgotten = 0
    for _ in range(DELETIONS):
        try:
            services.forget("acme", reason="test")
            forgotten += 1
        except (CustomerNotFound, CounterBusy, TransactionConflict):
            continue
    return [forgotten]


def test_checks_go_on_while_their_customer_is_forgotten() -> None:
    services.check("acme")
    works = [check_alone, check_named, check_together, check_named]
    results = in_threads(
        [partial(work, f"t{number}") for number, work in enumerate(works)] + [partial(forget, "f")]
    )
    *seen, [forgotten] = results
    assert [len(one) for one in seen] == [CHECKS] * len(works)
    assert forgotten > 0
    last = Counter.objects.get(customer__key="acme").pending_documents
    assert DocumentDecision.objects.filter(customer__key="acme").count() <= 1 - last
