"""The moves that other terms of a policy would bring, beside what the services then say."""

from collections import Counter as Tally
from dataclasses import asdict
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.selectors import Move, moves_under
from doc_priority.testing import frozen_time
from doc_priority.types import FLOOR, PolicyTerms, Recovery
from tests.factories import CounterFactory, CustomerFactory, PolicyFactory
from tests.vectors import START

pytestmark = pytest.mark.django_db

MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)
SHALLOW = PolicyTerms(thresholds=(0, -1, -2, -3, -4, -5, -6, -7))


@pytest.fixture
def gold() -> Policy:
    return PolicyFactory(name="gold")


def add(
    policy: Policy | None,
    pending_documents: int,
    *,
    updated_at: datetime = START,
    recovered_at: datetime | None = None,
    pinned_until: datetime | None = None,
) -> None:
    Counter.objects.create(
        customer=CustomerFactory(policy=policy),
        pending_documents=pending_documents,
        updated_at=updated_at,
        recovered_at=min(updated_at, recovered_at or updated_at),
        pinned_priority=pinned_until and 5,
        pinned_until=pinned_until,
    )


def test_they_are_counted_by_where_they_lead(gold: Policy) -> None:
    for pending_documents in (0, -3, -3, -9, -50):
        add(gold, pending_documents)
    assert moves_under(gold, SHALLOW, at=START) == (
        Move(before=5, after=9, customers=1),
        Move(before=2, after=4, customers=2),
    )


def test_nobody_moves_under_the_terms_that_hold(
    gold: Policy, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    add(gold, -9)
    with django_assert_num_queries(0):
        assert moves_under(gold, gold.terms) == ()


def test_only_those_who_have_the_policy_move(gold: Policy) -> None:
    add(None, -9)
    add(PolicyFactory(), -9)
    CustomerFactory(policy=gold)
    Counter.objects.create(customer=CustomerFactory(policy=gold))
    assert moves_under(gold, SHALLOW, at=START) == ()


def test_pinned_customers_stay_until_the_pin_is_over(gold: Policy) -> None:
    add(gold, -9, pinned_until=START + MICROSECOND)
    assert moves_under(gold, SHALLOW, at=START) == ()
    assert moves_under(gold, SHALLOW, at=START + MICROSECOND) == (Move(5, 9, 1),)


def test_another_interval_brings_back_what_had_passed_or_ends_what_still_counts(
    gold: Policy,
) -> None:
    longer, shorter = PolicyTerms(reset_interval=3000), PolicyTerms(reset_interval=10)
    add(gold, -9)
    assert moves_under(gold, longer, at=START + 3000 * SECOND) == (Move(1, 5, 1),)
    assert moves_under(gold, longer, at=START + 3000 * SECOND + MICROSECOND) == ()
    assert moves_under(gold, shorter, at=START + 10 * SECOND) == ()
    assert moves_under(gold, shorter, at=START + 11 * SECOND) == (Move(5, 1, 1),)


@pytest.mark.parametrize("customers", [1, 30])
def test_takes_two_queries_however_many_there_are(
    gold: Policy, customers: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(customers):
        CounterFactory(customer__policy=gold, pending_documents=-9)
    with django_assert_num_queries(2):  # at the database's time, as none is given
        assert moves_under(gold, SHALLOW) == (Move(5, 9, customers),)


terms_of_policies = st.builds(
    PolicyTerms,
    reset_interval=st.sampled_from([10, 15, 600, 1500, 31_536_000]),
    recovery=st.sampled_from(Recovery),
    thresholds=st.lists(st.integers(-40, 0), min_size=8, max_size=8, unique=True).map(
        lambda given: tuple(sorted(given, reverse=True))
    ),
)
moments = st.one_of(
    st.integers(-4_000_000_000, 100_000_000).map(lambda passed: passed * MICROSECOND),
    st.sampled_from([-600 * SECOND, -1500 * SECOND, -1500 * SECOND - MICROSECOND, -150 * SECOND]),
)
counters = st.lists(
    st.tuples(
        st.one_of(st.integers(-60, 0), st.sampled_from([FLOOR, -(2**20)])),
        moments,
        moments,
        st.one_of(st.none(), moments),
    ),
    max_size=8,
)


@hypothesis_settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=terms_of_policies, after=terms_of_policies, counters=counters)
def test_they_are_what_the_change_then_brings(
    db: None,
    before: PolicyTerms,
    after: PolicyTerms,
    counters: list[tuple[int, timedelta, timedelta, timedelta | None]],
) -> None:
    Customer.objects.all().delete()
    Policy.objects.all().delete()
    policy = PolicyFactory(name="gold", **asdict(before))
    for pending_documents, updated, recovered, pinned in counters:
        add(
            policy,
            pending_documents,
            updated_at=START + updated,
            recovered_at=START + recovered,
            pinned_until=None if pinned is None else START + pinned,
        )
    keys = Customer.objects.order_by("key").values_list("key", flat=True)
    with frozen_time(START):
        moves = moves_under(policy, after)
        standing = [services.peek(key).priority for key in keys]
        services.change_policy("gold", **asdict(after))
        pairs = Tally(zip(standing, [services.peek(key).priority for key in keys], strict=True))
    assert {(move.before, move.after): move.customers for move in moves} == {
        (old, new): customers for (old, new), customers in pairs.items() if old != new
    }
