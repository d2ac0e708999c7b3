"""Events: their list and search, their words, and who may see what."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from doc_priority import services
from doc_priority.models import Counter, Event
from doc_priority.testing import set_priority
from tests.admin.conftest import SignIn
from tests.factories import CustomerFactory, EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.plain]

LIST = "/admin/doc_priority/event/"


def page_of(event: Event) -> str:
    return reverse("admin:doc_priority_event_change", args=[event.pk])


def found(client: Client, **parameters: str) -> list[Event]:
    response = client.get(f"{LIST}?{urlencode(parameters)}")
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def row(client: Client) -> dict[str, str]:
    """What the newest event has in each column of the list, as HTML."""
    html = client.get(LIST).content.decode().split("<tbody>")[1].split("</tr>")[0]
    return dict(re.findall(r'field-(\w+)">(.*?)</t[dh]>', html, re.DOTALL))


def text(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


def cell(client: Client, name: str) -> str:
    return text(row(client)[name])


def facts(client: Client, event: Event) -> list[str]:
    """What the event's page says of before and after, line by line."""
    content = client.get(page_of(event)).content.decode()
    return re.findall("<div>(.*?)</div>", content.split("field-facts")[1])


def test_the_newest_comes_first_and_kind_and_customer_filter(admin: Client) -> None:
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    old = EventFactory(customer="acme", kind="pin", created_at=hour_ago)
    new = EventFactory(customer="Acme")
    assert found(admin) == found(admin, o="1") == [new, old]
    assert "sortable" not in admin.get(LIST).content.decode()
    assert found(admin, kind__exact="pin") == [old]
    assert found(admin, customer="acme") == found(admin, customer__exact="acme") == [old]


def test_every_word_is_searched_in_customer_actor_and_reason(
    admin: Client, sign_in: SignIn
) -> None:
    CustomerFactory(key="c-1", name="Jasnobór Print")
    acme = EventFactory(customer="Acme-1", actor="maria", reason="Flood; asked on the phone")
    named = EventFactory(customer="c-1", actor="ŻANETA", reason="Übermut")
    EventFactory(customer="other", actor="root", reason="a mistake")
    for words in ("ACME-1", "acme phone", "  maria   Flood "):
        assert found(admin, q=words) == [acme], words
    for words in ("jasnobór", "JASNOBOR żaneta", "ubermut"):
        assert found(admin, q=words) == [named], words
    assert found(admin, q="acme root") == []

    # Names are searched for those alone who may see them.
    without_customers = sign_in("view_event")
    assert found(without_customers, q="jasnobor") == []
    assert found(without_customers, q="c-1") == [named]
    services.forget("c-1", reason="asked to")
    assert found(admin, q="C-1") == [Event.objects.get(kind="forget")]
    assert found(admin, q="jasnobor") == []


def test_a_wrong_address_is_refused_and_put_right_and_an_empty_list_says_why(admin: Client) -> None:
    assert "No events yet." in admin.get(LIST).content.decode()
    EventFactory()
    assert "No event" not in admin.get(LIST).content.decode()
    for query in ("q=nobody", "kind__exact=pin", "customer=nobody"):
        content = admin.get(f"{LIST}?{query}").content.decode()
        assert "No events match. Remove" in content, query
        assert "No events yet." not in content, query

    kinds = ["kind__exact=%00", "kind__exact=nothing", "kind__isnull=1", "kind=pin"]
    keys = [f"customer={key}" for key in ("%00", "%F0%9F%92%A5", "%ED%A0%80", "a&customer=%00")]
    other = ["customer__in=a", "reason__regex=(", "after__contains=x", "created_at__gte=x", "%00=1"]
    for query in (*kinds, *keys, *other):
        answer = admin.get(f"{LIST}?{query}")
        assert answer.status_code == 400, query
        assert "Show all events" in answer.content.decode(), query
    texts = ["q=%ED%A0%80", "o=99", "p=0", "p=" + "9" * 30, "_popup=1", "e=1"]
    empty = [f"{name}=%00" for name in ("q", "p", "_to_field", "all", "_facets")]
    for query in (*texts, *empty):
        assert admin.get(f"{LIST}?{query}").status_code in (200, 302, 400), query
    page = admin.get(f"{LIST}?kind__exact=xx&customer=acme").content.decode()
    assert "“xx” is not a choice of the filter “kind__exact”." in page
    assert '<a href="?customer=acme&amp;kind__exact=pin"><bdi>pin</bdi></a>' in page


def test_a_reset_is_told_in_full(admin: Client) -> None:
    customer = CustomerFactory(key="acme", name="Acme")
    set_priority("acme", 7)
    services.reset("acme", actor="maria", reason="a flood by mistake", source="admin")
    shown = row(admin)
    columns = ("done", "concerned", "by", "why", "change", "through")
    said = ["reset", "Acme acme", "maria", "a flood by mistake", "7 → 1", "admin pages"]
    assert [text(shown[name]) for name in columns] == said
    assert f"/customer/{customer.pk}/change/" in shown["concerned"]
    event = EventFactory(created_at=datetime(2030, 7, 1, 10, 0, 5, tzinfo=UTC))
    for address in (LIST, page_of(event)):
        assert "2030-07-01 12:00:05" in admin.get(address).content.decode()


