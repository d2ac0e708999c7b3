"""Customers made, named and deleted at the same time; who is told CounterBusy tries again."""

from collections.abc import Callable
from functools import partial
from threading import Barrier

import pytest

from doc_priority import services
from doc_priority.exceptions import CounterBusy, CustomerNotFound
from doc_priority.models import Counter, DocumentDecision
from tests.concurrency.crowd import in_threads

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

ROUNDS = 25


def check_alone(number: int) -> None:
    services.check("acme")


def check_named(number: int) -> None:
    services.check("acme", document=f"D-{number % 3}")


def check_together(number: int) -> None:
    services.check_many(["acme", "birch"])


def forget(number: int) -> None:
    """Who forgets may come when others have forgotten already."""
    try:
        services.forget("acme", reason="test")
    except CustomerNotFound:
        assert number >= 0


def in_rounds(work: Callable[[int], None], barrier: Barrier) -> int:
    try:
        for number in range(ROUNDS):
            barrier.wait(30)
            _until_not_busy(work, number)
    except BaseException:
        barrier.abort()
        raise
    return ROUNDS


def _until_not_busy(work: Callable[[int], None], number: int) -> None:
    for _ in range(5):
        try:
            return work(number)
        except CounterBusy:
            continue
    raise CounterBusy


def keep(number: int) -> None:
    assert services.keep_customer("acme", name=f"Acme {number}").key == "acme"


def test_a_customer_is_kept_in_step_while_others_make_and_erase_it() -> None:
    works = [check_alone, keep, check_named, keep, forget]
    barrier = Barrier(len(works))
    assert in_threads([partial(in_rounds, work, barrier) for work in works]) == [ROUNDS] * 5
    assert services.keep_customer("acme", name="Acme").name == "Acme"


def test_checks_go_on_while_their_customer_is_forgotten() -> None:
    services.check("acme")
    works = [check_alone, check_named, check_together, check_named, forget]
    barrier = Barrier(len(works))
    assert in_threads([partial(in_rounds, work, barrier) for work in works]) == [ROUNDS] * 5
    services.check("acme")
    last = Counter.objects.get(customer__key="acme").pending_documents
    assert DocumentDecision.objects.filter(customer__key="acme").count() <= 1 - last
