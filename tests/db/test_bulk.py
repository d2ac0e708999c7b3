"""Many checks in one call are as good as one after the other."""

from datetime import timedelta

import pytest
from django.db import connection
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from doc_priority import services
from doc_priority.exceptions import CustomerNotFound
from doc_priority.models import Counter, Customer, DocumentDecision, Policy
from tests.vectors import START

pytestmark = pytest.mark.django_db

keys = st.sampled_from(["a", "b", "B", "c"])
items = st.lists(
    st.one_of(keys, st.tuples(keys, st.sampled_from(["", "D-1", "D-2", "D-3"]))), max_size=12
)
calls = st.lists(st.tuples(items, st.integers(0, 2_000_000_000)), min_size=1, max_size=4)


def start_over():
    Customer.objects.all().delete()
    Policy.objects.all().delete()
    halving = Policy.objects.create(name="halving", recovery="halving")
    window = Policy.objects.create(name="window", recovery="window", reset_interval=600)
    Customer.objects.create(key="b", policy=halving)
    Customer.objects.create(key="c", policy=window)


def kept():
    return (
        list(Counter.objects.order_by("pk").values()),
        list(
            DocumentDecision.objects.order_by("customer_id", "document").values_list(
                "customer_id", "document", "pending_documents", "priority", "decided_at"
            )
        ),
    )


@hypothesis_settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(calls=calls)
def test_the_same_as_one_after_the_other(calls):
    start_over()
    moment, together = START, []
    for call, pause in calls:
        moment += timedelta(microseconds=pause)
        together += services.check_many(call, at=moment)
    expected = kept()
    start_over()
    moment, alone = START, []
    for call, pause in calls:
        moment += timedelta(microseconds=pause)
        for item in call:
            key, document = item if isinstance(item, tuple) else (item, "")
            alone.append(services.check(key, document=document, at=moment))
    assert together == alone
    assert kept() == expected


def test_nothing_asked_is_nothing_done(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert services.check_many([]) == []


def test_any_iterable_and_pairs_as_lists():
    decisions = services.check_many(item for item in ["a", ["a", "D-1"]])
    assert [decision.pending_documents for decision in decisions] == [0, -1]


def test_thousands_of_customers_in_a_handful_of_statements(django_assert_max_num_queries):
    many = [f"c{number}" for number in range(3000)]
    with django_assert_max_num_queries(16):
        services.check_many(many)
    with django_assert_max_num_queries(9):
        decisions = services.check_many(reversed(many * 2))
    assert decisions[0].customer == "c2999"
    assert {decision.pending_documents for decision in decisions} == {-1, -2}


def test_one_customer_that_may_not_be_made_counts_nothing(settings):
    services.check("known")
    settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": False}
    unknown = [f"c{number}" for number in range(12)]
    for items in [["known", *unknown], [("known", "D-1"), *unknown]]:
        with pytest.raises(CustomerNotFound, match="and 2 more"):
            services.check_many(items)
    assert Counter.objects.get().pending_documents == 0


@pytest.mark.parametrize(
    ("documents_of", "asked"),
    [
        ([1] * 250, [500]),
        ([1] * 251, [500, 2]),
        ([1] * 249 + [2], [501]),
        ([1] * 249 + [3], [498, 4]),
        ([499], [500]),
        ([500, 1], [501, 2]),
        ([700], [501, 201]),
        ([1, 499], [2, 500]),
        ([100, 100, 300], [202, 301]),
    ],
)
def test_decisions_are_looked_up_by_few_keys_at_a_time(documents_of, asked):
    """As many customers and documents as a statement of every database takes."""
    named = [
        (f"c{customer}", f"{customer}-{number}")
        for customer, count in enumerate(documents_of)
        for number in range(count)
    ]
    numbers = []

    def look(execute, sql, params, *rest):
        if sql.startswith("SELECT") and "documentdecision" in sql:
            numbers.append(len(params))
        return execute(sql, params, *rest)

    with connection.execute_wrapper(look):
        services.check_many(named)
    assert numbers == asked
    assert all(decision.repeated for decision in services.check_many(named))


def test_many_documents_of_many_customers(django_assert_max_num_queries):
    named = [(f"c{number % 40}", f"D-{number}") for number in range(2000)]
    first = services.check_many(named)
    assert not any(decision.repeated for decision in first)
    again = services.check_many(named)
    assert all(decision.repeated for decision in again)
    assert Counter.objects.filter(pending_documents=-49).count() == 40
