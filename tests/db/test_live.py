"""The live list says in SQL what a peek at every customer says."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db.models import Count
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.selectors import Overview, activity, overview
from doc_priority.types import FLOOR
from tests.factories import CounterFactory
from tests.vectors import START

pytestmark = pytest.mark.django_db

INTERVAL = timedelta(seconds=1500)


@pytest.fixture
def policies():
    shallow = [-1, -2, -3, -4, -5, -6, -7, -8]
    return [
        None,
        Policy.objects.create(name="window", recovery="window", reset_interval=600),
        Policy.objects.create(name="halving", recovery="halving"),
        Policy.objects.create(name="short", reset_interval=10, thresholds=shallow),
        Policy.objects.create(name="long halving", recovery="halving", reset_interval=31_536_000),
    ]


def add(key, policy, pending, updated, recovered, pinned=None):
    customer = Customer.objects.create(key=key, policy=policy)
    if pending is not None:
        Counter.objects.create(
            customer=customer,
            pending_documents=pending,
            updated_at=START + updated,
            recovered_at=START + min(updated, recovered),
            pinned_priority=pinned and pinned[0],
            pinned_until=pinned and START + pinned[1],
        )


moments = st.one_of(
    st.integers(-4_000_000_000, 100_000_000).map(lambda us: timedelta(microseconds=us)),
    st.sampled_from([-INTERVAL, -INTERVAL - timedelta(microseconds=1), -INTERVAL / 10]),
)
counters = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.one_of(
            st.none(), st.integers(-60, 0), st.sampled_from([FLOOR, -(2**20), 1 - 2**20, -(2**29)])
        ),
        moments,
        moments,
        st.one_of(st.none(), st.tuples(st.integers(1, 9), moments)),
    ),
    min_size=1,
    max_size=12,
)


@hypothesis_settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(counters=counters)
def test_agrees_with_a_peek(policies, counters):
    Customer.objects.all().delete()
    for number, (policy, *counter) in enumerate(counters):
        add(f"c{number}", policies[policy], *counter)
    rows = {customer.key: customer for customer in Customer.objects.live(START)}
    assert len(rows) == len(counters)
    for key, row in rows.items():
        seen = services.peek(key, at=START)
        assert (row.pending_documents, row.priority) == (seen.pending_documents, seen.priority)
        assert (row.pinned, row.resets_at) == (seen.pinned, seen.resets_at)
        assert row.counting == (seen.resets_at is not None)
    assert_that_rest_is_rest(rows)
    for best, worst in ((1, 9), (1, 3), (4, 6), (7, 9), (5, 5)):
        found = Customer.objects.live(START).at_priorities(best, worst)
        expected = {key for key, row in rows.items() if best <= row.priority <= worst}
        assert {customer.key for customer in found} == expected


def assert_that_rest_is_rest(rows):
    """Who is left out of the ordering stands at 1, idle; everybody else is among those moving."""
    moment = activity(at=START)._asdict()
    resting = set(Customer.objects.resting(**moment).values_list("key", flat=True))
    moving = set(Customer.objects.moving(**moment).values_list("key", flat=True))
    assert resting | moving == rows.keys()
    assert not resting & moving
    for key in resting:
        row = rows[key]
        assert (row.priority, row.pending_documents, row.counting, row.pinned) == (
            1,
            0,
            False,
            False,
        )
    assert overview(Customer.objects.all(), at=START) == Overview(
        priorities={level: count(rows, priority=level) for level in range(1, 10)},
        counting=count(rows, counting=True, pinned=False),
        pinned=count(rows, pinned=True),
    )


def count(rows, **values):
    return sum(
        all(getattr(row, name) == value for name, value in values.items()) for row in rows.values()
    )


def test_can_be_filtered_ordered_and_counted():
    add("idle", None, -50, -INTERVAL * 2, -INTERVAL * 2)
    add("calm", None, -1, timedelta(), timedelta())
    add("busy", None, -14, timedelta(), timedelta())
    add("flood", None, -500, timedelta(), timedelta())
    add("held", None, -500, timedelta(), timedelta(), (2, INTERVAL))
    add("never", None, None, None, None)
    live = Customer.objects.live(START)
    assert list(live.order_by("-priority", "key").values_list("key", "priority")) == [
        ("flood", 9),
        ("busy", 7),
        ("held", 2),
        ("calm", 1),
        ("idle", 1),
        ("never", 1),
    ]
    assert {customer.key for customer in live.filter(priority__gte=7)} == {"busy", "flood"}
    assert {customer.key for customer in live.filter(counting=False)} == {"idle", "never"}
    assert live.get(pinned=True).pinned_until == START + INTERVAL
    assert live.get(key="busy").resets_at == START + INTERVAL
    assert live.get(key="never").updated_at is None
    per_priority = live.order_by().values("priority").annotate(number=Count("pk"))
    assert {row["priority"]: row["number"] for row in per_priority} == {1: 3, 2: 1, 7: 1, 9: 1}


def test_the_overview_names_all_nine_priorities(django_assert_num_queries):
    add("busy", None, -14, timedelta(), timedelta())
    add("flood", None, -30, timedelta(), timedelta())
    CounterFactory(pinned_priority=9, pinned_until=START + INTERVAL, updated_at=START)
    with django_assert_num_queries(3):
        seen = overview(Customer.objects.all(), at=START)
    nine = dict.fromkeys(range(1, 10), 0) | {7: 1, 9: 2}
    assert seen == Overview(priorities=nine, counting=2, pinned=1)
    assert (seen.customers, seen.waiting) == (3, 3)


def test_the_overview_at_a_time_of_a_zone_whose_clocks_have_just_gone_forward():
    here = (START + timedelta(minutes=40)).astimezone(ZoneInfo("Europe/Berlin"))
    CounterFactory(pending_documents=-30, updated_at=here)
    assert overview(Customer.objects.all(), at=here).priorities[9] == 1


def test_without_a_time_the_databases_clock_counts():
    services.check("acme")
    services.check("acme")
    customer = Customer.objects.live().get()
    assert (customer.pending_documents, customer.counting) == (-1, True)


def test_default_policy_comes_from_the_settings(settings):
    settings.DOC_PRIORITY = {"THRESHOLDS": [0, -1, -2, -3, -4, -5, -6, -7], "RESET_INTERVAL": 10}
    add("acme", None, -3, timedelta(), timedelta())
    assert Customer.objects.live(START).get().priority == 4
    assert Customer.objects.live(START + timedelta(seconds=11)).get().priority == 1
