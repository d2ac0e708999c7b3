"""Events cannot be changed, and lead only to customers that one may see."""

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from doc_priority.admin.events import EventAdmin
from doc_priority.models import Customer, Event
from tests.admin.branches import BRANCH, BranchCustomerAdmin
from tests.admin.conftest import SignIn
from tests.admin.event_pages import LIST, page_of
from tests.factories import CustomerFactory, EventFactory

pytestmark = [pytest.mark.django_db, pytest.mark.plain]


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
