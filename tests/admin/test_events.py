"""Events in the admin: everything is said in words, and nothing can be changed."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from doc_priority import services
from doc_priority.admin.events import EventAdmin
from doc_priority.models import Customer, Event
from doc_priority.testing import set_priority
from tests.admin.branches import BRANCH, BranchCustomerAdmin
from tests.admin.conftest import SignIn
from tests.factories import CustomerFactory, EventFactory, PolicyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.plain]

LIST = "/admin/doc_priority/event/"


def page_of(event: Event) -> str:
    return reverse("admin:doc_priority_event_change", args=[event.pk])


def events_on(response: HttpResponse) -> list[Event]:
    assert response.status_code == 200
    return list(response.context["cl"].result_list)  # type: ignore[attr-defined]


def found(client: Client, **parameters: str) -> list[Event]:
    return events_on(client.get(f"{LIST}?{urlencode(parameters)}"))


def listed(client: Client, **parameters: str) -> str:
    """The first row of the list, cell by cell, as text."""
    response = client.get(f"{LIST}?{urlencode(parameters)}")
    return response.content.decode().split("<tbody>")[1].split("</tr>")[0]


def cell(client: Client, name: str) -> str:
    """What the newest event has in this column, as text."""
    return re.sub("<[^>]*>", "", html_cell(client, name))


def html_cell(client: Client, name: str) -> str:
    return listed(client).split(f'field-{name}">')[1].partition("</t")[0]


def clock(moment: datetime) -> str:
    return timezone.localtime(moment).strftime("%H:%M")


def fact(client: Client, event: Event) -> list[str]:
    """What the event's page says of before and after, line by line."""
    content = client.get(page_of(event)).content.decode()
    return re.findall("<div>(.*?)</div>", content.split("field-facts")[1])


def test_it_says_everything_of_a_reset(admin: Client) -> None:
    customer = CustomerFactory(key="acme", name="Acme")
    set_priority("acme", 7)
    services.reset("acme", actor="maria", reason="a flood by mistake", source="admin")

    assert cell(admin, "done") == "reset"
    assert f"/customer/{customer.pk}/change/" in html_cell(admin, "concerned")
    assert cell(admin, "concerned") == "Acme acme"
    assert cell(admin, "by") == "maria"
    assert cell(admin, "why") == "a flood by mistake"
    assert cell(admin, "change") == "7 → 1"
    assert cell(admin, "through") == "admin"


def test_the_time_is_the_portal_s(admin: Client) -> None:
    event = EventFactory(created_at=datetime(2030, 7, 1, 10, 0, 5, tzinfo=UTC))
    assert "July 1, 2030, 12:00:05" in listed(admin)
    assert "July 1, 2030, 12:00:05" in admin.get(page_of(event)).content.decode()


def test_a_pin_has_its_end(admin: Client) -> None:
    until = datetime.now(UTC) + timedelta(minutes=1)
    set_priority("acme", 7)
    services.pin("acme", priority=2, until=until, reason="a fair")

    assert cell(admin, "change").startswith("7 → 2; pinned until ")
    assert cell(admin, "change").endswith(clock(until))
    priority, pin, pending = fact(admin, Event.objects.get())
    assert priority == "priority: 7 → 2"
    assert pin.startswith("pin: – → 2 until ")
    assert pin.endswith(clock(until))
    assert pending == "pending documents: −13"


def test_an_unpin_goes_back_to_the_counter(admin: Client) -> None:
    set_priority("acme", 7)
    services.pin("acme", priority=2, until=datetime.now(UTC) + timedelta(hours=1))
    services.unpin("acme")

    assert cell(admin, "change") == "2 → 7"
    assert fact(admin, Event.objects.get(kind="unpin"))[1].endswith(" → –")


def test_a_customer_s_new_policy_has_both_names(admin: Client) -> None:
    PolicyFactory(name="gold", thresholds=[-10, -20, -30, -40, -50, -60, -70, -80])
    set_priority("acme", 7)
    services.set_policy("acme", policy="gold")

    assert cell(admin, "change") == "the default policy → “gold”; 7 → 2"


def test_a_changed_policy_has_what_changed(admin: Client) -> None:
    PolicyFactory(name="gold")
    services.change_policy("gold", reset_interval=600, recovery="halving")

    assert cell(admin, "concerned") == "every customer of the policy “gold”"
    assert cell(admin, "change") == (
        "reset interval: 1500 s → 600 s; recovery: to 0 after an interval without a document → "
        "halves with every tenth of the interval"
    )
    assert fact(admin, Event.objects.get()) == [
        "policy: “gold”",
        "reset interval: 1500 s → 600 s",
        "recovery: to 0 after an interval without a document → "
        "halves with every tenth of the interval",
        "thresholds: −2, −4, −6, −8, −10, −12, −14, −20",
    ]


def test_a_policy_is_created_and_deleted(admin: Client) -> None:
    thresholds = [-1, -2, -3, -4, -5, -6, -7, -8]
    services.create_policy("gold", reset_interval=60, recovery="idle", thresholds=thresholds)
    assert cell(admin, "change") == "created"
    services.delete_policy("gold")
    assert cell(admin, "change") == "deleted"
    assert cell(admin, "concerned") == "every customer of the policy “gold”"


def test_a_forgotten_customer_has_no_link(admin: Client) -> None:
    set_priority("acme", 7)
    services.check("acme", document="1")
    services.reset("acme")
    services.check_many([("acme", "2"), ("acme", "3")])
    services.forget("acme", actor="root")

    assert cell(admin, "concerned") == "acme"
    assert "href" not in html_cell(admin, "concerned")
    assert cell(admin, "change") == "erased at priority 1, with 3 documents and 1 event"
    assert fact(admin, Event.objects.get()) == [
        "policy: the default policy",
        "priority: 1",
        "pending documents: −2",
        "documents: 3",
        "events: 1",
    ]


