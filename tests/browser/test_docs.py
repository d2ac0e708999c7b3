"""The API's page in a browser that has no network but this machine."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from knox.models import AuthToken
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from doc_priority.models import Event
from doc_priority.services import check
from tests.api.openapi_operations import OPERATIONS
from tests.browser.page import Page, hosts
from tests.server import running_site

pytestmark = [
    pytest.mark.browser,
    pytest.mark.plain,
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True),
]

DOCS = "/api/v1/docs/"


class PortalPolicy:
    """A portal's middleware: pages load nothing, unless they say themselves what they need."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", "default-src 'none'")
        return response


@pytest.fixture
def superuser() -> User:
    return User.objects.create_superuser("root")


def open_docs(page: Page, address: str = DOCS) -> None:
    """The page with everything on it."""
    page.open(address)
    for one in OPERATIONS:
        page.one(box_of(str(one)))


def box_of(operation: str) -> str:
    (tag,) = next(one.operation["tags"] for one in OPERATIONS if str(one) == operation)
    return f"#operations-{tag}-{operation}"


def try_out(page: Page, operation: str) -> tuple[str, str]:
    """Status and body of the answer to the example of an operation."""
    box = box_of(operation)
    page.click(f"{box} .opblock-summary-control")
    page.click(f"{box} .try-out__btn")
    page.click(f"{box} .execute")
    answer = page.one(f"{box} .live-responses-table .response")
    status = answer.find_element(By.CSS_SELECTOR, ".response-col_status").text
    return status.split()[0], answer.find_element(By.CSS_SELECTOR, ".highlight-code").text


def assert_nothing_but_the_server(page: Page) -> None:
    assert hosts(page.requested()) == {urlsplit(page.server).netloc}
    assert page.complaints() == []


def test_it_shows_every_operation_without_a_network(page: Page, superuser: User) -> None:
    page.sign_in(superuser)

    open_docs(page)

    assert len(page.all(".opblock")) == len(OPERATIONS)
    assert page.driver.title == "Document priorities: REST"
    assert_nothing_but_the_server(page)


def test_the_network_is_closed(page: Page) -> None:
    """Else the other tests would say nothing."""
    page.open("/api/v1/docs/docs.js")
    ask = """
        const [address, done] = arguments;
        fetch(address, {mode: "no-cors"}).then(() => done("reached"), () => done("not reached"));
    """
    for address in ("https://example.com/", "http://192.0.2.1/"):
        assert page.driver.execute_async_script(ask, address) == "not reached"
    assert page.driver.execute_async_script(ask, page.server) == "reached"


@pytest.mark.parametrize("prefix", ["", "x/y/"])
def test_it_works_under_any_prefix(page: Page, superuser: User, settings: Any, prefix: str) -> None:
    settings.ROOT_URLCONF = (path(prefix, include("doc_priority.api.urls")),)
    check("acme")
    page.sign_in(superuser)

    open_docs(page, f"/{prefix}docs/")
    status, body = try_out(page, "list_customers")

    assert status == "200"
    assert '"customer": "acme"' in body
    assert f"{page.server}/{prefix}customers/" in page.requested_paths()
    assert page.complaints() == []


def test_a_token_is_enough(page: Page, superuser: User, settings: Any) -> None:
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    }
    check("acme")
    _, token = AuthToken.objects.create(superuser)

    open_docs(page)
    page.click(".auth-wrapper .authorize")
    page.one("#api_key_value").send_keys(f"Token {token}")
    page.click(".modal-ux .authorize")
    page.click(".modal-ux .btn-done")

    assert try_out(page, "list_customers")[0] == "200"
    assert_nothing_but_the_server(page)


def test_who_is_signed_in_can_change_things(page: Page, superuser: User) -> None:
    """A session needs the CSRF token for that; it does not come into the command one may copy."""
    check("acme")
    page.sign_in(superuser)

    open_docs(page)
    status, body = try_out(page, "reset_customer")

    assert status == "200"
    assert '"pending_documents": 0' in body
    assert Event.objects.get().actor == "root"
    assert "csrf" not in page.one(".curl-command").text.lower()
    assert_nothing_but_the_server(page)


def test_a_refusal_is_shown(page: Page, superuser: User) -> None:
    page.sign_in(superuser)

    open_docs(page)
    status, body = try_out(page, "peek_customer")

    assert status == "404"
    assert '"code": "customer_not_found"' in body


def test_a_portals_own_policy_does_not_lock_it_out(
    driver: Chrome, page: Page, superuser: User, settings: Any
) -> None:
    settings.MIDDLEWARE = [f"{__name__}.PortalPolicy", *settings.MIDDLEWARE]

    with running_site() as server:
        other = Page(driver, server)
        other.sign_in(superuser)
        open_docs(other)
        assert_nothing_but_the_server(other)


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_it_is_as_light_or_dark_as_the_system(
    page: Page, superuser: User, scheme: str, dark: bool
) -> None:
    page.prefer(scheme)
    page.sign_in(superuser)

    open_docs(page)

    style = "return getComputedStyle(document.documentElement).colorScheme"
    assert (page.driver.execute_script(style) == "dark") == dark


def test_it_fits_a_narrow_screen(page: Page, superuser: User) -> None:
    page.narrow()
    page.sign_in(superuser)
    check("acme")

    open_docs(page)
    try_out(page, "reset_customer")

    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= 390
