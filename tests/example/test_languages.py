"""Which language the portal and its admin speak, and how somebody changes that."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import global_settings
from django.test import Client as Browser
from django.utils import translation

from doc_priority.services import pin
from example_project import settings as portal
from example_project.portal.models import Client, Document
from example_project.portal.services import File, drop_documents
from example_project.portal.templatetags.moments import NO_BREAK, moment, spoken

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]

CLIENTS = {"en": "Clients", "es": "Clientes", "pl": "Klienci", "pt": "Clientes", "de": "Kunden"}
OPTIONS = ("English", "Español", "Polski", "Português", "Deutsch")


def choose(browser: Browser, language: str, *, here: str = "/") -> str:
    response = browser.post("/language/", {"language": language, "next": here})
    assert response.status_code == 302
    return str(response["Location"])


def page(browser: Browser, address: str) -> str:
    response = browser.get(address)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("language", CLIENTS)
def test_the_portal_speaks_the_language_chosen(signed_in: SignIn, language: str) -> None:
    browser = signed_in("admin")

    choose(browser, language)

    text = page(browser, "/")
    assert f'<html lang="{language}">' in text
    assert f"<h1>{CLIENTS[language]}</h1>" in text
    assert f'<option value="{language}" lang="{language}" selected>' in text


@pytest.mark.parametrize("language", CLIENTS)
def test_without_a_choice_it_is_the_browsers(signed_in: SignIn, language: str) -> None:
    browser = signed_in("admin")
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = f"{language}-XX, en;q=0.5"

    assert f"<h1>{CLIENTS[language]}</h1>" in page(browser, "/")


@pytest.mark.parametrize("address", ["/", "/clients/acme/?page=1", "/admin/", "/queue/"])
def test_every_page_offers_each_language_and_comes_back(signed_in: SignIn, address: str) -> None:
    browser = signed_in("admin")

    text = page(browser, address)

    assert '<label for="site-language">Language</label>' in text
    assert all(f">{name}</option>" in text for name in OPTIONS)
    here = address.partition("?")[0] if "clients" in address else address
    assert f'<input type="hidden" name="next" value="{here}">' in text
    assert text.count('id="site-language"') == 1
    assert choose(browser, "pl", here=here) == here


@pytest.mark.parametrize("address", ["/login/", "/admin/login/"])
def test_whoever_is_to_sign_in_can_choose_first(address: str) -> None:
    browser = Browser()
    assert page(browser, address).count('id="site-language"') == 1
    choose(browser, "de", here=address)
    assert "Passwort" in page(browser, address)


def test_a_refused_form_leads_back_to_its_client(signed_in: SignIn) -> None:
    response = signed_in("admin").post("/clients/acme/drop/", {})

    assert response.status_code == 400
    assert 'name="next" value="/clients/acme/"' in response.content.decode()


def test_the_choice_leads_nowhere_else(signed_in: SignIn) -> None:
    assert choose(signed_in("admin"), "pl", here="https://example.com/") == "/"


def test_a_stranger_chooses_too(acme: Client) -> None:
    browser = Browser(enforce_csrf_checks=True)
    token = browser.get("/").context["csrf_token"]
    form = {"language": "pl", "next": "/", "csrfmiddlewaretoken": str(token)}

    assert browser.post("/language/", form).status_code == 302

    assert "Zaloguj się" in page(browser, "/")


def test_the_choice_has_a_cookie_of_its_own() -> None:
    """Else a portal beside this one would change with it: cookies know no port."""
    assert portal.LANGUAGE_COOKIE_NAME != global_settings.LANGUAGE_COOKIE_NAME


def test_what_a_worker_said_is_translated_for_whoever_looks(signed_in: SignIn) -> None:
    browser = signed_in("admin")
    drop_documents(Client.objects.get(key="acme"), files=[File("a", "a.pdf")])
    error = "It cannot be read. Scan it again and drop the new file."
    document = Document.objects.get()
    Document.objects.update(status=Document.Status.FAILED, error=error)
    choose(browser, "de")

    for address in ("/documents/", f"/admin/portal/document/{document.pk}/change/"):
        assert "Es ist nicht lesbar." in page(browser, address)


@pytest.mark.parametrize(
    ("language", "when", "took"),
    [
        ("en", "2100-02-03 14:05", "1.5 s"),
        ("es", "03/02/2100 14:05", "1,5 s"),
        ("pl", "03.02.2100 14:05", "1,5 s"),
        ("pt", "03/02/2100 14:05", "1,5 s"),
        ("de", "03.02.2100 14:05", "1,5 s"),
    ],
)
def test_moments_and_spans_are_written_as_one_writes_them(
    language: str, when: str, took: str
) -> None:
    end = datetime(2100, 2, 3, 14, 5, tzinfo=UTC)
    with translation.override(language):
        assert moment(end) == when
        assert spoken(timedelta(seconds=1.5)) == took.replace(" ", NO_BREAK)


@pytest.mark.parametrize(("language", "until"), [("en", "2100-02-03"), ("de", "03.02.2100")])
def test_a_page_says_until_when_in_its_language(
    signed_in: SignIn, language: str, until: str
) -> None:
    browser = signed_in("admin")
    pin("acme", priority=7, until=datetime(2100, 2, 3, 12, tzinfo=UTC))

    choose(browser, language)

    assert until in page(browser, "/clients/acme/")
