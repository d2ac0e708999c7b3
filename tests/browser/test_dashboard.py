"""The dashboard follows what happens, and its numbers lead to the customers behind them."""

import pytest

from doc_priority import services
from tests.admin.customers import at_priority
from tests.browser.admin_page import AdminPage
from tests.browser.people import support

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

WAITING = '.dp-counts a[href$="?priority=7-9"]'


def test_it_follows_what_happens(admin: AdminPage) -> None:
    at_priority(6, key="acme", name="Acme GmbH")
    admin.sign_in(support())
    admin.visit("doc_priority_dashboard")
    admin.script("window.mark = 'as it was'")
    assert admin.one(f"{WAITING} strong").text == "0"

    services.check_many(["acme"] * 2)
    admin.until(lambda: admin.one(f"{WAITING} strong").text == "1", "No number follows.")
    services.reset("acme", actor="jonas", reason="Asked on the phone")

    admin.says("Asked on the phone")
    assert admin.script("return window.mark") == "as it was"


def test_a_number_leads_to_its_customers(admin: AdminPage) -> None:
    acme, other = at_priority(8, key="acme"), at_priority(3, key="other")
    admin.sign_in(support())
    admin.visit("doc_priority_dashboard")

    admin.click(WAITING)

    admin.shows(acme, priority="8")
    assert admin.all(f'.dp-live[data-customer="{other.pk}"]') == []
