"""The live list agrees with peeks; moves under a policy; a customer's day and events."""

from collections import Counter as Tally
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import Count
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from doc_priority import selectors, services
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.selectors import LiveList, Move, Quarter, moves_under
from doc_priority.testing import frozen_time
from doc_priority.types import FLOOR, PolicyTerms, Recovery
from tests.factories import (
    CounterFactory,
    CustomerFactory,
    DocumentDecisionFactory,
    EventFactory,
    PolicyFactory,
)
from tests.vectors import START

pytestmark = pytest.mark.django_db

INTERVAL = timedelta(seconds=1500)
SECOND, MICROSECOND = timedelta(seconds=1), timedelta(microseconds=1)
SHALLOW = PolicyTerms(thresholds=(0, -1, -2, -3, -4, -5, -6, -7))


def add(key, policy, pending, updated=0 * SECOND, recovered=0 * SECOND, pinned=None) -> None:
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


def moments_around(*boundaries: timedelta) -> st.SearchStrategy[timedelta]:
    """How far from START."""
    passed = st.integers(-4_000_000_000, 100_000_000)
    return st.one_of(passed.map(lambda one: one * MICROSECOND), st.sampled_from(boundaries))


def test_agrees_with_a_peek() -> None:
    long_halving = {"recovery": "halving", "reset_interval": 31_536_000}
    policies = [
        None,
        Policy.objects.create(name="window", recovery="window", reset_interval=600),
        Policy.objects.create(name="halving", recovery="halving"),
        Policy.objects.create(name="short", reset_interval=10, thresholds=range(-1, -9, -1)),
        Policy.objects.create(name="long halving", **long_halving),
    ]
    far = st.sampled_from([FLOOR, -(2**20), 1 - 2**20, -(2**29)])
    counts = st.one_of(st.none(), st.integers(-60, 0), far)
    moments = moments_around(-INTERVAL, -INTERVAL - MICROSECOND, -INTERVAL / 10)
    pins = st.one_of(st.none(), st.tuples(st.integers(1, 9), moments))
    counters = st.tuples(st.sampled_from(policies), counts, moments, moments, pins)
    ranges = st.sampled_from([(1, 9), (1, 3), (4, 6), (7, 9), (5, 5)])

    @hypothesis_settings(max_examples=25)
    @given(counters=st.lists(counters, min_size=6, max_size=16), priorities=ranges)
    def agrees(counters, priorities: tuple[int, int]) -> None:
        Customer.objects.all().delete()
        for number, counter in enumerate(counters):
            add(f"c{number}", *counter)
        rows = {customer.key: customer for customer in Customer.objects.live(START)}
        assert len(rows) == len(counters)
        for key, row in rows.items():
            seen = services.peek(key, at=START)
            assert (row.pending_documents, row.priority) == (seen.pending_documents, seen.priority)
            assert (row.pinned, row.resets_at) == (seen.pinned, seen.resets_at)
            assert row.counting == (seen.resets_at is not None)
        best, worst = priorities
        found = Customer.objects.live(START).filter(priority__range=priorities)
        expected = {key for key, row in rows.items() if best <= row.priority <= worst}
        assert {customer.key for customer in found} == expected

        # Who is left out of the ordering is idle, at 1; all others are among the maybe active.
        live = LiveList(Customer.objects.live(START), selectors.activity(at=START))
        idle = {customer.key for customer in live.surely_idle}
        active = {customer.key for customer in live.maybe_active}
        moment = live.activity._asdict()
        assert {customer.key for customer in Customer.objects.moving(**moment)} == active
        assert {customer.key for customer in Customer.objects.resting(**moment)} == idle
        assert idle | active == rows.keys()
        assert not idle & active
        for row in (rows[key] for key in idle):
            assert (row.priority, row.pending_documents) == (1, 0)
            assert (row.counting, row.pinned, row.resets_at) == (False, False, None)
        narrowed = live.narrowed(best=best, worst=worst)
        assert {customer.key for customer in narrowed.queryset} == expected
        order = ("-priority", "pending_documents", "key")
        everybody = [(-row.priority, row.pending_documents, key) for key, row in rows.items()]
        listed = [row.key for row in live.after((), order=order, limit=99)]
        assert listed == [key for *_, key in sorted(everybody)]
        priorities_of_all = [row.priority for row in rows.values()]
        assert selectors.overview(Customer.objects.all(), at=START) == selectors.Overview(
            priorities={level: priorities_of_all.count(level) for level in range(1, 10)},
            counting=sum(row.counting and not row.pinned for row in rows.values()),
            pinned=sum(row.pinned for row in rows.values()),
        )

    agrees()


