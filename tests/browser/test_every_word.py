"""No page of the admin or of the example portal says a word of English to who reads another one."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import CharField, F
from django.db.models.functions import Cast
from django.urls import reverse

from doc_priority.models import DocumentDecision
from example_project import settings as portal
from example_project.portal.models import Client
from example_project.portal.services import File, create_client, drop_documents
from tests.browser.admin_page import AdminPage
from tests.browser.english import English
from tests.browser.every_page import AROUND, EMPTY, FILLED, Way, fill
from tests.translations import LANGUAGES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("example_project.urls"),
]

PORTAL_PAGES = ("start", "documents", "queue", "tokens", "create")
CLIENT_PAGES = ("client", "rename", "delete")
ACTS_AND_SAYS_SO = frozenset({"customer who was reset"})
"""Its way waits for the English message."""

UNFOLDS = (
    frozenset({"Run", "Search", "View", "reset"}) if apps.is_installed("unfold") else frozenset()
)
"""What django-unfold says around our pages and has in no other language."""

every_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(autouse=True)
def portal_settings(settings: Any) -> None:
    for name in ("LANGUAGES", "LOGIN_URL", "REST_KNOX", "TASKS"):
        setattr(settings, name, getattr(portal, name))


@pytest.fixture
def maria(admin: AdminPage) -> User:
    maria = User.objects.create_superuser("maria")
    admin.sign_in(maria)
    return maria


@pytest.mark.timeout(300)  # it walks more than forty pages
@every_language
def test_the_admin_speaks_no_english(admin: AdminPage, maria: User, language: str) -> None:
    english = English(language)
    admin.speak(language)
    found: dict[str, set[str]] = {}
    for name, way in EMPTY.items():
        way(admin)
        found[name] = english.on(admin)
    fill(maria)
    # What documents are called, the pages may say.
    DocumentDecision.objects.update(document=Cast(F("pk"), CharField()))
    # In their order: the last ones change something.
    for name, way in (FILLED | AROUND | of_the_portal()).items():
        if name not in ACTS_AND_SAYS_SO:
            way(admin)
            found[name] = english.on(admin)
    assert {name: parts - UNFOLDS for name, parts in found.items() if parts - UNFOLDS} == {}


def of_the_portal() -> dict[str, Way]:
    """Its clients and documents in the admin."""
    client = create_client(key="acme-2", name="Acme")
    drop_documents(client, files=[File("a", "a.pdf")])
    return {
        "clients": lambda admin: admin.visit("portal_client_changelist"),
        "client": lambda admin: admin.visit("portal_client_change", client.pk),
        "documents": lambda admin: admin.visit("portal_document_changelist"),
        "document": lambda admin: admin.visit("portal_document_change", client.documents.get().pk),
    }


@pytest.mark.plain
@every_language
def test_the_portal_speaks_no_english(admin: AdminPage, maria: User, language: str) -> None:
    english = English(language)
    client = create_client(key="acme", name="Acme")
    drop_documents(client, files=[File(name, f"{name}.pdf") for name in "abcdefgh"])
    admin.speak(language)
    found: dict[str, set[str]] = {}
    for address in addresses(client):
        admin.open(address)
        found[address] = english.on(admin)
    admin.driver.delete_all_cookies()
    admin.speak(language)
    for address in (reverse("portal:start"), reverse("portal:login"), "/nothing/"):
        admin.open(address)
        found[address] = english.on(admin)
    assert {address: parts for address, parts in found.items() if parts} == {}
    admin.complaints()


def addresses(client: Client) -> list[str]:
    return [
        *(reverse(f"portal:{name}") for name in PORTAL_PAGES),
        *(reverse(f"portal:{name}", args=[client.key]) for name in CLIENT_PAGES),
    ]


@pytest.mark.plain
def test_english_is_noticed(admin: AdminPage, maria: User) -> None:
    """Else the other tests would say nothing."""
    admin.speak("pl")
    FILLED["new customer"](admin)
    english = English("pl")
    assert len(english.parts) > 300
    assert english.on(admin) == set()

    admin.script(
        """
        document.querySelector("h1").textContent = "Pending documents";
        document.querySelector("form").title = "Reset priority?";
        """
    )

    assert english.on(admin) == {"Pending documents", "Reset priority?"}
