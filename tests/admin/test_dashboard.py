"""The dashboard: how all customers stand, on its page and in its refresh."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from doc_priority import services
from doc_priority.models import Customer
from doc_priority.testing import frozen_time, set_pending_documents, set_priority
from tests.admin.conftest import SignIn
from tests.factories import CounterFactory, CustomerFactory, EventFactory

pytestmark = pytest.mark.django_db

PAGE = "/admin/doc_priority/customer/dashboard/"
LIVE = "/admin/doc_priority/customer/dashboard/live/"
LIST = "/admin/doc_priority/customer/"


def page(client: Client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return response.content.decode()


def refreshed(client: Client) -> str:
    response = client.get(LIVE)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    html: str = response.json()["html"]
    return html


def section(html: str, heading: str) -> str:
    """The part of the page under this heading, its white space as it is read."""
    part = html.split(f"<h2>{heading}</h2>")[1].partition("</section>")[0]
    return " ".join(part.split())


def counts(html: str) -> dict[str, int]:
    """The numbers on top, by the address they lead to."""
    found = re.findall(r'<a href="([^"]*)"><strong>(\d+)</strong>', html)
    return {address.removeprefix(LIST): int(number) for address, number in found}


def cells(part: str) -> list[list[str]]:
    """The rows of the first table of a part as text."""
    body = part.split("<tbody>")[1].partition("</tbody>")[0]
    rows = re.findall(r"<tr.*?</tr>", body)
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        for row in rows
    ]


def test_it_counts_customers_and_leads_to_them(admin: Client) -> None:
    CustomerFactory.create_batch(2)
    for key, priority in [("a", 6), ("b", 7), ("c", 9), ("d", 1)]:
        set_priority(key, priority)
    services.pin("d", priority=8, until=datetime.now(UTC) + timedelta(hours=1))

    assert counts(page(admin)) == {
        "": 6,
        "?state=counting": 3,
        "?priority=7-9": 3,
        "?state=pinned": 1,
    }


def test_the_addresses_it_leads_to_show_those_customers(admin: Client) -> None:
    set_priority("busy", 7)
    CustomerFactory(key="quiet")
    for address, number in counts(page(admin)).items():
        response = admin.get(LIST + address)
        assert response.status_code == 200
        assert len(response.context["cl"].result_list) == number


def test_the_chart_and_its_table_say_the_same(admin: Client) -> None:
    set_priority("busy", 7)
    CustomerFactory.create_batch(2)

    part = section(page(admin), "Customers per priority")

    assert f'href="{LIST}?priority=7"' in part
    assert "Priority 7: 1 customer<" in part
    assert "Priority 1: 2 customers<" in part
    numbers = {1: "2", 7: "1"}
    assert cells(part) == [[str(level), numbers.get(level, "0")] for level in range(1, 10)]


def test_the_busiest_are_the_ten_with_the_lowest_counts(admin: Client) -> None:
    for number in range(12):
        set_pending_documents(f"customer-{number:02}", -number)

    rows = cells(section(page(admin), "Busiest customers"))

    assert [row[0] for row in rows] == [f"customer-{number:02}" for number in range(11, 1, -1)]
    assert [row[2] for row in rows] == [f"−{number}" for number in range(11, 1, -1)]


def test_a_busy_customer_has_badge_count_countdown_and_link(admin: Client) -> None:
    customer = CustomerFactory(key="acme", name="Acme")
    noon = datetime(2030, 5, 6, 12, tzinfo=UTC)
    set_pending_documents("acme", -13, at=noon)
    with frozen_time(noon + timedelta(seconds=300)):
        html = page(admin)

    part = section(html, "Busiest customers")
    assert cells(part) == [["Acme acme", "7", "−13", "20:00"]]
    assert f'href="{LIST}{customer.pk}/change/"' in part
    assert "dp-badge-7" in part
    assert 'data-seconds="1200"' in part


def test_a_pinned_customer_may_be_busy(admin: Client) -> None:
    set_pending_documents("acme", -13)
    services.pin("acme", priority=2, until=datetime.now(UTC) + timedelta(hours=1))
    ((_, priority, *_),) = cells(section(page(admin), "Busiest customers"))
    assert priority == "2 pinned"


def test_customers_whose_interval_has_passed_are_not_busy(admin: Client) -> None:
    set_pending_documents("acme", -13, at=datetime.now(UTC) - timedelta(hours=1))
    assert "Nobody is counting now" in section(page(admin), "Busiest customers")


def test_the_latest_resets_are_ten_and_the_newest_first(admin: Client) -> None:
    now = datetime.now(UTC)
    for number in range(12):
        key = CustomerFactory(key=f"reset-{number:02}", name="").key
        EventFactory(customer=key, created_at=now - timedelta(hours=number))
    EventFactory(customer="pinned", kind="pin", created_at=now)

    rows = cells(section(page(admin), "Latest resets"))

    assert [row[1] for row in rows] == [f"reset-{number:02}" for number in range(10)]


def test_a_reset_has_when_who_why_and_what(admin: Client) -> None:
    customer = CustomerFactory(key="acme", name="Acme")
    set_priority("acme", 7)
    services.reset("acme", actor="maria", reason="a flood by mistake")
    moment = timezone.localtime(customer.counter.updated_at).strftime("%H:%M")

    part = section(page(admin), "Latest resets")

    assert cells(part) == [[moment, "Acme acme", "maria", "a flood by mistake", "7 → 1"]]
    assert f'href="{LIST}{customer.pk}/change/"' in part
    assert f"{reverse('admin:doc_priority_event_changelist')}?kind__exact=reset" in part


def test_a_reset_of_a_customer_that_is_gone_is_gone_with_it(admin: Client) -> None:
    EventFactory(customer="gone", actor="", reason="")
    assert "No priority has been reset by hand yet." in section(page(admin), "Latest resets")


def test_without_customers_it_says_how_one_appears(admin: Client) -> None:
    part = section(page(admin), "No customers yet")
    assert "manage.py doc_priority check KEY" in part
    assert "REST" in part
    assert "services.check" in part


def test_without_customers_nothing_else_is_there_to_see(admin: Client) -> None:
    assert "Busiest customers" not in page(admin)
    CustomerFactory()
    assert "No customers yet" not in page(admin)


def test_without_a_reset_it_says_so(admin: Client) -> None:
    EventFactory(kind="pin")
    assert "No priority has been reset by hand yet." in section(page(admin), "Latest resets")


@pytest.mark.parametrize("address", [PAGE, LIVE])
def test_it_needs_the_permission_to_view_customers(sign_in: SignIn, address: str) -> None:
    assert sign_in("view_event", username="stranger").get(address).status_code == 403
    assert sign_in("view_customer").get(address).status_code == 200


@pytest.mark.parametrize("address", [PAGE, LIVE])
def test_strangers_are_asked_to_sign_in(db: None, address: str) -> None:
    response = Client().get(address)
    assert response.status_code == 302
    assert "/login/" in response["Location"]


def test_resets_need_the_permission_to_view_events(sign_in: SignIn) -> None:
    EventFactory(customer=CustomerFactory().key, actor="the actor")
    client = sign_in("view_customer")
    for html in (page(client), refreshed(client)):
        assert "the actor" not in html
        assert "Latest resets" not in html
    allowed = sign_in("view_customer", "view_event", username="both")
    assert "the actor" in refreshed(allowed)


@pytest.mark.parametrize("address", [PAGE, LIVE])
def test_it_is_only_read(admin: Client, address: str) -> None:
    assert admin.post(address).status_code == 405


def test_the_refresh_has_the_same_content(admin: Client) -> None:
    set_priority("acme", 7)
    services.reset("acme")
    set_priority("busy", 9)
    with frozen_time(datetime.now(UTC)):
        whole, part = page(admin), refreshed(admin)
    assert "Busiest customers" in part
    assert " ".join(part.split()) in " ".join(whole.split())


def test_it_says_when_it_was_updated(admin: Client) -> None:
    with frozen_time(datetime(2030, 7, 1, 10, 0, 5, tzinfo=UTC)):
        assert '<time class="dp-updated">12:00:05</time>' in page(admin)
        assert admin.get(LIVE).json()["updated"] == "12:00:05"


@override_settings(DOC_PRIORITY={"LIVE_REFRESH_SECONDS": 1200}, USE_THOUSAND_SEPARATOR=True)
def test_the_script_is_told_what_to_do(admin: Client) -> None:
    html = page(admin)
    assert f'data-url="{LIVE}"' in html
    assert 'data-seconds="1200"' in html
    assert 'data-lost="Connection lost, retrying"' in html
    assert 'role="status"' in html
    for name in ("polling", "countdown", "dashboard"):
        assert f'<script src="/static/doc_priority/{name}.js" defer></script>' in html
    assert "/static/doc_priority/charts.css" in html


def test_nothing_stands_inline(admin: Client) -> None:
    set_priority("acme", 7)
    html = page(admin).partition('id="content-main"')[2]
    assert "style=" not in html
    assert "<style" not in html
    assert not re.search(r"\son\w+=", html)


def test_markup_in_names_stays_text(admin: Client) -> None:
    CustomerFactory(key="acme", name="<script>alert(1)</script>")
    set_priority("acme", 7)
    services.reset("acme", actor="<b>maria</b>", reason="<i>why</i>")
    set_priority("acme", 7)
    html = page(admin)
    for markup in ("<script>alert", "<b>maria", "<i>why"):
        assert markup not in html
    assert html.count("&lt;script&gt;alert(1)") >= 2


def queries_of(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.mark.parametrize("address", [PAGE, LIVE])
def test_many_customers_take_as_many_queries_as_few(admin: Client, address: str) -> None:
    none = queries_of(admin, address)
    for customer in CustomerFactory.create_batch(40):
        CounterFactory(customer=customer, pending_documents=-20)
        EventFactory(customer=customer.key)

    assert queries_of(admin, address) == none == 9
    assert Customer.objects.count() == 40
