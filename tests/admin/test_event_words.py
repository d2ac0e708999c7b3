"""Events in the admin: everything is said in words."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import translation

from doc_priority import services
from doc_priority.models import Counter, Event
from doc_priority.testing import set_priority
from tests.admin.event_pages import LIST, cell, clock, fact, html_cell, listed, page_of
from tests.factories import CustomerFactory, EventFactory, PolicyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.plain]


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
    assert cell(admin, "through") == "admin pages"


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


def test_a_pin_without_an_end(admin: Client) -> None:
    set_priority("acme", 7)
    services.pin("acme", priority=2, until=None)

    assert cell(admin, "change") == "7 → 2; pinned without an end"
    assert fact(admin, Event.objects.get())[1] == "pin: – → 2 without an end"


def test_of_an_ended_pin_nothing_is_said(admin: Client) -> None:
    set_priority("acme", 7)
    Counter.objects.update(pinned_priority=2, pinned_until=datetime(2020, 1, 1, tzinfo=UTC))
    services.reset("acme")

    assert cell(admin, "change") == "7 → 1"
    assert fact(admin, Event.objects.get()) == ["priority: 7 → 1", "pending documents: −13 → 0"]


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
        "reset interval: 1,500 s → 600 s; recovery: to 0 after an interval without a document → "
        "halves with every tenth of the interval"
    )
    assert fact(admin, Event.objects.get()) == [
        "policy: “gold”",
        "reset interval: 1,500 s → 600 s",
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