def test_an_event_that_keeps_little_is_shown(admin: Client) -> None:
    event = EventFactory(actor="", reason="", source="", kind=Event.Kind.FORGET)
    assert cell(admin, "by") == cell(admin, "why") == cell(admin, "through") == "–"
    assert cell(admin, "change") == "erased at priority –, with 0 documents and 0 events"
    assert fact(admin, event) == []
    EventFactory(created_at=datetime.now(UTC) + timedelta(minutes=1))
    assert cell(admin, "change") == "–"


def test_markup_stays_text(admin: Client) -> None:
    markup = "<script>alert(1)</script>"
    CustomerFactory(key="acme", name=markup)
    event = EventFactory(customer="acme", actor=markup, reason=markup, source=markup)
    for address in (LIST, page_of(event)):
        content = admin.get(address).content.decode()
        assert markup not in content
        assert content.count("&lt;script&gt;alert(1)") >= 4


def test_a_customer_without_a_name_is_its_key(admin: Client) -> None:
    CustomerFactory(key="acme", name="")
    EventFactory(customer="acme")
    assert cell(admin, "concerned") == "acme"


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
    assert admin.get(f"{LIST}?{query}").status_code == 400


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


@pytest.mark.parametrize("method", ["has_add_permission", "has_change_permission"])
def test_nobody_may_change_anything(method: str) -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("root")
    model_admin = EventAdmin(Event, django_admin.site)
    assert not getattr(model_admin, method)(request)
    assert not model_admin.has_delete_permission(request)


@pytest.mark.parametrize("page", ["add/", "{}/delete/"])
def test_the_addresses_of_changes_answer_403(admin: Client, page: str) -> None:
    event = EventFactory()
    address = LIST + page.format(event.pk)
    assert admin.get(address).status_code == 403
    assert admin.post(address).status_code == 403
    assert Event.objects.count() == 1


def test_an_event_s_page_cannot_be_posted(admin: Client) -> None:
    event = EventFactory(reason="as it was")
    assert admin.post(page_of(event), {"reason": "changed"}).status_code == 403
    assert Event.objects.get().reason == "as it was"


def test_an_erased_event_is_django_s_to_explain(admin: Client) -> None:
    response = admin.get(f"{LIST}4711/change/", follow=True)
    assert response.redirect_chain == [("/admin/", 302)]
    assert "Perhaps it was deleted?" in response.content.decode()


def test_it_needs_the_permission(sign_in: SignIn) -> None:
    event = EventFactory()
    stranger = sign_in("view_customer", username="stranger")
    assert stranger.get(LIST).status_code == 403
    assert stranger.get(page_of(event)).status_code == 403


@pytest.mark.parametrize("address", [LIST, None])
def test_who_may_not_view_customers_gets_no_link(sign_in: SignIn, address: str | None) -> None:
    customer = CustomerFactory(key="acme", name="Acme")
    event = EventFactory(customer="acme")
    link = f"/customer/{customer.pk}/change/"
    address = address or page_of(event)

    client = sign_in("view_event")
    assert link not in client.get(address).content.decode()
    assert "acme" in client.get(address).content.decode()
    viewer = sign_in("view_event", "view_customer", username="viewer")
    assert link in viewer.get(address).content.decode()


def test_a_site_without_customers_shows_events(admin: Client) -> None:
    CustomerFactory(key="acme")
    EventFactory(customer="acme")
    site = django_admin.AdminSite()
    model_admin = EventAdmin(Event, site)
    request = RequestFactory().get("/")
    request.user = User.objects.get()

    (event,) = model_admin.get_queryset(request)

    assert model_admin.concerned(event) == '<bdi class="dp-mention">acme</bdi>'


def test_names_and_links_are_those_of_customers_within_reach(admin: Client) -> None:
    ours = CustomerFactory(key=f"{BRANCH}1", name="Acme North")
    theirs = CustomerFactory(key="south-1", name="Acme South")
    for customer in (ours, theirs):
        EventFactory(customer=customer.key)
    site = django_admin.AdminSite()
    site.register(Customer, BranchCustomerAdmin)
    model_admin = EventAdmin(Event, site)
    request = RequestFactory().get("/")
    request.user = User.objects.get()

    said = {
        event.customer: model_admin.concerned(event) for event in model_admin.get_queryset(request)
    }

    assert said["south-1"] == '<bdi class="dp-mention">south-1</bdi>'
    assert "Acme North" in said[ours.key]
    assert f"/customer/{ours.pk}/change/" in said[ours.key]


@pytest.mark.parametrize(
    ("kind", "customer", "title"),
    [
        (Event.Kind.POLICY, "", "policy change"),
        (Event.Kind.FORGET, "acme", "forget acme"),
    ],
)
def test_its_page_names_it_in_words(
    admin: Client, kind: Event.Kind, customer: str, title: str
) -> None:
    event = EventFactory(kind=kind, customer=customer)
    assert admin.get(page_of(event)).context["subtitle"] == title


def test_its_page_is_named_in_the_reader_s_language(admin: Client) -> None:
    event = EventFactory(kind=Event.Kind.POLICY, customer="")
    response = admin.get(page_of(event), headers={"accept-language": "de"})
    with translation.override("de"):
        named = event.get_kind_display()
    assert named != "policy change"
    assert response.context["subtitle"] == named


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
