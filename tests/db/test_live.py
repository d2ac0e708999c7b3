"""The live list says in SQL what a peek at every customer says."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import Count
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from doc_priority import services
from doc_priority.models import Counter, Customer, Policy
from doc_priority.selectors import Overview, about_number_of, activity, number_of, overview
from doc_priority.types import FLOOR
from tests.factories import CounterFactory, CustomerFactory
from tests.vectors import START

pytestmark = pytest.mark.django_db

INTERVAL = timedelta(seconds=1500)


def add(key, policy, pending, updated, recovered, pinned=None) -> None:
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


@pytest.fixture
def policies() -> list[Policy | None]:
    shallow = [-1, -2, -3, -4, -5, -6, -7, -8]
    return [
        None,
        Policy.objects.create(name="window", recovery="window", reset_interval=600),
        Policy.objects.create(name="halving", recovery="halving"),
        Policy.objects.create(name="short", reset_interval=10, thresholds=shallow),
        Policy.objects.create(name="long halving", recovery="halving", reset_interval=31_536_000),
    ]


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
    min_size=6,
    max_size=16,
)


ranges = st.sampled_from([(1, 9), (1, 3), (4, 6), (7, 9), (5, 5)])


@hypothesis_settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(counters=counters, priorities=ranges)
def test_agrees_with_a_peek(policies, counters, priorities: tuple[int, int]) -> None:
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
    best, worst = priorities
    found = Customer.objects.live(START).at_priorities(best, worst)
    expected = {key for key, row in rows.items() if best <= row.priority <= worst}
    assert {customer.key for customer in found} == expected

    # Who is left out of the ordering stands at 1, idle; everybody else is among those moving.
    moment = activity(at=START)._asdict()
    resting = set(Customer.objects.resting(**moment).values_list("key", flat=True))
    moving = set(Customer.objects.moving(**moment).values_list("key", flat=True))
    assert resting | moving == rows.keys()
    assert not resting & moving
    for row in (rows[key] for key in resting):
        assert (row.priority, row.pending_documents) == (1, 0)
        assert (row.counting, row.pinned) == (False, False)
    priorities_of_all = [row.priority for row in rows.values()]
    assert overview(Customer.objects.all(), at=START) == Overview(
        priorities={level: priorities_of_all.count(level) for level in range(1, 10)},
        counting=sum(row.counting and not row.pinned for row in rows.values()),
        pinned=sum(row.pinned for row in rows.values()),
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


def test_the_overview_names_all_nine_priorities(django_assert_num_queries) -> None:
    add("busy", None, -14, timedelta(), timedelta())
    add("flood", None, -30, timedelta(), timedelta())
    CounterFactory(pinned_priority=9, pinned_until=START + INTERVAL, updated_at=START)
    with django_assert_num_queries(3):
        seen = overview(Customer.objects.all(), at=START)
    nine = dict.fromkeys(range(1, 10), 0) | {7: 1, 9: 2}
    assert seen == Overview(priorities=nine, counting=2, pinned=1)
    assert (seen.customers, seen.waiting) == (3, 3)


def test_the_overview_at_a_time_of_a_zone_whose_clocks_have_just_gone_forward() -> None:
    here = (START + timedelta(minutes=40)).astimezone(ZoneInfo("Europe/Berlin"))
    CounterFactory(pending_documents=-30, updated_at=here)
    assert overview(Customer.objects.all(), at=here).priorities[9] == 1


def test_without_a_time_the_databases_clock_counts() -> None:
    services.check_many(["acme"] * 2)
    customer = Customer.objects.live().get()
    assert (customer.pending_documents, customer.counting) == (-1, True)


def test_default_policy_comes_from_the_settings(settings) -> None:
    settings.DOC_PRIORITY = {"THRESHOLDS": [0, -1, -2, -3, -4, -5, -6, -7], "RESET_INTERVAL": 10}
    add("acme", None, -3, timedelta(), timedelta())
    assert Customer.objects.live(START).get().priority == 4
    assert Customer.objects.live(START + timedelta(seconds=11)).get().priority == 1


def test_how_many_there_are_is_counted_where_they_are_few_or_narrowed(
    django_assert_num_queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of too many to count each time PostgreSQL tells what it knows."""
    known = 5
    CustomerFactory.create_batch(known)
    assert about_number_of(Customer.objects.live()) == known

    monkeypatch.setattr("doc_priority.selectors.numbers.MANY", known - 1)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE doc_priority_customer")
    CustomerFactory.create()
    customers = Customer.objects.live()
    assert about_number_of(customers.filter(name="nobody")) == 0
    assert about_number_of(customers.filter(key__gt="")) == known + 1
    assert number_of(customers) == known + 1
    if connection.vendor == "postgresql":
        with django_assert_num_queries(1):
            assert about_number_of(customers) == known


# MariaDB commits when it analyses a table.
@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
def test_those_moving_among_many_at_rest_are_found_by_both_indexes() -> None:
    keys = [f"customer-{number}" for number in range(5_000)]
    Customer.objects.bulk_create([Customer(key=key) for key in keys], batch_size=1_000)
    now = datetime.now(UTC)
    long_ago = {"updated_at": now - timedelta(days=2), "recovered_at": now - timedelta(days=2)}
    counters = [Counter(customer_id=key, **long_ago) for key in keys]
    counters[0].updated_at = now
    counters[1].pinned_priority = 2
    counters[1].pinned_until = now + timedelta(hours=1)
    Counter.objects.bulk_create(counters, batch_size=1_000)
    with connection.cursor() as cursor:
        tables = "doc_priority_counter, doc_priority_customer"
        cursor.execute(f"ANALYZE TABLE {tables}" if connection.vendor == "mysql" else "ANALYZE")
        found = connection.introspection.get_constraints(cursor, Counter._meta.db_table)
    moment = activity()
    moving = Customer.objects.moving(now=moment.now, since=moment.since)
    assert moving.count() == 2
    plan = moving.explain()
    assert "doc_priority_counter_pinned" in plan
    updated_at = [
        name for name, one in found.items() if one["index"] and one["columns"] == ["updated_at"]
    ]
    assert updated_at[0] in plan
