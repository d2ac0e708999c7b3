"""The example portal's page of a client follows what happens to its documents."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from example_project.demo.data import create_people
from example_project.portal.models import Client
from example_project.portal.services import create_client, delete_client, drop_documents
from tests.browser.page import Page
from tests.browser.site import Site
from tests.example.conftest import run_worker as run_worker

pytestmark = [
    pytest.mark.browser,
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("example_project.urls"),
]


@pytest.fixture
def acme(settings: Any) -> Client:
    settings.LOGIN_URL = "portal:login"
    settings.LOGIN_REDIRECT_URL = "portal:start"
    settings.PORTAL_SECONDS_PER_DOCUMENT = 0
    settings.ENGINE = "tasks"
    acme = create_client(key="acme", name="Acme")
    create_people(client=acme)
    return acme


@pytest.fixture
def portal(site: Site, admin: Page, acme: Client) -> Page:
    """The client's page, seen by support; under a strict policy, without a complaint in the end."""
    admin.sign_in(User.objects.get(username="admin"))
    admin.open("/clients/acme/")
    return admin


def test_it_follows_what_happens(
    portal: Page, acme: Client, run_worker: Callable[..., None]
) -> None:
    documents = '[data-live="documents"] tbody tr'
    portal.says("No documents are waiting.")
    portal.type("[name=number]", "0")
    portal.script("window.mark = 'as it was'")

    drop_documents(acme, names={name: f"{name}.pdf" for name in "abc"})
    portal.says("3 documents are waiting, the first at place 1")
    portal.until(lambda: len(portal.all(documents)) == 3, "The documents never show.")

    run_worker()
    portal.says("No documents are waiting.")
    portal.until(lambda: "waited" in portal.one(documents).text, "They never are done.")
    assert portal.one("[name=number]").get_attribute("value") == "0"
    assert portal.script("return window.mark") == "as it was"


def test_it_says_when_the_session_has_ended(portal: Page) -> None:
    Session.objects.all().delete()
    portal.says("Signed out – sign in again")
    portal.click(".dp-polling a")
    portal.says("Sign in")
    assert "next=/clients/acme/" in portal.driver.current_url


def test_it_says_when_the_connection_is_lost_and_back(portal: Page, site: Site) -> None:
    site.stop()
    try:
        portal.says("Connection lost, retrying")
    finally:
        site.start()
    portal.says("Reconnected")
    assert all("ERR_CONNECTION_REFUSED" in one for one in portal.complaints())


def test_it_says_when_the_client_is_gone(portal: Page, acme: Client) -> None:
    delete_client(acme, actor="jonas")
    portal.says("This has been deleted.")
    assert all("404" in one for one in portal.complaints())
