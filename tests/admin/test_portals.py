"""Our pages in a portal of its own kind: an AdminSite, part of the customers, a theme.

Other tests of this folder run once more under django-unfold.
"""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib import admin as django_admin
from django.test import Client
from django.urls import include, path, reverse

from doc_priority import services
from doc_priority.admin import CustomerAdmin, EventAdmin, PolicyAdmin
from doc_priority.models import Customer, Event, Policy
from tests.admin.conftest import CUSTOMERS, listed, text_of, told
from tests.factories import PolicyFactory, at_priority, at_rest

pytestmark = pytest.mark.django_db

CLASSES: dict[Any, Any] = {Customer: CustomerAdmin, Event: EventAdmin, Policy: PolicyAdmin}


def own_site(*models: Any) -> Any:
    site = django_admin.AdminSite(name="staff")
    site.site_url = None
    for model in models:
        site.register(model, CLASSES[model])
    return path("staff/", site.urls)


DEFAULT = path("admin/", django_admin.site.urls)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("urls", "whole"),
    [
        pytest.param((own_site(*CLASSES),), True, id="alone"),
        pytest.param((DEFAULT, own_site(*CLASSES)), True, id="second"),
        *(pytest.param((DEFAULT, own_site(one)), False, id=one.__name__) for one in CLASSES),
    ],
)
def test_every_link_stays_on_the_site_also_of_each_class_alone(
    admin: Client, settings: Any, urls: Any, whole: bool
) -> None:
    settings.ROOT_URLCONF = urls

    def reached() -> set[str]:
        """Every address that a link leads to, from the list of our pages on, by page or by script.

        Each stays on the site and answers; of those that differ in values of their query alone, one
        is asked for.
        """
        link = re.compile(
            r'(?:href|action|data-url)=\\?"(/(?!static/)[^"\\]*?)(?:\?_changelist_filters=[^"]*)?\\?"'
        )
        asked, waiting = dict[Any, str](), {"/staff/doc_priority/"}
        while waiting:
            address = waiting.pop()
            assert address.startswith("/staff/")
            parts = urlsplit(address)
            alike = (parts.path, *parse_qs(parts.query))
            if alike not in asked and address != "/staff/logout/":
                asked[alike] = address
                page = admin.get(address, follow=True)
                assert page.status_code == 200, address
                waiting |= set(link.findall(unescape(b"".join(page).decode())))
        return set(asked.values())

    assert whole or reached()
    acme = at_priority(7, key="acme", policy=PolicyFactory(name="gold"))
    services.check("acme", document="INV-1")
    services.reset("acme", reason="Sent twice")
    services.check("acme")
    addresses = reached()
    assert addresses
    if whole:
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
        sent = {"customers": str(acme.pk), "reason": "Sent twice", "seen": 10**15}
        done = admin.post(reverse("staff:doc_priority_customer_reset"), sent)
        assert done.headers["Location"] == f"{customer}/{acme.pk}/change/"


