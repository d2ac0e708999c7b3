"""However many count at once, no document is lost, counted twice or put back in time."""

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from functools import partial

import pytest

from doc_priority.models import Counter
from tests.concurrency.counting import ACTIONS, Counted, assert_counted_exactly, make_customers
from tests.concurrency.crowd import in_processes, in_threads, shares_of

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

THREADS = 16
PROCESSES = 8
CHECKS = 4_000
"""By the threads and again by the processes; `make proof SUITE=counting FULL=1` does 100,000."""
FIRST_CHECKS = 1_600
UPDATES = 1_600

Crowd = Callable[[str, int, Sequence[str]], list[Counted]]


def threads(action: str, total: int, customers: Sequence[str]) -> list[Counted]:
    shares = shares_of(total, THREADS, customers)
    results = in_threads([partial(ACTIONS[action], share) for share in shares])
    return [one for seen in results for one in seen]


def processes(action: str, total: int, customers: Sequence[str]) -> list[Counted]:
    return in_processes(action, shares_of(total, PROCESSES, customers))


both_crowds = pytest.mark.parametrize("crowd", [threads, processes])


@pytest.mark.parametrize("count", [1, 50])
@both_crowds
def test_every_check_counts_once(crowd: Crowd, count: int) -> None:
    customers = make_customers(count)
    seen = crowd("check", CHECKS, customers)
    assert Tally(one.customer for one in seen) == dict.fromkeys(customers, CHECKS // count)
    assert_counted_exactly(seen)


@both_crowds
def test_customers_seen_first_by_many_at_once(crowd: Crowd) -> None:
    customers = [f"new-{number:02}" for number in range(50)]
    seen = crowd("check", FIRST_CHECKS, customers)
    assert len(seen) == FIRST_CHECKS
    assert_counted_exactly(seen)


@both_crowds
def test_the_same_crowd_finds_counts_that_are_lost(crowd: Crowd) -> None:
    (key,) = make_customers(1)
    crowd("read_then_save", UPDATES, [key])
    assert -UPDATES < Counter.objects.get(customer=key).pending_documents < 0