def test_can_be_filtered_ordered_and_counted():
    add("idle", None, -50, -INTERVAL * 2, -INTERVAL * 2)
    add("calm", None, -1)
    add("busy", None, -14)
    add("flood", None, -500)
    add("held", None, -500, pinned=(2, INTERVAL))
    add("ended", None, -500, pinned=(2, 0 * SECOND))
    add("never", None, None)
    live = Customer.objects.live(START)
    assert list(live.order_by("-priority", "key").values_list("key", "priority")) == [
        ("ended", 9),
        ("flood", 9),
        ("busy", 7),
        ("held", 2),
        ("calm", 1),
        ("idle", 1),
        ("never", 1),
    ]
    assert {customer.key for customer in live.filter(priority__gte=8)} == {"ended", "flood"}
    assert {customer.key for customer in live.filter(counting=False)} == {"idle", "never"}
    assert live.get(pinned=True).pinned_until == START + INTERVAL
    assert live.get(key="busy").resets_at == START + INTERVAL
    assert live.get(key="never").updated_at is None
    per_priority = live.order_by().values("priority").annotate(number=Count("pk"))
    assert {row["priority"]: row["number"] for row in per_priority} == {1: 3, 2: 1, 7: 1, 9: 2}


def test_the_overview_names_all_nine_priorities(django_assert_num_queries) -> None:
    add("busy", None, -14)
    add("flood", None, -30)
    CounterFactory(pinned_priority=9, pinned_until=START + INTERVAL, updated_at=START)
    with django_assert_num_queries(3):
        seen = selectors.overview(Customer.objects.all(), at=START)
    nine = dict.fromkeys(range(1, 10), 0) | {7: 1, 9: 2}
    assert seen == selectors.Overview(priorities=nine, counting=2, pinned=1)
    assert (seen.customers, seen.at_7_to_9) == (3, 3)

    # At a time of a zone whose clocks have just gone forward.
    Customer.objects.all().delete()
    here = (START + timedelta(minutes=40)).astimezone(ZoneInfo("Europe/Berlin"))
    CounterFactory(pending_documents=-30, updated_at=here)
    assert selectors.overview(Customer.objects.all(), at=here).priorities[9] == 1


def test_without_a_time_or_a_policy(settings) -> None:
    services.check_many(["acme"] * 2)
    customer = Customer.objects.live().get()
    assert (customer.pending_documents, customer.counting) == (-1, True)

    # The default policy comes from the settings.
    settings.DOC_PRIORITY = {"THRESHOLDS": [0, -1, -2, -3, -4, -5, -6, -7], "RESET_INTERVAL": 10}
    add("birch", None, -3)
    assert Customer.objects.live(START).get(key="birch").priority == 4
    assert Customer.objects.live(START + timedelta(seconds=11)).get(key="birch").priority == 1