def test_pins_have_their_end_and_go_back_to_the_counter(admin: Client) -> None:
    until = datetime.now(UTC) + timedelta(minutes=1)
    clock = timezone.localtime(until).strftime("%H:%M")
    set_priority("acme", 7)
    services.pin("acme", priority=2, until=until, reason="a fair")
    assert re.fullmatch(f"7 → 2; pinned until .*{clock}", cell(admin, "change"))
    priority, pin, pending = facts(admin, Event.objects.get())
    assert priority == "priority: 7 → 2"
    assert re.fullmatch(f"pinned priority: – → 2 until .*{clock}", pin)
    assert pending == "pending documents: −13"

    services.unpin("acme")
    assert cell(admin, "change") == "2 → 7"
    assert facts(admin, Event.objects.get(kind="unpin"))[1].endswith(" → –")

    services.pin("acme", priority=2, until=None)
    assert cell(admin, "change") == "7 → 2; pinned without an end"
    assert facts(admin, Event.objects.latest("pk"))[1] == "pinned priority: – → 2 without an end"

    # An ended pin is not mentioned.
    Counter.objects.update(pinned_priority=2, pinned_until=datetime(2020, 1, 1, tzinfo=UTC))
    services.reset("acme")
    assert cell(admin, "change") == "7 → 1"
    reset = Event.objects.get(kind="reset")
    assert facts(admin, reset) == ["priority: 7 → 1", "pending documents: −13 → 0"]


def test_policies_are_told_by_what_changed(admin: Client) -> None:
    falling = [-10, -20, -30, -40, -50, -60, -70, -80]
    services.create_policy("gold", reset_interval=1500, recovery="idle", thresholds=falling)
    assert cell(admin, "change") == "created"

    set_priority("acme", 7)
    services.set_policy("acme", policy="gold")
    assert cell(admin, "change") == "the default policy → “gold”; 7 → 2"

    services.change_policy("gold", reset_interval=600, recovery="halving")
    assert cell(admin, "concerned") == "all customers with the policy “gold”"
    changes = [
        "reset interval: 25\xa0min → 10\xa0min",
        "recovery: back to 0 after one interval without a document → "
        "by half every tenth of the interval",
    ]
    thresholds = "thresholds: −10, −20, −30, −40, −50, −60, −70, −80"
    assert cell(admin, "change") == "; ".join(changes)
    said = facts(admin, Event.objects.latest("pk"))
    assert said == ["policy: “gold”", *changes, thresholds]

    services.set_policy("acme", policy=None)
    services.delete_policy("gold")
    assert cell(admin, "change") == "deleted"
    assert cell(admin, "concerned") == "all customers with the policy “gold”"


def test_a_forgotten_customer_has_no_link(admin: Client) -> None:
    set_priority("acme", 7)
    services.check("acme", document="1")
    services.reset("acme")
    services.check_many([("acme", "2"), ("acme", "3")])
    services.forget("acme", actor="root")
    shown = row(admin)
    assert text(shown["concerned"]) == "acme"
    assert "href" not in shown["concerned"]
    assert text(shown["change"]) == "deleted at priority 1, with 3 documents and 1 event"
    counts = ["pending documents: −2", "documents: 3", "events: 1"]
    said = facts(admin, Event.objects.get())
    assert said == ["policy: the default policy", "priority: 1", *counts]


def test_an_event_that_keeps_little_is_shown_in_the_reader_s_language(admin: Client) -> None:
    CustomerFactory(key="acme", name="")
    event = EventFactory(customer="acme", actor="", reason="", source="", kind=Event.Kind.FORGET)
    shown = row(admin)
    columns = ("concerned", "by", "why", "through", "change")
    erased = "deleted at priority –, with 0 documents and 0 events"
    assert [text(shown[name]) for name in columns] == ["acme", "–", "–", "–", erased]
    assert facts(admin, event) == []
    EventFactory(created_at=datetime.now(UTC) + timedelta(minutes=1))
    assert cell(admin, "change") == "–"

    forget = EventFactory(kind=Event.Kind.FORGET, customer="acme")
    policy = EventFactory(kind=Event.Kind.POLICY, customer="")
    assert admin.get(page_of(forget)).context["subtitle"] == "deletion acme"
    assert admin.get(page_of(policy)).context["subtitle"] == "policy change"
    german = admin.get(page_of(policy), headers={"accept-language": "de"})
    with translation.override("de"):
        assert german.context["subtitle"] == policy.get_kind_display() != "policy change"
