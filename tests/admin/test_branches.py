"""A portal that shows staff a part of the customers: every page of ours keeps to it."""

from collections.abc import Iterator

import pytest
from django.contrib import admin as django_admin
from django.test import Client
from django.urls import clear_url_caches, include, path, reverse
from django.urls.base import set_urlconf

from doc_priority import services
from doc_priority.admin import EventAdmin
from doc_priority.models import Customer, Event
from doc_priority.services import peek
from tests.admin.branches import BRANCH, BranchCustomerAdmin
from tests.admin.customers import at_priority, at_rest
from tests.admin.lists import CUSTOMERS, listed, text_of, told

pytestmark = [pytest.mark.django_db, pytest.mark.plain]

site = django_admin.AdminSite()
site.register(Customer, BranchCustomerAdmin)
site.register(Event, EventAdmin)
urlpatterns = [path("admin/", site.urls), path("api/v1/", include("doc_priority.api.urls"))]


@pytest.fixture(autouse=True)
def portal(settings) -> Iterator[None]:
    settings.ROOT_URLCONF = __name__
    yield
    clear_url_caches()
    set_urlconf(None)


@pytest.fixture
def ours() -> Customer:
    return at_priority(7, key=f"{BRANCH}1")


@pytest.fixture
def theirs() -> Customer:
    return at_priority(8, key="south-1")


def test_list_and_refresh(admin: Client, ours: Customer, theirs: Customer) -> None:
    at_rest(key="south-2")
    assert listed(admin) == listed(admin, "priority=7-9") == [ours.pk]
    refreshed = admin.get(reverse("admin:doc_priority_customer_live"), {"live": f"{theirs.pk}"})
    assert refreshed.json()["rows"] == {}
    assert refreshed.json()["order"] == [ours.pk]


def test_page(admin: Client, theirs: Customer) -> None:
    page = admin.get(reverse("admin:doc_priority_customer_change", args=[theirs.pk]), follow=True)
    assert told(page) == ["There is no such customer; perhaps somebody deleted it."]
    standing = reverse("admin:doc_priority_customer_standing", args=[theirs.pk])
    assert admin.get(standing).status_code == 404


def test_corrections(admin: Client, ours: Customer, theirs: Customer) -> None:
    address = reverse("admin:doc_priority_customer_reset")
    sent = {"customers": f"{ours.pk},{theirs.pk}", "reason": "x"}
    done = admin.post(address, sent, follow=True)
    assert told(done)[0] == "1 customer was reset."
    assert [peek(one.key).priority for one in (ours, theirs)] == [1, 8]


def test_form(admin: Client, theirs: Customer) -> None:
    """Whether somebody else's key is taken is not told either."""
    add = reverse("admin:doc_priority_customer_add")
    for key in (theirs.key, "south-9"):
        answer = admin.post(add, {"key": key, "name": "", "policy": ""})
        assert "not one that you may reach" in text_of(answer)
    admin.post(add, {"key": f"{BRANCH}9", "name": "", "policy": ""})
    assert set(Customer.objects.values_list("key", flat=True)) == {theirs.key, f"{BRANCH}9"}


def test_export(admin: Client, ours: Customer, theirs: Customer) -> None:
    ticked = {"action": "export_as_csv", "index": 0, "_selected_action": [ours.pk, theirs.pk]}
    rows = b"".join(admin.post(reverse(CUSTOMERS), ticked)).decode()
    assert ours.key in rows
    assert theirs.key not in rows


def test_dashboard(admin: Client, ours: Customer, theirs: Customer) -> None:
    services.reset(theirs.key, reason="nothing to see")
    services.reset(ours.key, reason="to be seen")
    text = text_of(admin.get(reverse("admin:doc_priority_dashboard")))
    assert "to be seen" in text
    assert "nothing to see" not in text
    assert "1 customer in all" in text
    assert theirs.key not in text
