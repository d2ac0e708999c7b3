"""Who reaches what over REST, with tokens that are made on a page or taken with a password."""

import re
import shlex
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client as Browser
from knox.models import AuthToken

from doc_priority.services import create_customer, peek
from example_project.demo.people import PASSWORD
from example_project.portal.models import Member
from tests.example.conftest import SignIn

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("example_project.urls"),
    pytest.mark.usefixtures("signed_in"),
]


def take(username: str, password: str = PASSWORD, **headers: str) -> HttpResponse:
    credentials = b64encode(f"{username}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {credentials}", **headers}
    return Browser().post("/api/token/", headers=headers)


def call(method: str, address: str, token: str, body: object = None) -> HttpResponse:
    headers = {"Authorization": f"Token {token}"}
    return Browser().generic(
        method, address, data=body or "", content_type="application/json", headers=headers
    )


@pytest.mark.parametrize(
    ("username", "customers", "checks", "resets"),
    [
        ("admin", {"acme", "globex", "nobodys"}, 200, 200),
        ("support", {"acme", "globex", "nobodys"}, 403, 200),
        ("viewer", {"acme", "globex", "nobodys"}, 403, 403),
        ("client", {"acme"}, 200, 403),
    ],
)
def test_each_role_reaches_what_it_may(
    username: str, customers: set[str], checks: int, resets: int
) -> None:
    create_customer("nobodys")
    token = take(username).json()["token"]

    reached = call("GET", "/api/v1/customers/", token).json()["results"]

    assert {customer["customer"] for customer in reached} == customers
    address = "/api/v1/customers/acme/"
    assert call("POST", f"{address}check/", token, '{"document": "a"}').status_code == checks
    assert call("POST", f"{address}reset/", token, '{"reason": "Agreed."}').status_code == resets
    if username == "client":
        for other in ("globex", "nobodys"):
            assert call("GET", f"/api/v1/customers/{other}/", token).status_code == 404
        Member.objects.all().delete()
        assert call("GET", "/api/v1/customers/", token).json()["results"] == []


def test_whoever_gives_no_right_password_or_token_is_refused(signed_in: SignIn) -> None:
    for name, password in (("client", "wrong"), ("nobody", "demo"), ("cli\0ent", "demo")):
        assert take(name, password).status_code == 401
    for header in ("", "Basic", "Basic \xff", "Bearer demo"):
        assert take("client", Authorization=header).status_code == 401
    assert signed_in("client").post("/api/token/").status_code == 401
    assert not AuthToken.objects.exists()

    revoked, ended, good = (take("client").json()["token"] for _ in range(3))
    assert call("POST", "/api/token/revoke/", revoked).status_code == 204
    AuthToken.objects.filter(token_key=ended[:15]).update(
        expiry=datetime.now(UTC) - timedelta(seconds=1)
    )
    for token in (revoked, ended, "\xff", "", "a" * 5000):
        assert call("GET", "/api/v1/customers/", token).status_code == 401
    assert call("GET", "/api/v1/customers/", good).status_code == 200
    User.objects.filter(username="client").update(is_active=False)
    assert call("GET", "/api/v1/customers/", good).status_code == 401
    assert take("client").status_code == 401


def test_a_password_cannot_be_guessed_at_and_nobody_has_endless_tokens(settings: Any) -> None:
    assert [take("client", f"guess {n}").status_code for n in range(11)] == [401] * 10 + [429]
    assert take("client").status_code == 429
    made_up = take("client", **{"X-Forwarded-For": "192.0.2.1"})
    assert made_up.status_code == 429
    assert int(made_up["Retry-After"]) > 0


def test_nobody_has_an_endless_number_of_tokens(signed_in: SignIn, settings: Any) -> None:
    settings.REST_KNOX = {**settings.REST_KNOX, "TOKEN_LIMIT_PER_USER": 2}
    assert [take("client").status_code for _ in range(3)] == [200, 200, 403]
    assert "Revoke one first" in signed_in("client").post("/tokens/").content.decode()
    assert take("viewer").status_code == 200


def test_a_token_made_on_the_page_is_shown_once_with_a_line_that_works(signed_in: SignIn) -> None:
    browser = signed_in("client")
    assert "You have no tokens." in browser.get("/tokens/").content.decode()

    made = unescape(browser.post("/tokens/").content.decode())

    token, line = re.findall(r'class="copy"[^>]*>([^<]+)<', made)
    words = shlex.split(line)
    assert words[0] == "curl"
    assert f"Authorization: Token {token}" in words
    assert words[-1] == "http://testserver/api/v1/customers/acme/check/"
    body = words[words.index("-d") + 1]
    answers = [call("POST", "/api/v1/customers/acme/check/", token, body) for _ in range(2)]
    assert [answer.json()["repeated"] for answer in answers] == [False, True]
    assert peek("acme").pending_documents == 0
    later = browser.get("/tokens/").content.decode()
    assert token not in later
    assert f"{token[:8]}…" in later


def test_one_sees_and_revokes_ones_own_tokens_alone(signed_in: SignIn) -> None:
    token = take("client").json()["token"]
    address = f"/tokens/{AuthToken.objects.get().pk}/revoke/"
    for username in ("admin", "support", "viewer"):
        assert token[:8] not in signed_in(username).get("/tokens/").content.decode()
        assert signed_in(username).post(address).status_code == 404
    browser = signed_in("client")
    assert address in browser.get("/tokens/").content.decode()

    revoked = browser.post(address, follow=True)

    assert "Token revoked." in revoked.content.decode()
    assert call("GET", "/api/v1/customers/", token).status_code == 401
