"""Who may read the metrics."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.test import Client, RequestFactory

from doc_priority.contrib.prometheus.checks import check_token
from doc_priority.contrib.prometheus.views import metrics
from tests.contrib.prometheus.scraped import ADDRESS, SIGNED, TOKEN

pytestmark = pytest.mark.django_db


@pytest.fixture
def token(settings: Any) -> None:
    settings.DOC_PRIORITY_METRICS_TOKEN = TOKEN


def user(name: str, *, permitted: bool, **values: bool) -> Client:
    made = User.objects.create_user(name, **values)
    if permitted:
        made.user_permissions.add(Permission.objects.get(codename="view_customer"))
    client = Client()
    client.force_login(made)
    return client


@pytest.mark.usefixtures("token")
@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_a_scraper_shows_its_token(client: Client, scheme: str) -> None:
    answer = client.get(ADDRESS, headers={"Authorization": f"{scheme} {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    assert "no-store" in answer["Cache-Control"]
    assert b"# TYPE doc_priority_checks_total counter" in answer.content


@pytest.mark.usefixtures("token")
def test_in_the_format_that_it_asks_for(client: Client) -> None:
    accept = "application/openmetrics-text; version=1.0.0"
    answer = client.get(ADDRESS, headers={**SIGNED, "Accept": accept})
    assert answer["Content-Type"].startswith("application/openmetrics-text")
    assert answer.content.endswith(b"# EOF\n")


@pytest.mark.usefixtures("token")
@pytest.mark.parametrize(
    "shown", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer tökén"]
)
def test_another_token_is_none(client: Client, shown: str) -> None:
    answer = client.get(ADDRESS, headers={"Authorization": shown})
    assert (answer.status_code, answer.content) == (401, b"")
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("given", [None, "", b"bytes", 5])
@pytest.mark.parametrize("shown", ["Bearer", "Bearer ", "Bearer None", "Bearer 5"])
def test_without_a_token_none_fits(settings: Any, client: Client, given: Any, shown: str) -> None:
    settings.DOC_PRIORITY_METRICS_TOKEN = given
    assert client.get(ADDRESS, headers={"Authorization": shown}).status_code == 401


def test_members_of_staff_who_may_see_customers() -> None:
    assert user("support", permitted=True, is_staff=True).get(ADDRESS).status_code == 200
    assert user("editor", permitted=False, is_staff=True).get(ADDRESS).status_code == 401
    assert user("client", permitted=True, is_staff=False).get(ADDRESS).status_code == 401


def test_users_who_are_gone_or_nobody(rf: RequestFactory) -> None:
    request = rf.get(ADDRESS)
    assert metrics(request).status_code == 401
    request.user = AnonymousUser()
    assert metrics(request).status_code == 401
    request.user = User(username="gone", is_active=False, is_staff=True, is_superuser=True)
    assert metrics(request).status_code == 401


@pytest.mark.usefixtures("token")
def test_where_every_other_page_asks_for_a_login(settings: Any, client: Client) -> None:
    asks = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, asks]
    assert client.get(ADDRESS, headers=SIGNED).status_code == 200
    assert client.get(ADDRESS).status_code == 401


def test_no_transaction_begins_for_a_database_that_may_be_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    assert BaseHandler().make_view_atomic(metrics) is metrics


def test_nothing_but_reading(client: Client) -> None:
    assert client.post(ADDRESS).status_code == 405
    assert client.head(ADDRESS).status_code == 401


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"0123456789" * 3, "is of type bytes"),
        ("short", "has 5 characters and could be guessed"),
        ("", "has 0 characters"),
        ("schlüssel" * 3, "a header cannot carry"),
        ("two words and some more", "a header cannot carry"),
        ("line\nbreak" * 3, "a header cannot carry"),
    ],
)
def test_e051_a_token_that_cannot_be_used(settings: Any, given: Any, said: str) -> None:
    settings.DOC_PRIORITY_METRICS_TOKEN = given
    (message,) = check_token()
    assert message.id == "doc_priority.E051"
    assert message.is_serious()
    assert said in message.msg
    assert "token_urlsafe" in message.hint
    assert "schl" not in message.msg


@pytest.mark.parametrize("given", [None, TOKEN])
def test_no_token_or_a_good_one_passes(settings: Any, given: Any) -> None:
    settings.DOC_PRIORITY_METRICS_TOKEN = given
    assert check_token() == []
