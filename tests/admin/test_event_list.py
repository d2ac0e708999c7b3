"""The list of events: its order, what is found in it, and what it says when nothing is."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.models import Customer, Event
from tests.admin.conftest import SignIn
from tests.admin.event_pages import LIST, found
from tests.factories import CustomerFactory, EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.plain]


def test_the_newest_comes_first_and_no_column_sorts(admin: Client) -> None:
    now = datetime.now(UTC)
    old, new = (EventFactory(created_at=now - timedelta(hours=hours)) for hours in (2, 1))
    assert found(admin) == [new, old]
    assert found(admin, o="1") == [new, old]
    assert "sortable" not in admin.get(LIST).content.decode()


def test_it_is_filtered_by_kind(admin: Client) -> None:
    EventFactory()
    pin = EventFactory(kind=Event.Kind.PIN)
    assert found(admin, kind__exact="pin") == [pin]


@pytest.mark.parametrize(
    "words", ["ACME", "acme-1", "Maria", "PHONE", "acme phone", "  maria   Flood "]
)
def test_it_is_searched_by_customer_actor_and_reason(admin: Client, words: str) -> None:
    wanted = EventFactory(customer="Acme-1", actor="maria", reason="Flood; asked on the phone")
    EventFactory(customer="other", actor="root", reason="a mistake")
    assert found(admin, q=words) == [wanted]


@pytest.mark.parametrize("words", ["jasnobór", "JASNOBOR print", "jasnobor żaneta", "ubermut"])
def test_it_is_searched_by_the_name_it_shows(admin: Client, words: str) -> None:
    CustomerFactory(key="c-1", name="Jasnobór Print")
    wanted = EventFactory(customer="c-1", actor="ŻANETA", reason="Übermut")
    EventFactory(customer="c-2", actor="root")
    assert found(admin, q=words) == [wanted]


def test_of_a_forgotten_customer_the_key_is_searched(admin: Client) -> None:
    CustomerFactory(key="c-1", name="Jasnobór")
    services.forget("c-1", reason="asked to")
    wanted = Event.objects.get()
    assert found(admin, q="C-1") == [wanted]
    assert found(admin, q="jasnobor") == []


def test_nobody_searches_by_a_name_that_is_not_shown(sign_in: SignIn) -> None:
    CustomerFactory(key="c-1", name="Jasnobór")
    event = EventFactory(customer="c-1")
    client = sign_in("view_event")
    assert found(client, q="jasnobor") == []
    assert found(client, q="c-1") == [event]


def test_every_word_must_be_found(admin: Client) -> None:
    EventFactory(customer="acme", actor="maria", reason="")
    assert found(admin, q="acme root") == []


@pytest.mark.parametrize("lookup", ["customer", "customer__exact"])
def test_an_address_may_name_a_customer(admin: Client, lookup: str) -> None:
    wanted = EventFactory(customer="acme")
    EventFactory(customer="Acme")
    assert found(admin, **{lookup: "acme"}) == [wanted]


@pytest.mark.parametrize(
    "query",
    [
        "kind__exact=%00",
        "kind__exact=nothing",
        "kind__isnull=1",
        "kind=pin",
        "customer=%00",
        "customer__exact=a%00",
        "customer=%F0%9F%92%A5",
        "customer=%ED%A0%80",
        "customer=acme&customer=%00",
        "customer__in=a,%00",
        "reason__regex=(",
        "after__contains=x",
        "before__priority=7",
        "created_at__gte=x",
        "id=x",
        "nothing=1",
        "%00=1",
    ],
)
def test_what_is_not_offered_is_refused(admin: Client, query: str) -> None:
    EventFactory()
    answer = admin.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert "Show all events" in answer.content.decode()


def test_a_mistyped_kind_is_told_with_those_there_are(admin: Client) -> None:
    EventFactory()
    page = admin.get(f"{LIST}?kind__exact=xx&customer=acme").content.decode()
    assert "“xx” is not a choice of the filter “kind__exact”." in page
    assert '<a href="?customer=acme&amp;kind__exact=pin"><bdi>pin</bdi></a>' in page


@pytest.mark.parametrize(
    "query",
    [
        "q=%00",
        "q=%ED%A0%80",
        "o=99",
        "p=0",
        "p=" + "9" * 30,
        "p=%00",
        "_to_field=%00",
        "_popup=1",
        "all=%00",
        "e=1",
        "e=1&kind__exact=%00",
        "_facets=%00",
    ],
)
def test_no_query_string_is_an_error_of_ours(admin: Client, query: str) -> None:
    EventFactory()
    assert admin.get(f"{LIST}?{query}").status_code in (200, 302, 400)


def test_without_any_event_it_says_when_one_is_written(admin: Client) -> None:
    assert "No event has been written yet." in admin.get(LIST).content.decode()


@pytest.mark.parametrize("parameters", ["q=nobody", "kind__exact=pin", "customer=nobody"])
def test_where_nothing_matches_it_says_what_to_do(admin: Client, parameters: str) -> None:
    EventFactory()
    content = admin.get(f"{LIST}?{parameters}").content.decode()
    assert "No event matches; leave out" in content
    assert "No event has been written yet." not in content


def test_where_events_are_listed_nothing_else_is_said(admin: Client) -> None:
    EventFactory()
    content = admin.get(LIST).content.decode()
    assert "No event" not in content


def queries_of(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_many_events_take_as_many_queries_as_one(admin: Client) -> None:
    EventFactory()
    few = queries_of(admin, LIST)
    for customer in CustomerFactory.create_batch(30):
        EventFactory.create_batch(2, customer=customer.key)
    EventFactory.create_batch(10)

    # The session, the user, the clock, the policies, the count, the events.
    assert queries_of(admin, LIST) == few == 6
    assert Customer.objects.count() == 30
