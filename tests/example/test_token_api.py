"""Tokens for REST clients: taken with a password, used, given back."""

from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client as Browser
from knox.models import AuthToken

from doc_priority.services import peek
from example_project.demo.people import PASSWORD

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.urls("example_project.urls"),
    pytest.mark.usefixtures("signed_in"),
]

SignIn = Callable[[str], Browser]


def take(username: str, password: str = PASSWORD, **headers: str) -> HttpResponse:
    credentials = b64encode(f"{username}:{password}".encode()).decode()
    return Browser().post(
        "/api/token/", headers={"Authorization": f"Basic {credentials}", **headers}
    )


def token_of(username: str) -> str:
    response = take(username)
    assert response.status_code == 200, response.content
    return response.json()["token"]


def bearing(token: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Token {token}"}}


def customers(token: str) -> HttpResponse:
    return Browser().get("/api/v1/customers/", **bearing(token))


def revoke(token: str) -> HttpResponse:
    return Browser().post("/api/token/revoke/", **bearing(token))


def test_a_token_is_taken_with_the_password_and_tells_its_end() -> None:
    before = datetime.now(UTC)

    answer = take("client").json()

    assert set(answer) == {"token", "expiry"}
    expiry = datetime.fromisoformat(answer["expiry"])
    assert timedelta(hours=9) < expiry - before < timedelta(hours=11)
    assert User.objects.get(username="client").last_login >= before
    assert answer["token"] not in str(AuthToken.objects.values_list())


def test_a_client_counts_documents_of_its_own_customer() -> None:
    token = token_of("client")

    answers = [
        Browser().post(
            "/api/v1/customers/acme/check/",
            {"document": document},
            content_type="application/json",
            **bearing(token),
        )
        for document in ("a", "b", "b")
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert [answer.json()["repeated"] for answer in answers] == [False, False, True]
    assert peek("acme").pending_documents == -1


@pytest.mark.parametrize(
    ("method", "address"),
    [("get", "/api/v1/customers/globex/"), ("post", "/api/v1/customers/globex/check/")],
)
def test_another_client_does_not_exist(method: str, address: str) -> None:
    ask = getattr(Browser(), method)

    response = ask(address, content_type="application/json", **bearing(token_of("client")))

    assert response.status_code == 404


@pytest.mark.parametrize(
    ("username", "shown"),
    [
        ("admin", {"acme", "globex"}),
        ("support", {"acme", "globex"}),
        ("viewer", {"acme", "globex"}),
        ("client", {"acme"}),
    ],
)
def test_each_role_sees_the_customers_it_reaches(username: str, shown: set[str]) -> None:
    response = customers(token_of(username))

    assert response.status_code == 200
    assert {customer["customer"] for customer in response.json()["results"]} == shown


@pytest.mark.parametrize(
    ("username", "status"), [("admin", 200), ("support", 200), ("viewer", 403), ("client", 403)]
)
def test_only_support_resets(username: str, status: int) -> None:
    response = Browser().post(
        "/api/v1/customers/acme/reset/",
        {"reason": "Agreed on the phone."},
        content_type="application/json",
        **bearing(token_of(username)),
    )

    assert response.status_code == status


def test_without_a_token_one_is_asked_for() -> None:
    response = Browser().get("/api/v1/customers/")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("password", ["wrong", "", "demo "])
def test_a_wrong_password_gets_no_token(password: str) -> None:
    response = take("client", password)

    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Basic")
    assert not AuthToken.objects.exists()


@pytest.mark.parametrize(
    "username", ["nobody", "", "cli\0ent", "\N{RIGHT-TO-LEFT OVERRIDE}", "x" * 999]
)
def test_an_unknown_name_gets_no_token(username: str) -> None:
    assert take(username).status_code == 401


@pytest.mark.parametrize(
    "authorization", ["", "Basic", "Basic a b", "Basic \xff", "Basic ===", "Bearer demo", "Token x"]
)
def test_what_is_no_password_gets_no_token(authorization: str) -> None:
    response = Browser().post("/api/token/", headers={"Authorization": authorization})

    assert response.status_code == 401


def test_a_session_gets_no_token_for_a_program(signed_in: SignIn) -> None:
    assert signed_in("client").post("/api/token/").status_code == 401


def test_whoever_is_locked_out_gets_no_token_and_the_old_one_ends() -> None:
    token = token_of("client")
    User.objects.filter(username="client").update(is_active=False)

    assert take("client").status_code == 401
    assert customers(token).status_code == 401


def test_a_revoked_token_is_refused_and_others_work_on() -> None:
    token, other = token_of("client"), token_of("client")

    assert revoke(token).status_code == 204

    assert customers(token).status_code == 401
    assert revoke(token).status_code == 401
    assert customers(other).status_code == 200


def test_a_token_past_its_end_is_refused() -> None:
    token = token_of("client")
    AuthToken.objects.update(expiry=datetime.now(UTC) - timedelta(seconds=1))

    assert customers(token).status_code == 401


@pytest.mark.parametrize("token", ["x", "\xff", "\0", "ä", "a b", "", "a" * 64, "a" * 5000])
def test_what_is_no_token_is_refused(token: str) -> None:
    assert customers(token).status_code == 401
    assert revoke(token).status_code == 401


def test_a_token_cannot_be_guessed_at() -> None:
    answers = [take("client", f"guess {number}").status_code for number in range(11)]

    assert answers == [401] * 10 + [429]
    assert take("client").status_code == 429
    assert int(take("viewer", "guess")["Retry-After"]) > 0
    made_up = take("client", **{"X-Forwarded-For": "192.0.2.1"})
    assert made_up.status_code == 429


def test_right_passwords_may_come_often() -> None:
    assert [take("client").status_code for _ in range(15)] == [200] * 15


def test_one_user_has_no_endless_number_of_tokens(settings: Any) -> None:
    settings.REST_KNOX = {**settings.REST_KNOX, "TOKEN_LIMIT_PER_USER": 2}

    assert [take("client").status_code for _ in range(3)] == [200, 200, 403]
    assert take("viewer").status_code == 200


@pytest.mark.parametrize("address", ["/api/token/", "/api/token/revoke/"])
def test_looking_makes_and_ends_nothing(address: str) -> None:
    token = token_of("client")

    assert Browser().get(address).status_code == 401
    assert Browser().get(address, **bearing(token)).status_code in {401, 405}
    assert customers(token).status_code == 200
