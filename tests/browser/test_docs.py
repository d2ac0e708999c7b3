"""The API's page in a browser that has no network but this machine."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import include, path
from knox.models import AuthToken
from selenium.webdriver.common.by import By

from doc_priority.api.schema import COPY
from doc_priority.models import Event
from doc_priority.services import check
from tests.browser.page import Page
from tests.browser.site import StrictPolicy
from tests.server import running_site

pytestmark = [
    pytest.mark.browser,
    pytest.mark.plain,
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True),
]

BOXES = {
    operation["operationId"]: f"#operations-{operation['tags'][0]}-{operation['operationId']}"
    for methods in json.loads(COPY.read_text("utf-8"))["paths"].values()
    for operation in methods.values()
}
"""Where each operation of the description is on the page."""


def open_docs(page: Page, address: str = "/api/v1/docs/") -> None:
    """The page with everything on it."""
    page.open(address)
    for box in BOXES.values():
        page.one(box)


def try_out(page: Page, operation: str) -> tuple[str, str]:
    """Status and body of the answer to the example of an operation."""
    box = BOXES[operation]
    page.click(f"{box} .opblock-summary-control")
    page.click(f"{box} .try-out__btn")
    page.click(f"{box} .execute")
    answer = page.one(f"{box} .live-responses-table .response")
    status = answer.find_element(By.CSS_SELECTOR, ".response-col_status").text
    return status.split()[0], answer.find_element(By.CSS_SELECTOR, ".highlight-code").text


def test_it_shows_every_operation_without_a_network(admin: Page, root: User) -> None:
    open_docs(admin)

    assert len(admin.all(".opblock")) == len(BOXES)
    assert admin.driver.title == "Document priorities: REST"
    ask = """
        const [address, done] = arguments;
        fetch(address, {mode: "no-cors"}).then(() => done("reached"), () => done("not reached"));
    """
    elsewhere = Page(admin.driver, admin.server)
    elsewhere.open("/api/v1/docs/docs.js")
    for address in ("https://example.com/", "http://192.0.2.1/"):
        assert elsewhere.driver.execute_async_script(ask, address) == "not reached"
    assert elsewhere.driver.execute_async_script(ask, admin.server) == "reached"
    elsewhere.forget()


@pytest.mark.parametrize("prefix", ["", "x/y/"])
def test_it_works_under_any_prefix(admin: Page, root: User, settings: Any, prefix: str) -> None:
    settings.ROOT_URLCONF = (path(prefix, include("doc_priority.api.urls")),)
    check("acme")

    open_docs(admin, f"/{prefix}docs/")
    status, body = try_out(admin, "list_customers")

    assert status == "200"
    assert '"customer": "acme"' in body
    asked = {address.partition("?")[0] for address in admin.requested()}
    assert f"{admin.server}/{prefix}customers/" in asked


def test_a_token_is_enough(admin: Page, settings: Any) -> None:
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    }
    check("acme")
    _, token = AuthToken.objects.create(User.objects.create_superuser("root"))

    open_docs(admin)
    admin.click(".auth-wrapper .authorize")
    admin.type("#api_key_value", f"Token {token}")
    admin.click(".modal-ux .authorize")
    admin.click(".modal-ux .btn-done")

    assert try_out(admin, "list_customers")[0] == "200"


def test_who_is_signed_in_can_change_things(admin: Page, root: User) -> None:
    """A session needs the CSRF token for that; it does not come into the command one may copy."""
    check("acme")
    open_docs(admin)

    status, body = try_out(admin, "reset_customer")

    assert status == "200"
    assert '"pending_documents": 0' in body
    assert Event.objects.get().actor == "root"
    assert "csrf" not in admin.one(".curl-command").text.lower()
    admin.widen(390)
    assert admin.script("return document.documentElement.scrollWidth") <= 390


class PortalPolicy(StrictPolicy):
    """Pages load nothing, unless they say themselves what they need."""

    policy = "default-src 'none'"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_portals_own_policy_does_not_lock_it_out(page: Page, settings: Any, scheme: str) -> None:
    settings.MIDDLEWARE = [f"{__name__}.PortalPolicy", *settings.MIDDLEWARE]
    with running_site() as server:
        portal = Page(page.driver, server)
        portal.prefer(scheme)
        portal.sign_in(User.objects.create_superuser("root"))
        open_docs(portal)

        status, body = try_out(portal, "peek_customer")

        assert status == "404"
        assert '"code": "customer_not_found"' in body
        style = "return getComputedStyle(document.documentElement).colorScheme"
        assert (portal.script(style) == "dark") == (scheme == "dark")
        assert all("404" in one for one in portal.complaints())
