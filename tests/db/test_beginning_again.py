"""How a call begins again: after which pauses, and never in a transaction of the host's."""

import pytest
from django.db import transaction

from doc_priority import services
from doc_priority.exceptions import TransactionConflict
from doc_priority.models import Counter
from doc_priority.services import locking, transactions
from doc_priority.services.transactions import together
from tests.concurrency.crowd import in_threads
from tests.conflicts import conflict

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Before which attempts there was one."""
    attempts: list[int] = []
    for module in (transactions, locking):
        monkeypatch.setattr(module, "pause_before", attempts.append)
    return attempts


def test_the_pauses_after_conflicts_grow(pauses: list[int]) -> None:
    obstacles = [conflict] * 3

    def work() -> None:
        services.check("acme")
        if obstacles:
            obstacles.pop()()

    together(work)
    assert pauses == [2, 3, 4]
    assert Counter.objects.get().pending_documents == 0


def test_the_first_call_of_a_thread_begins_again(pauses: list[int]) -> None:
    services.check("acme")
    obstacles = [conflict]

    def work() -> None:
        services.check("acme")
        if obstacles:
            obstacles.pop()()

    in_threads([lambda: together(work)], prepare=lambda: None)
    assert pauses[-1] == 2
    assert Counter.objects.get().pending_documents == -1


def test_there_is_one_before_counters_are_made(pauses: list[int]) -> None:
    services.check_many(["acme"])
    services.check_many(["acme"])
    assert pauses == [0, 1, 0]


def test_who_commits_by_hand_is_told_of_a_conflict(pauses: list[int]) -> None:
    services.check("acme")
    transaction.set_autocommit(False)
    try:
        with pytest.raises(TransactionConflict):
            together(conflict)
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)
    assert pauses == []
