"""The dashboard: how many customers are at which priority, on its page and in its refresh."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from doc_priority import services
from doc_priority.testing import frozen_time, set_pending_documents, set_priority
from tests.factories import CustomerFactory, EventFactory

pytestmark = pytest.mark.django_db

PAGE = "/admin/doc_priority/customer/dashboard/"
LIVE = "/admin/doc_priority/customer/dashboard/live/"
LIST = "/admin/doc_priority/customer/"


def page(client: Client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return response.content.decode()


def section(html: str, heading: str) -> str:
    """The part of the page under this heading, its white space as it is read."""
    part = html.split(f"<h2>{heading}</h2>")[1].partition("</section>")[0]
    return " ".join(part.split())


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

    found = re.findall(r'<a href="([^"]*)"><strong>(\d+)</strong>', page(admin))
    counts = {address.removeprefix(LIST): int(number) for address, number in found}

    assert counts == {"": 6, "?state=counting": 3, "?priority=7-9": 3, "?state=pinned": 1}
    for address, number in counts.items():
        listed = admin.get(LIST + address).context["cl"].result_list
        assert len(listed) == number, address

    part = section(page(admin), "Customers per priority")
    assert f'href="{LIST}?priority=7"' in part
    assert "Priority 7: 1 customer<" in part
    assert "Priority 1: 2 customers<" in part
    numbers = ["2", "0", "0", "0", "0", "1", "1", "1", "1"]
    assert cells(part) == [[str(level), number] for level, number in enumerate(numbers, start=1)]


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
        part = section(page(admin), "Busiest customers")
        services.pin("acme", priority=2, until=noon + timedelta(hours=1))
        pinned = section(page(admin), "Busiest customers")
    with frozen_time(noon + timedelta(hours=2)):
        idle = section(page(admin), "Busiest customers")
    assert cells(part) == [["Acme acme", "7", "−13", "20:00"]]
    assert f'href="{LIST}{customer.pk}/change/"' in part
    assert "dp-badge-7" in part
    assert 'data-seconds="1200"' in part
    assert cells(pinned) == [["Acme acme", "2 pinned", "−13", "20:00"]]
    assert "Nobody is counting now" in idle


def test_the_latest_resets_are_ten_with_when_who_why_and_what(admin: Client) -> None:
    now = datetime.now(UTC)
    EventFactory(customer="gone", actor="", reason="")
    EventFactory(customer=CustomerFactory().key, kind="pin", created_at=now)
    none_yet = "No priority has been reset by hand yet."
    assert none_yet in section(page(admin), "Latest resets")

    acme = CustomerFactory(key="acme", name="Acme")
    set_priority("acme", 7)
    services.reset("acme", actor="maria", reason="a flood by mistake")
    moment = timezone.localtime(acme.counter.updated_at).strftime("%H:%M")
    for number in range(12):
        key = CustomerFactory(key=f"reset-{number:02}", name="").key
        EventFactory(customer=key, created_at=now - timedelta(hours=number))
    part = section(page(admin), "Latest resets")
    first, *others = cells(part)
    assert first == [moment, "Acme acme", "maria", "a flood by mistake", "7 → 1"]
    assert [row[1] for row in others] == [f"reset-{number:02}" for number in range(9)]
    assert f'href="{LIST}{acme.pk}/change/"' in part
    assert "/admin/doc_priority/event/?kind__exact=reset" in part


def test_without_customers_it_says_how_one_appears(admin: Client) -> None:
    html = page(admin)
    part = section(html, "No customers yet")
    assert "manage.py doc_priority check KEY" in part
    assert "REST" in part
    assert "services.check" in part
    assert "Busiest customers" not in html
    CustomerFactory()
    assert "No customers yet" not in page(admin)


def test_the_refresh_has_the_same_content(admin: Client) -> None:
    set_priority("acme", 7)
    services.reset("acme")
    set_priority("busy", 9)
    with frozen_time(datetime(2030, 7, 1, 10, 0, 5, tzinfo=UTC)):
        whole, live = page(admin), admin.get(LIVE)
    part = live.json()["html"]
    assert "Busiest customers" in part
    assert " ".join(part.split()) in " ".join(whole.split())
    assert '<time class="dp-updated">12:00:05</time>' in whole
    assert live.json()["updated"] == "12:00:05"
    assert live["Content-Type"] == "application/json"


def test_the_script_is_told_what_to_do_and_nothing_is_inline(admin: Client, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": 1200}
    settings.USE_THOUSAND_SEPARATOR = True
    set_priority("acme", 7)
    html = page(admin)
    assert f'data-url="{LIVE}"' in html
    assert 'data-seconds="1200"' in html
    assert 'data-lost="Connection lost, retrying"' in html
    assert 'role="status"' in html
    for name in ("polling", "countdown", "dashboard"):
        assert f'<script src="/static/doc_priority/{name}.js" defer></script>' in html
    assert "/static/doc_priority/charts.css" in html
    content = html.partition('id="content-main"')[2]
    assert "style=" not in content
    assert "<style" not in content
    assert not re.search(r"\son\w+=", content)
