"""A customer's day in quarters of an hour, and events with their customers."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from doc_priority.models import Customer, DocumentDecision, Event
from doc_priority.selectors import (
    Quarter,
    corrections_of,
    day_of,
    latest_resets,
    with_customers,
)
from tests.factories import CustomerFactory, DocumentDecisionFactory, EventFactory

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

NOW = datetime(2030, 5, 6, 12, 20, 30, tzinfo=UTC)
BEGINS = datetime(2030, 5, 5, 12, 30, tzinfo=UTC)
ENDS = datetime(2030, 5, 6, 12, 30, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


document = partial(DocumentDecisionFactory, priority=1)
event = partial(EventFactory, customer="acme")


@pytest.fixture
def acme() -> Customer:
    return CustomerFactory(key="acme")


def test_documents_are_counted_by_quarters_of_an_hour(acme: Customer) -> None:
    nine = datetime(2030, 5, 6, 9, tzinfo=UTC)
    for moment, priority in [
        (nine, 3),
        (nine + timedelta(minutes=15) - MICROSECOND, 7),
        (nine + timedelta(minutes=7), 2),
        (nine + timedelta(minutes=15), 4),
    ]:
        document(customer=acme, decided_at=moment, priority=priority)
    assert day_of("acme", now=NOW).quarters == (
        Quarter(nine, documents=3, worst=7),
        Quarter(nine + timedelta(minutes=15), documents=1, worst=4),
    )


def test_a_day_ends_with_the_quarter_that_runs_and_begins_24_hours_before(acme: Customer) -> None:
    for moment in (BEGINS - MICROSECOND, BEGINS, NOW, ENDS - MICROSECOND, ENDS):
        document(customer=acme, decided_at=moment)
    document(customer=CustomerFactory(key="Acme"), decided_at=NOW)  # nobody else's are counted
    with timezone.override("Asia/Kathmandu"):  # nor does the session's time zone count
        found = day_of("acme", now=NOW)
    assert (found.begins, found.ends) == (BEGINS, ENDS)
    assert found.documents == 3
    assert [quarter.begins for quarter in found.quarters] == [BEGINS, ENDS - timedelta(minutes=15)]

    # On the stroke of a quarter the next one runs.
    assert day_of("acme", now=ENDS).ends == ENDS + timedelta(minutes=15)
    assert day_of("acme", now=ENDS - MICROSECOND).ends == ENDS


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


def test_corrections_are_resets_and_pins_of_that_day(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Of too many the newest are kept."""
    day = day_of("acme", now=NOW)
    wanted = [
        event(created_at=NOW - timedelta(hours=hours), kind=kind)
        for hours, kind in [(3, Event.Kind.RESET), (2, Event.Kind.PIN), (1, Event.Kind.UNPIN)]
    ]
    event(created_at=NOW, kind=Event.Kind.POLICY)
    event(customer="other", created_at=NOW)
    event(created_at=BEGINS - MICROSECOND)
    event(created_at=ENDS)
    assert corrections_of("acme", day=day) == wanted
    with django_assert_num_queries(1):
        assert corrections_of("acme", day=day, most=2) == wanted[-2:]


def test_the_latest_resets_are_newest_first_and_nothing_but_resets(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    CustomerFactory(key="other")
    old, new = (event(created_at=NOW + timedelta(hours=hours)) for hours in (0, 1))
    event(created_at=NOW, kind=Event.Kind.PIN)
    assert list(latest_resets(most=10)) == [new, old]
    assert list(latest_resets(most=1)) == [new]

    # They may be those of some customers.
    for key in ("other", "forgotten"):
        event(customer=key, created_at=NOW + timedelta(hours=2))
    with django_assert_num_queries(1):
        found = list(latest_resets(most=2, customers=Customer.objects.filter(key="acme")))
    assert found == [new, old]
    assert list(latest_resets(most=2, customers=Customer.objects.none())) == []


def test_an_event_brings_its_customer_while_that_exists_and_is_asked_for(
    acme: Customer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = CustomerFactory(key="other")
    for key in ("acme", "Acme", "", "other"):
        event(customer=key, created_at=NOW)
    with django_assert_num_queries(1):
        found = {
            one.customer: (one.customer_pk, one.customer_name)
            for one in with_customers(Event.objects.all())
        }
    nobody, known = (None, None), (acme.pk, acme.name)
    assert found == {"acme": known, "Acme": nobody, "": nobody, "other": (other.pk, other.name)}

    live = Customer.objects.live(NOW).filter(key="acme").order_by("-priority", "key")
    found = {
        one.customer: (one.customer_pk, one.customer_name)
        for one in with_customers(Event.objects.all(), customers=live)
    }
    assert found == {"acme": known, "Acme": nobody, "": nobody, "other": nobody}
