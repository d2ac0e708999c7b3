"""What our pages bring along where a theme of the admin, or a portal, leaves it out."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from doc_priority.models import Customer, Policy
from tests.admin.customers import at_priority
from tests.admin.lists import text_of

pytestmark = pytest.mark.django_db

BARE_THEME = """
<title>{% block title %}The portal's admin{% endblock %}</title>
<h3>{% block content_title %}{% endblock %}</h3>
{% block content %}{% endblock %}
"""
"""As django-jazzmin: its own pages fill the heading; and as portals that have one title for all."""


@pytest.fixture
def bare_theme(settings: Any) -> None:
    (engine,) = settings.TEMPLATES
    loaders = [
        ("django.template.loaders.locmem.Loader", {"admin/base_site.html": BARE_THEME}),
        "django.template.loaders.app_directories.Loader",
    ]
    options = engine["OPTIONS"] | {"loaders": loaders}
    settings.TEMPLATES = [engine | {"APP_DIRS": False, "OPTIONS": options}]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("dashboard", "Dashboard"),
        ("rule", "How priorities work"),
        ("customer_reset", "Reset priority?"),
        ("customer_pin", "Pin priority?"),
    ],
)
def test_a_page_has_its_title(admin: Client, bare_theme: None, name: str, title: str) -> None:
    acme = at_priority(7)
    page = admin.get(reverse(f"admin:doc_priority_{name}"), {"customer": acme.pk})
    assert text_of(page).startswith(f"{title} | The portal's admin {title} ")


@pytest.mark.plain
@pytest.mark.parametrize("name", ["dashboard", "rule", "customer_reset", "policy_add"])
def test_where_the_theme_has_one_it_is_the_only_one(admin: Client, name: str) -> None:
    acme = at_priority(7)
    page = admin.get(reverse(f"admin:doc_priority_{name}"), {"customer": acme.pk})
    text = page.content.decode()
    title = page.context["title"]
    assert f"<title>{title} | Django site admin</title>" in text
    assert text.count("<h1") == text.count(f"<h1>{title}</h1>") == 1


@pytest.mark.parametrize("model", [Customer, Policy])
def test_no_two_parts_of_a_form_have_one_name(admin: Client, model: Any) -> None:
    """Themes make tabs of them, and a tab without a name is called “General”."""
    page = admin.get(reverse(f"admin:doc_priority_{model._meta.model_name}_add"))
    names = [part.name for part in page.context["adminform"]]
    assert len(names) == len(set(names))
