"""Who reaches what over REST, with a token taken with a password."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client as Browser
from knox.models import AuthToken

from doc_priority.services import create_customer
from example_project.demo.data import PASSWORD
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
    for name, password in (("client", "wrong"), ("nobody", "demo")):
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
    cache.clear()  # what was tried so far counts against no throttle
    assert take("client").status_code == 401


def test_a_password_cannot_be_guessed_at() -> None:
    assert [take("client", f"guess {n}").status_code for n in range(11)] == [401] * 10 + [429]
    assert take("client").status_code == 429
    made_up = take("client", **{"X-Forwarded-For": "192.0.2.1"})
    assert made_up.status_code == 429
    assert int(made_up["Retry-After"]) > 0


def test_nobody_has_an_endless_number_of_tokens(settings: Any) -> None:
    settings.REST_KNOX = {**settings.REST_KNOX, "TOKEN_LIMIT_PER_USER": 2}
    assert [take("client").status_code for _ in range(3)] == [200, 200, 403]
    assert take("viewer").status_code == 200
