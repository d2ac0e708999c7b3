"""A customer's day in quarters of an hour, and events with their customers."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from doc_priority.models import Customer, DocumentDecision, Event
from doc_priority.selectors import (
    Day,
    Quarter,
    corrections_of,
    day_of,
    latest_resets,
    with_customers,
)
from tests.factories import CustomerFactory, DocumentDecisionFactory, EventFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2030, 5, 6, 12, 20, 30, tzinfo=UTC)
BEGINS = datetime(2030, 5, 5, 12, 30, tzinfo=UTC)
ENDS = datetime(2030, 5, 6, 12, 30, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def document(customer: Customer, *, at: datetime, priority: int = 1) -> None:
    DocumentDecisionFactory(customer=customer, decided_at=at, priority=priority)


def event(customer: str, *, at: datetime, kind: Event.Kind = Event.Kind.RESET) -> Event:
    return EventFactory(customer=customer, created_at=at, kind=kind)


@pytest.fixture
def acme() -> Customer:
    return CustomerFactory(key="acme")


@pytest.fixture
def day(acme: Customer) -> Day:
    return day_of("acme", now=NOW)


def test_documents_are_counted_by_quarters_of_an_hour(acme: Customer) -> None:
    nine = datetime(2030, 5, 6, 9, tzinfo=UTC)
    for moment, priority in [
        (nine, 3),
        (nine + timedelta(minutes=15) - MICROSECOND, 7),
        (nine + timedelta(minutes=7), 2),
        (nine + timedelta(minutes=15), 4),
    ]:
        document(acme, at=moment, priority=priority)

    assert day_of("acme", now=NOW).quarters == (
        Quarter(nine, documents=3, worst=7),
        Quarter(nine + timedelta(minutes=15), documents=1, worst=4),
    )


def test_a_day_ends_with_the_quarter_that_runs_and_begins_24_hours_before(acme: Customer) -> None:
    for moment in (BEGINS - MICROSECOND, BEGINS, NOW, ENDS - MICROSECOND, ENDS):
        document(acme, at=moment)

    found = day_of("acme", now=NOW)

    assert (found.begins, found.ends) == (BEGINS, ENDS)
    assert found.documents == 3
    assert [quarter.begins for quarter in found.quarters] == [BEGINS, ENDS - timedelta(minutes=15)]


def test_on_the_stroke_of_a_quarter_the_next_one_runs(acme: Customer) -> None:
    assert day_of("acme", now=ENDS).ends == ENDS + timedelta(minutes=15)
    assert day_of("acme", now=ENDS - MICROSECOND).ends == ENDS


def test_nobody_elses_documents_are_counted(acme: Customer) -> None:
    document(CustomerFactory(key="Acme"), at=NOW)
    assert day_of("acme", now=NOW).quarters == ()
    assert day_of("acme", now=NOW).documents == 0


@pytest.mark.parametrize("documents", [0, 1, 300])
def test_a_day_takes_one_query(
    acme: Customer, documents: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    DocumentDecision.objects.bulk_create(
        DocumentDecisionFactory.build(
            customer=acme, decided_at=NOW - timedelta(minutes=5 * number), priority=number % 9 + 1
        )
        for number in range(documents)
    )
    with django_assert_num_queries(1):
        found = day_of("acme", now=NOW)
    assert len(found.quarters) == min(documents, 96)


def test_the_session_s_time_zone_changes_nothing(acme: Customer) -> None:
    document(acme, at=BEGINS)
    with timezone.override("Asia/Kathmandu"):
        assert day_of("acme", now=NOW).quarters == (Quarter(BEGINS, documents=1, worst=1),)


def test_corrections_are_resets_and_pins_of_that_day(day: Day) -> None:
    wanted = [
        event("acme", at=NOW - timedelta(hours=hours), kind=kind)
        for hours, kind in [(3, Event.Kind.RESET), (2, Event.Kind.PIN), (1, Event.Kind.UNPIN)]
    ]
    event("acme", at=NOW, kind=Event.Kind.POLICY)
    event("other", at=NOW)
    event("acme", at=BEGINS - MICROSECOND)
    event("acme", at=ENDS)

    assert corrections_of("acme", day=day) == wanted


def test_of_too_many_corrections_the_newest_are_kept(
    day: Day, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    events = [event("acme", at=NOW - timedelta(minutes=minutes)) for minutes in (4, 3, 2, 1)]
    with django_assert_num_queries(1):
        assert corrections_of("acme", day=day, most=2) == events[-2:]


def test_the_latest_resets_are_newest_first_and_nothing_but_resets() -> None:
    old, new = (event("acme", at=NOW + timedelta(hours=hours)) for hours in (0, 1))
    event("acme", at=NOW, kind=Event.Kind.PIN)

    assert list(latest_resets(most=10)) == [new, old]
    assert list(latest_resets(most=1)) == [new]


def test_the_latest_resets_may_be_those_of_some_customers(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = CustomerFactory(key="other")
    old, new = (event("acme", at=NOW + timedelta(hours=hours)) for hours in (0, 1))
    for key in (other.key, "forgotten"):
        event(key, at=NOW + timedelta(hours=2))

    with django_assert_num_queries(1):
        found = list(latest_resets(most=2, customers=Customer.objects.filter(key="acme")))
    assert found == [new, old]
    assert list(latest_resets(most=2, customers=Customer.objects.none())) == []


def test_an_event_brings_only_customers_that_are_asked_for(acme: Customer) -> None:
    event("acme", at=NOW)
    event(CustomerFactory(key="other").key, at=NOW)
    live = Customer.objects.live(NOW).filter(key="acme").order_by("-priority", "key")
    found = {one.customer: one for one in with_customers(Event.objects.all(), customers=live)}
    assert (found["acme"].customer_pk, found["acme"].customer_name) == (acme.pk, acme.name)
    assert (found["other"].customer_pk, found["other"].customer_name) == (None, None)


def test_an_event_brings_its_customer_while_that_exists(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for key in ("acme", "Acme", ""):
        event(key, at=NOW)
    with django_assert_num_queries(1):
        found = {
            one.customer: (one.customer_pk, one.customer_name)
            for one in with_customers(Event.objects.all())
        }
    assert found == {"acme": (acme.pk, acme.name), "Acme": (None, None), "": (None, None)}