def test_how_many_there_are_is_counted_where_they_are_few_or_narrowed(
    django_assert_num_queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL estimates a number that is too large to be counted each time."""
    known = 5
    CustomerFactory.create_batch(known)
    assert selectors.about_number_of(Customer.objects.live()) == known

    monkeypatch.setattr("doc_priority.selectors.MANY", known - 1)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE doc_priority_customer")
    CustomerFactory.create()
    customers = Customer.objects.live()
    assert selectors.about_number_of(customers.filter(name="nobody")) == 0
    assert selectors.about_number_of(customers.filter(key__gt="")) == known + 1
    assert selectors.number_of(customers) == known + 1
    if connection.vendor == "postgresql":
        with django_assert_num_queries(1):
            assert selectors.about_number_of(customers) == known


# MariaDB commits when it analyses a table.
@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
def test_the_few_that_may_be_active_are_found_by_both_indexes() -> None:
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
    active = LiveList(Customer.objects.all(), selectors.activity()).maybe_active
    assert active.count() == 2
    plan = active.explain()
    assert "doc_priority_counter_pinned" in plan
    updated_at = [
        name for name, one in found.items() if one["index"] and one["columns"] == ["updated_at"]
    ]
    assert updated_at[0] in plan


# The moves that other terms of a policy would bring, beside what the services then say.


def test_moves_are_counted_by_where_they_lead(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    gold = PolicyFactory(name="gold")
    for number, pending_documents in enumerate((0, -3, -3, -9, -50)):
        add(f"c{number}", gold, pending_documents)
    assert moves_under(gold, SHALLOW, at=START) == (
        Move(before=5, after=9, customers=1),
        Move(before=2, after=4, customers=2),
    )

    # Nobody moves under the terms that hold, and of other policies nobody moves.
    with django_assert_num_queries(0):
        assert moves_under(gold, gold.terms) == ()
    Customer.objects.all().delete()
    add("default", None, -9)
    add("other", PolicyFactory(), -9)
    add("no-counter", gold, None)
    Counter.objects.create(customer=CustomerFactory(policy=gold))
    assert moves_under(gold, SHALLOW, at=START) == ()

    # They take two queries, however many there are.
    for more, customers in [(1, 1), (29, 30)]:
        for _ in range(more):
            CounterFactory(customer__policy=gold, pending_documents=-9)
        with django_assert_num_queries(2):  # at the database's time, as none is given
            assert moves_under(gold, SHALLOW) == (Move(5, 9, customers),)


def test_moves_of_those_pinned_or_with_another_interval() -> None:
    gold = PolicyFactory(name="gold")
    add("pinned", gold, -9, pinned=(5, MICROSECOND))
    assert moves_under(gold, SHALLOW, at=START) == ()
    assert moves_under(gold, SHALLOW, at=START + MICROSECOND) == (Move(5, 9, 1),)

    # Another interval brings back what had passed, or ends what still counts.
    Customer.objects.all().delete()
    longer, shorter = PolicyTerms(reset_interval=3000), PolicyTerms(reset_interval=10)
    add("acme", gold, -9)
    assert moves_under(gold, longer, at=START + 3000 * SECOND) == (Move(1, 5, 1),)
    assert moves_under(gold, longer, at=START + 3000 * SECOND + MICROSECOND) == ()
    assert moves_under(gold, shorter, at=START + 10 * SECOND) == ()
    assert moves_under(gold, shorter, at=START + 11 * SECOND) == (Move(5, 1, 1),)


def test_moves_are_what_the_change_then_brings() -> None:
    thresholds = st.lists(st.integers(-40, 0), min_size=8, max_size=8, unique=True)
    terms = st.builds(
        PolicyTerms,
        reset_interval=st.sampled_from([10, 15, 600, 1500, 31_536_000]),
        recovery=st.sampled_from(Recovery),
        thresholds=thresholds.map(lambda given: tuple(sorted(given, reverse=True))),
    )
    moments = moments_around(
        *(-600 * SECOND, -1500 * SECOND, -1500 * SECOND - MICROSECOND, -150 * SECOND)
    )
    counts = st.one_of(st.integers(-60, 0), st.sampled_from([FLOOR, -(2**20)]))
    pins = st.one_of(st.none(), st.tuples(st.just(5), moments))
    counters = st.lists(st.tuples(counts, moments, moments, pins), max_size=8)

    @hypothesis_settings(max_examples=40)
    @given(before=terms, after=terms, counters=counters)
    def bring(before: PolicyTerms, after: PolicyTerms, counters) -> None:
        Customer.objects.all().delete()
        Policy.objects.all().delete()
        policy = PolicyFactory(name="gold", **asdict(before))
        for number, counter in enumerate(counters):
            add(f"c{number}", policy, *counter)
        keys = Customer.objects.order_by("key").values_list("key", flat=True)
        with frozen_time(START):
            moves = moves_under(policy, after)
            standing = [services.peek(key).priority for key in keys]
            services.change_policy("gold", **asdict(after))
            pairs = Tally(zip(standing, [services.peek(key).priority for key in keys], strict=True))
        assert {(move.before, move.after): move.customers for move in moves} == {
            (old, new): customers for (old, new), customers in pairs.items() if old != new
        }

    bring()


# A customer's day in quarters of an hour, and events with their customers.

NOW = datetime(2030, 5, 6, 12, 20, 30, tzinfo=UTC)
BEGINS, ENDS = (datetime(2030, 5, day, 12, 30, tzinfo=UTC) for day in (5, 6))

event = partial(EventFactory, customer="acme")


@pytest.fixture
def acme() -> Customer:
    return CustomerFactory(key="acme")


def test_documents_are_counted_by_quarters_of_an_hour_in_one_query(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    nine = datetime(2030, 5, 6, 9, tzinfo=UTC)
    for moment, priority in [
        (nine, 3),
        (nine + timedelta(minutes=1), 7),
        (nine + timedelta(minutes=15) - MICROSECOND, 7),
        (nine + timedelta(minutes=7), 2),
        (nine + timedelta(minutes=15), 4),
    ]:
        DocumentDecisionFactory(customer=acme, decided_at=moment, priority=priority)
    assert selectors.day_of("acme", now=NOW).quarters == (
        Quarter(nine, documents=4, worst=7, worst_at=nine + timedelta(minutes=15) - MICROSECOND),
        Quarter(
            nine + timedelta(minutes=15),
            documents=1,
            worst=4,
            worst_at=nine + timedelta(minutes=15),
        ),
    )

    for documents in (0, 1, 300):
        DocumentDecision.objects.all().delete()
        moments = [NOW - timedelta(minutes=5 * number) for number in range(documents)]
        DocumentDecision.objects.bulk_create(
            DocumentDecisionFactory.build(customer=acme, decided_at=moment, priority=number % 9 + 1)
            for number, moment in enumerate(moments)
        )
        with django_assert_num_queries(1):
            found = selectors.day_of("acme", now=NOW)
        assert len(found.quarters) == min(documents, 96)


def test_a_day_ends_with_the_quarter_that_runs_and_begins_24_hours_before(acme: Customer) -> None:
    for moment in (BEGINS - MICROSECOND, BEGINS, NOW, ENDS - MICROSECOND, ENDS):
        DocumentDecisionFactory(priority=1, customer=acme, decided_at=moment)
    DocumentDecisionFactory(
        priority=1, customer=CustomerFactory(key="Acme"), decided_at=NOW
    )  # nobody else's are counted
    with timezone.override("Asia/Kathmandu"):  # nor does the session's time zone count
        found = selectors.day_of("acme", now=NOW)
    assert (found.begins, found.ends) == (BEGINS, ENDS)
    assert found.documents == 3
    assert [quarter.begins for quarter in found.quarters] == [BEGINS, ENDS - timedelta(minutes=15)]

    # On the stroke of a quarter the next one runs.
    assert selectors.day_of("acme", now=ENDS).ends == ENDS + timedelta(minutes=15)
    assert selectors.day_of("acme", now=ENDS - MICROSECOND).ends == ENDS


def test_corrections_are_resets_and_pins_of_that_day(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """If there are too many, the newest are returned."""
    day = selectors.day_of("acme", now=NOW)
    wanted = [
        event(created_at=NOW - timedelta(hours=hours), kind=kind)
        for hours, kind in [(3, Event.Kind.RESET), (2, Event.Kind.PIN), (1, Event.Kind.UNPIN)]
    ]
    event(created_at=NOW, kind=Event.Kind.POLICY)
    event(customer="other", created_at=NOW)
    event(created_at=BEGINS - MICROSECOND)
    event(created_at=ENDS)
    assert selectors.corrections_of("acme", day=day) == wanted
    with django_assert_num_queries(1):
        assert selectors.corrections_of("acme", day=day, most=2) == wanted[-2:]

    # The latest resets come newest first, and nothing but resets.
    Event.objects.all().delete()
    CustomerFactory(key="other")
    old, new = (event(created_at=NOW + timedelta(hours=hours)) for hours in (0, 1))
    event(created_at=NOW, kind=Event.Kind.PIN)
    assert list(selectors.latest_resets(most=10)) == [new, old]
    assert list(selectors.latest_resets(most=1)) == [new]

    # They may be those of some customers.
    for key in ("other", "forgotten"):
        event(customer=key, created_at=NOW + timedelta(hours=2))
    with django_assert_num_queries(1):
        found = list(selectors.latest_resets(most=2, customers=Customer.objects.filter(key="acme")))
    assert found == [new, old]
    assert list(selectors.latest_resets(most=2, customers=Customer.objects.none())) == []


def test_an_event_brings_its_customer_while_that_exists_and_is_asked_for(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = CustomerFactory(key="other")
    for key in ("acme", "Acme", "", "other"):
        event(customer=key, created_at=NOW)
    with django_assert_num_queries(1):
        found = {
            one.customer: (one.customer_pk, one.customer_name)
            for one in selectors.with_customers(Event.objects.all())
        }
    nobody, known = (None, None), (acme.pk, acme.name)
    assert found == {"acme": known, "Acme": nobody, "": nobody, "other": (other.pk, other.name)}

    live = Customer.objects.live(NOW).filter(key="acme").order_by("-priority", "key")
    found = {
        one.customer: (one.customer_pk, one.customer_name)
        for one in selectors.with_customers(Event.objects.all(), customers=live)
    }
    assert found == {"acme": known, "Acme": nobody, "": nobody, "other": nobody}
