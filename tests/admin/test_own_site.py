"""The pages on an AdminSite of the portal's own."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib import admin as django_admin
from django.test import Client
from django.urls import clear_url_caches, path, reverse
from django.urls.base import set_urlconf

from doc_priority import services
from doc_priority.admin import CustomerAdmin, EventAdmin, PolicyAdmin
from doc_priority.models import Customer, Event, Policy
from tests.admin.customers import at_priority
from tests.factories import PolicyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.plain]

CLASSES: dict[Any, Any] = {Customer: CustomerAdmin, Event: EventAdmin, Policy: PolicyAdmin}
LINK = re.compile(
    r'(?:href|action|data-url)=\\?"(/(?!static/)[^"\\]*?)(?:\?_changelist_filters=[^"]*)?\\?"'
)
"""In a page, and in the JSON that its script asks for."""


def own_site(*models: Any) -> Any:
    site = django_admin.AdminSite(name="staff")
    site.site_url = None
    for model in models:
        site.register(model, CLASSES[model])
    return path("staff/", site.urls)


DEFAULT = path("admin/", django_admin.site.urls)
ALONE = (own_site(*CLASSES),)
SECOND = (DEFAULT, own_site(*CLASSES))
ONE_OF_THEM = [(DEFAULT, own_site(model)) for model in CLASSES]


@pytest.fixture
def portal(settings: Any, request: pytest.FixtureRequest) -> Iterator[None]:
    settings.ROOT_URLCONF = request.param
    yield
    clear_url_caches()
    set_urlconf(None)


def reached(client: Client) -> set[str]:
    """Every address that a link leads to, from the list of our pages on; each answers."""
    seen, found = set[str](), {"/staff/doc_priority/"}
    while waiting := found - seen:
        address = min(waiting)
        page = client.get(address, follow=True)
        assert page.status_code == 200, address
        seen.add(address)
        found.update(LINK.findall(unescape(b"".join(page).decode())))
        found.discard("/staff/logout/")
    return seen


@pytest.mark.parametrize("portal", [ALONE, SECOND], ids=["alone", "second"], indirect=True)
def test_every_link_stays_on_the_site(admin: Client, portal: None) -> None:
    acme = at_priority(7, key="acme", policy=PolicyFactory(name="gold"))
    services.check("acme", document="INV-1")
    services.reset("acme", reason="Sent twice")
    services.check("acme")

    addresses = reached(admin)

    assert [one for one in addresses if not one.startswith("/staff/")] == []
    customer = "/staff/doc_priority/customer"
    assert addresses >= {
        f"{customer}/live/",
        f"{customer}/dashboard/live/",
        f"{customer}/how-priorities-work/?policy=gold",
        f"{customer}/reset/?customer={acme.pk}",
        f"{customer}/{acme.pk}/change/",
        f"{customer}/{acme.pk}/standing/",
        "/staff/doc_priority/policy/preview/",
    }


@pytest.mark.parametrize("portal", [SECOND], indirect=True)
def test_a_correction_comes_back_to_the_site(admin: Client, portal: None) -> None:
    acme = at_priority(7)
    sent = {"customers": str(acme.pk), "reason": "Sent twice"}
    done = admin.post(reverse("staff:doc_priority_customer_reset"), sent)
    assert done.headers["Location"] == f"/staff/doc_priority/customer/{acme.pk}/change/"


@pytest.mark.parametrize("portal", ONE_OF_THEM, ids=[*map(str, CLASSES)], indirect=True)
@pytest.mark.parametrize("filled", [True, False])
def test_each_class_can_be_registered_alone(admin: Client, portal: None, *, filled: bool) -> None:
    if filled:
        at_priority(7, key="acme", policy=PolicyFactory(name="gold"))
        services.reset("acme", reason="Sent twice")
    assert [one for one in reached(admin) if not one.startswith("/staff/")] == []
