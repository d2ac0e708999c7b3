"""The list of customers follows what happens, and leaves alone what somebody is doing in it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import User
from django.core.signals import request_started
from django.test import Client
from django.urls import path, reverse

from doc_priority import services
from doc_priority.admin.customers import CustomerAdmin
from doc_priority.models import Customer
from tests.admin.customers import at_priority, pinned
from tests.browser.admin_page import LIST, LIVE, AdminPage, box_of
from tests.browser.site import Site
from tests.factories import PolicyFactory

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

MUCH_LATER = 600
"""Seconds of refreshing that no test waits for."""

MARK = "return window.mark"


@pytest.fixture
def maria() -> User:
    return User.objects.create_superuser("maria", password="secret")


def open_list(admin: AdminPage, user: User, **query: str) -> None:
    """The page is marked: a reload would lose the mark."""
    admin.sign_in(user)
    admin.visit(LIST, **query)
    admin.script("window.mark = 'as it was'")


def check_over_rest(customer: Customer, user: User) -> None:
    client = Client()
    client.force_login(user)
    response = client.post(f"/api/v1/customers/{customer.key}/check/", {}, "application/json")
    assert response.status_code == 200


def test_the_theme_is_the_one_under_test(admin: AdminPage, maria: User, settings: Any) -> None:
    """Else the other tests would say nothing."""
    open_list(admin, maria)

    assert bool(admin.all("[x-data]")) == ("unfold" in settings.INSTALLED_APPS)


def test_who_signs_in_sees_numbers_and_countdowns(
    admin: AdminPage, maria: User, settings: Any
) -> None:
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": MUCH_LATER}
    acme = at_priority(7, key="acme", name="Acme GmbH")
    pinned(2, key="pinned")

    admin.sign_in_by_form(maria, "secret")
    admin.click(f'#content a[href="{reverse(f"admin:{LIST}")}"]')

    assert (admin.cell(acme, "priority"), admin.cell(acme, "pending_documents")) == ("7", "−13")
    assert 0 < admin.countdown() <= 1500
    admin.let_seconds_pass(2)


def test_a_row_changes_without_a_reload(admin: AdminPage, maria: User) -> None:
    acme, other = at_priority(7, key="acme"), at_priority(9, key="other")
    open_list(admin, maria)
    admin.tick(acme)
    admin.type('input[name="q"]', "half a wo")

    check_over_rest(acme, maria)
    admin.shows(acme, pending_documents="−14")
    check_over_rest(acme, maria)
    admin.shows(acme, pending_documents="−15", priority="8")

    assert admin.script(MARK) == "as it was"
    assert admin.one(box_of(acme)).is_selected()
    assert not admin.one(box_of(other)).is_selected()
    assert admin.one('input[name="q"]').get_attribute("value") == "half a wo"


def test_it_says_when_the_order_has_changed(admin: AdminPage, maria: User) -> None:
    acme, other = at_priority(8, key="acme"), at_priority(7, key="other")
    open_list(admin, maria)

    services.reset("acme")
    admin.shows(acme, priority="1")
    admin.click(".dp-order-changed")

    admin.until(lambda: admin.script(MARK) is None, "The list is not loaded anew.")
    rows = admin.all('.dp-live[data-cell="priority"]')
    assert [row.get_attribute("data-customer") for row in rows] == [str(other.pk), str(acme.pk)]


def test_who_left_the_filter_stays_until_the_reload(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin, maria, priority="7-9")

    services.reset("acme")

    admin.shows(acme, priority="1", pending_documents="0")
    admin.one(".dp-order-changed")


def test_nothing_changes_while_it_is_paused(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin, maria)
    admin.click(".dp-pause")
    admin.says("Resume")
    admin.asked_live()

    check_over_rest(acme, maria)
    admin.let_seconds_pass(3)

    assert admin.cell(acme, "pending_documents") == "−13"
    assert admin.asked_live() == 0


def test_resumed_it_is_fresh_at_once(admin: AdminPage, maria: User, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LIVE_REFRESH_SECONDS": MUCH_LATER}
    acme = at_priority(7, key="acme")
    open_list(admin, maria)
    admin.click(".dp-pause")
    check_over_rest(acme, maria)

    admin.click(".dp-pause")

    admin.shows(acme, pending_documents="−14")
    assert admin.asked_live() == 1


def test_a_lost_connection_is_told_and_found_again(
    admin: AdminPage, maria: User, site: Site
) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin, maria)

    site.stop()
    try:
        admin.says("Connection lost, retrying")
        services.check("acme")
    finally:
        site.start()

    admin.shows(acme, pending_documents="−14")
    admin.says("Connected again")
    assert admin.script(MARK) == "as it was"
    assert all("net::ERR_" in one for one in admin.complaints())


def test_paused_it_says_nothing_of_the_connection(
    admin: AdminPage, maria: User, site: Site
) -> None:
    at_priority(7, key="acme")
    open_list(admin, maria)

    site.stop()
    try:
        admin.says("Connection lost, retrying")
        admin.click(".dp-pause")
        assert "Connection lost" not in admin.text
    finally:
        site.start()

    assert all("net::ERR_" in one for one in admin.complaints())


def test_who_filters_by_what_is_gone_is_told(admin: AdminPage, maria: User) -> None:
    policy, _ = PolicyFactory.create(name="Contract"), PolicyFactory.create(name="Other")
    open_list(admin, maria, policy=str(policy.pk))

    services.delete_policy("Contract")

    admin.says("This list has changed – refresh")
    assert admin.all(".dp-pause") == []
    admin.click(".dp-polling-status a")
    admin.until(lambda: admin.script(MARK) is None, "The list is not loaded anew.")
    assert all("400" in one for one in admin.complaints())


class ShortList(CustomerAdmin):
    list_display: Any = ("customer", "priority")


@pytest.fixture
def short_list(settings: Any) -> None:
    """A portal's own, in place of the app's."""
    site = django_admin.site.__class__(name="admin")
    site.register(Customer, ShortList)
    settings.ROOT_URLCONF = (path("admin/", site.urls),)


@pytest.mark.usefixtures("short_list")
def test_a_list_with_fewer_columns_follows(admin: AdminPage, maria: User) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin, maria)
    assert admin.all('.dp-live[data-cell="resets_in"]') == []

    services.reset("acme")

    admin.shows(acme, priority="1")


@pytest.fixture
def asked() -> Iterator[list[str]]:
    """The queries with which lists asked the server how things stand."""
    queries: list[str] = []

    def note(environ: dict[str, str], **_: object) -> None:
        if environ["PATH_INFO"] == LIVE:
            queries.append(environ["QUERY_STRING"])

    request_started.connect(note, weak=False)
    yield queries
    request_started.disconnect(note)


def test_a_hidden_tab_asks_nothing(admin: AdminPage, maria: User, asked: list[str]) -> None:
    acme = at_priority(7, key="acme")
    open_list(admin, maria, priority="7-9")
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


def test_who_is_signed_out_meanwhile_is_told(admin: AdminPage, maria: User) -> None:
    at_priority(7, key="acme")
    open_list(admin, maria)

    admin.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})

    admin.says("Signed out – sign in again")
    assert admin.script(MARK) == "as it was"
