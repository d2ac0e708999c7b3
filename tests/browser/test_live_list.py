"""The list of customers follows what happens, and leaves alone what somebody is doing in it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import User
from django.core.signals import request_started
from django.urls import path

from doc_priority import services
from doc_priority.admin.customers import CustomerAdmin
from doc_priority.models import Customer
from tests.browser.page import LIST, Page
from tests.browser.site import Site
from tests.factories import PolicyFactory, at_priority

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

MARK = "return window.mark"


def open_list(admin: Page, **query: str) -> None:
    """The page is marked: a reload would lose the mark."""
    admin.visit(LIST, **query)
    admin.script("window.mark = 'as it was'")


@pytest.fixture
def asked() -> Iterator[list[str]]:
    """The queries with which lists asked the server how things stand."""
    queries: list[str] = []

    def note(environ: dict[str, str], **_: object) -> None:
        if environ["PATH_INFO"] == "/admin/doc_priority/customer/live/":
            queries.append(environ["QUERY_STRING"])

    request_started.connect(note, weak=False)
    yield queries
    request_started.disconnect(note)


def test_who_signs_in_sees_numbers_and_countdowns(admin: Page, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": 600}
    acme = at_priority(7, key="acme", name="Acme GmbH")
    User.objects.create_superuser("root", password="secret")
    admin.visit("index")
    admin.type("#id_username", "root")
    admin.type("#id_password", "secret")
    admin.click("#login-form [type=submit], form [type=submit]")

    admin.click('#content a[href="/admin/doc_priority/customer/"]')

    admin.shows(acme, priority="7", pending_documents="−13")
    assert 0 < admin.countdown() <= 1500
    admin.let_seconds_pass(2)
    # Else the other tests would say nothing of the theme they run under.
    assert bool(admin.all("[x-data]")) == ("unfold" in settings.INSTALLED_APPS)


def test_a_row_changes_without_a_reload(admin: Page, root: User) -> None:
    acme, other = at_priority(7, key="acme"), at_priority(9, key="other")
    open_list(admin)
    admin.tick(acme)
    admin.type('input[name="q"]', "half a wo")

    services.check_many(["acme"] * 2)
    admin.shows(acme, pending_documents="−15", priority="8")

    assert admin.script(MARK) == "as it was"
    assert admin.one(f'input.action-select[value="{acme.pk}"]').is_selected()
    assert not admin.one(f'input.action-select[value="{other.pk}"]').is_selected()
    assert admin.one('input[name="q"]').get_attribute("value") == "half a wo"


def test_it_says_when_the_order_has_changed(admin: Page, root: User) -> None:
    acme, other = at_priority(8, key="acme"), at_priority(7, key="other")
    open_list(admin, priority="7-9")

    services.reset("acme")
    # Who left the filter stays until the list is loaded anew.
    admin.shows(acme, priority="1", pending_documents="0")
    admin.click(".dp-order-changed")

    admin.until(lambda: admin.script(MARK) is None, "The list is not loaded anew.")
    rows = admin.all('.dp-live[data-cell="priority"]')
    assert [row.get_attribute("data-customer") for row in rows] == [str(other.pk)]


def test_paused_nothing_changes_and_resumed_it_is_fresh_at_once(
    admin: Page, root: User, asked: list[str]
) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin)
    admin.click(".dp-pause")
    admin.says("Resume")
    asked.clear()

    services.check("acme")
    admin.let_seconds_pass(3)

    admin.shows(acme, pending_documents="−13")
    assert asked == []
    admin.click(".dp-pause")
    admin.shows(acme, pending_documents="−14")


def test_a_lost_connection_is_told_and_found_again(admin: Page, root: User, site: Site) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin)

    site.stop()
    try:
        admin.says("Connection lost, retrying")
        services.check("acme")
        admin.click(".dp-pause")
        assert "Connection lost" not in admin.text
        admin.click(".dp-pause")
        admin.says("Connection lost, retrying")
    finally:
        site.start()

    admin.shows(acme, pending_documents="−14")
    admin.says("Reconnected")
    assert admin.script(MARK) == "as it was"
    assert all("net::ERR_" in one for one in admin.complaints())


def test_who_filters_by_what_is_gone_is_told(admin: Page, root: User) -> None:
    policy = PolicyFactory.create(name="Contract")
    PolicyFactory.create(name="Other")
    open_list(admin, policy=str(policy.pk))

    services.delete_policy("Contract")

    admin.says("The list has changed – refresh")
    assert admin.all(".dp-pause") == []
    admin.click(".dp-polling-status a")
    admin.until(lambda: admin.script(MARK) is None, "The list is not loaded anew.")
    assert all("400" in one for one in admin.complaints())


def test_a_portals_own_list_with_fewer_columns_follows(
    admin: Page, root: User, settings: Any
) -> None:
    class ShortList(CustomerAdmin):
        list_display: Any = ("customer", "priority")

    portals_own = django_admin.site.__class__(name="admin")
    portals_own.register(Customer, ShortList)
    settings.ROOT_URLCONF = (path("admin/", portals_own.urls),)
    acme = at_priority(7, key="acme")
    open_list(admin)
    assert admin.all('.dp-live[data-cell="resets_in"]') == []

    services.reset("acme")

    admin.shows(acme, priority="1")


def test_a_hidden_tab_asks_nothing(admin: Page, root: User, asked: list[str]) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin, priority="7-9")
    in_front = admin.driver.current_window_handle

    admin.driver.switch_to.new_window("tab")
    try:
        admin.visit(LIST)
        asked.clear()
        admin.let_seconds_pass(3)
        assert asked
        assert [one for one in asked if "priority=7-9" in one] == []
    finally:
        admin.driver.close()
        admin.driver.switch_to.window(in_front)
    services.check("acme")

    admin.shows(acme, pending_documents="−14")


def test_who_is_signed_out_meanwhile_is_told(admin: Page, root: User) -> None:
    at_priority(7, key="acme")
    open_list(admin)

    admin.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})

    admin.says("Signed out – sign in again")
    assert admin.script(MARK) == "as it was"


def test_the_dashboard_follows_and_its_numbers_lead_to_customers(admin: Page, maria: User) -> None:
    waiting = '.dp-counts a[href$="?priority=7-9"]'
    acme, other = at_priority(6, key="acme"), at_priority(3, key="other")
    admin.visit("doc_priority_dashboard")
    admin.script("window.mark = 'as it was'")
    assert admin.one(f"{waiting} strong").text == "0"

    services.check_many(["acme"] * 2)
    admin.until(lambda: admin.one(f"{waiting} strong").text == "1", "No number follows.")
    services.reset("other", actor="jonas", reason="Asked on the phone")

    admin.says("Asked on the phone")
    assert admin.script(MARK) == "as it was"
    admin.click(waiting)
    admin.shows(acme, priority="7")
    assert admin.all(f'.dp-live[data-customer="{other.pk}"]') == []
