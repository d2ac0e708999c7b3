"""What the portal's settings make of the REST API."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client as Browser

from doc_priority.api.throttles import CHANGE, CHECK, READ
from doc_priority.services import peek
from example_project import settings as portal

pytestmark = [pytest.mark.django_db, pytest.mark.urls("example_project.urls")]

SignIn = Callable[[str], Browser]

DESCRIPTION = ("/api/v1/docs/", "/api/v1/schema/")


@pytest.mark.parametrize("address", DESCRIPTION)
def test_whoever_is_signed_in_reads_what_the_calls_are(signed_in: SignIn, address: str) -> None:
    assert signed_in("client").get(address).status_code == 200
    assert Browser().get(address).status_code == 401


def test_the_token_is_described(signed_in: SignIn) -> None:
    description = signed_in("client").get("/api/v1/schema/").json()

    schemes = description["components"]["securitySchemes"].values()

    assert {(scheme["in"], scheme["name"]) for scheme in schemes} == {
        ("header", "Authorization"),
        ("cookie", "sessionid"),
    }


def test_a_session_counts_only_what_comes_from_the_portals_own_pages(signed_in: SignIn) -> None:
    signed_in("client")
    browser = Browser(enforce_csrf_checks=True)
    browser.force_login(User.objects.get(username="client"))

    def check(**headers: str) -> int:
        response = browser.post(
            "/api/v1/customers/acme/check/",
            {"document": "a"},
            content_type="application/json",
            headers=headers,
        )
        return response.status_code

    assert check() == 403
    browser.get("/tokens/")
    assert check(**{"X-CSRFToken": browser.cookies["csrftoken"].value}) == 200
    assert peek("acme").pending_documents == 0


def test_every_kind_of_call_has_a_rate() -> None:
    assert set(portal.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]) == {CHECK, READ, CHANGE}