@pytest.mark.plain
def test_every_page_keeps_to_the_customers_one_may_see(admin: Client, settings: Any) -> None:
    class NorthAdmin(CustomerAdmin):
        """A portal's own class: everybody sees the customers of the north alone."""

        def get_queryset(self, request: Any) -> Any:
            return super().get_queryset(request).filter(key__startswith="north-")

    north = django_admin.AdminSite()
    north.register(Customer, NorthAdmin)
    north.register(Event, EventAdmin)
    api = include("doc_priority.api.urls")
    settings.ROOT_URLCONF = (path("admin/", north.urls), path("api/v1/", api))

    ours, theirs = at_priority(7, key="north-1"), at_priority(8, key="south-1")
    at_rest(key="south-2")
    assert listed(admin) == listed(admin, "priority=7-9") == [ours.pk]
    live = admin.get(reverse("admin:doc_priority_customer_live"), {"live": f"{theirs.pk}"}).json()
    assert (live["rows"], live["order"]) == ({}, [ours.pk])
    ticked = {"action": "export_as_csv", "index": 0, "_selected_action": [ours.pk, theirs.pk]}
    exported = b"".join(admin.post(reverse(CUSTOMERS), ticked)).decode()
    assert ours.key in exported
    assert theirs.key not in exported

    page = admin.get(reverse("admin:doc_priority_customer_change", args=[theirs.pk]), follow=True)
    assert told(page) == ["This customer does not exist. It may have been deleted."]
    standing = reverse("admin:doc_priority_customer_standing", args=[theirs.pk])
    assert admin.get(standing).status_code == 404

    sent = {"customers": f"{ours.pk},{theirs.pk}", "reason": "to be seen"}
    done = admin.post(reverse("admin:doc_priority_customer_reset"), sent, follow=True)
    assert told(done)[0] == f"Counter of {ours} reset to 0."
    assert [services.peek(one.key).priority for one in (ours, theirs)] == [1, 8]

    services.reset(theirs.key, reason="nothing to see")
    text = text_of(admin.get(reverse("admin:doc_priority_dashboard")))
    assert "to be seen" in text
    assert "nothing to see" not in text
    assert "1 customer" in text
    assert theirs.key not in text
    events = admin.get(reverse("admin:doc_priority_event_changelist")).content.decode()
    assert f"/customer/{ours.pk}/change/" in events
    assert ours.name in events
    assert '<bdi class="dp-mention">south-1</bdi>' in events
    assert f"/customer/{theirs.pk}/" not in events
    assert theirs.name not in events

    # Whether somebody else's key is taken is not told either.
    # Nor is one added whom one may not see; whether somebody else's key is taken is not told.
    add = reverse("admin:doc_priority_customer_add")
    for key in (theirs.key, "south-9"):
        answer = admin.post(add, {"key": key, "name": "", "policy": ""})
        assert "do not have access to this customer" in text_of(answer)
    admin.post(add, {"key": "north-9", "name": "", "policy": ""})
    assert set(Customer.objects.values_list("key", flat=True)) == {
        ours.key,
        theirs.key,
        "south-2",
        "north-9",
    }


def test_a_page_has_its_title_in_a_bare_theme(admin: Client, settings: Any) -> None:
    """As django-jazzmin, whose own pages fill the heading, or a portal with one title for all."""
    bare = """
    <title>{% block title %}The portal's admin{% endblock %}</title>
    <h3>{% block content_title %}{% endblock %}</h3>
    {% block content %}{% endblock %}
    """
    (engine,) = settings.TEMPLATES
    loaders = [
        ("django.template.loaders.locmem.Loader", {"admin/base_site.html": bare}),
        "django.template.loaders.app_directories.Loader",
    ]
    options = engine["OPTIONS"] | {"loaders": loaders}
    settings.TEMPLATES = [engine | {"APP_DIRS": False, "OPTIONS": options}]
    acme = at_priority(7)
    for name, title in {
        "dashboard": "Overview",
        "rule": "How priorities work",
        "customer_reset": "Reset counter?",
        "customer_pin": "Pin priority?",
    }.items():
        page = admin.get(reverse(f"admin:doc_priority_{name}"), {"customer": acme.pk})
        assert text_of(page).startswith(f"{title} | The portal's admin {title} ")


@pytest.mark.plain
def test_in_django_s_own_theme_a_page_has_one_title(admin: Client) -> None:
    acme = at_priority(7)
    for name in ("dashboard", "rule", "customer_reset", "policy_add"):
        page = admin.get(reverse(f"admin:doc_priority_{name}"), {"customer": acme.pk})
        text = page.content.decode()
        title = page.context["title"]
        assert f"<title>{title} | Django site admin</title>" in text
        assert text.count("<h1") == text.count(f"<h1>{title}</h1>") == 1, name


def test_no_two_parts_of_a_form_have_one_name(admin: Client) -> None:
    """Themes make tabs of them, and a tab without a name is called “General”."""
    for name in ("customer_add", "policy_add"):
        page = admin.get(reverse(f"admin:doc_priority_{name}"))
        names = [part.name for part in page.context["adminform"]]
        assert len(names) == len(set(names)), name
