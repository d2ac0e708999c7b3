"""Who may read the metrics."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.core.handlers.base import BaseHandler
from django.db import connections
from django.test import Client, RequestFactory

from doc_priority.contrib.prometheus.checks import check_token
from doc_priority.contrib.prometheus.views import metrics
from tests.contrib.prometheus.conftest import SIGNED, TOKEN

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

ADDRESS = "/metrics/"


def status(client: Client, authorization: str) -> int:
    return client.get(ADDRESS, headers={"Authorization": authorization}).status_code


def test_a_scraper_shows_its_token(client: Client) -> None:
    answer = client.get(ADDRESS, headers=SIGNED)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    assert "no-store" in answer["Cache-Control"]
    assert b"# TYPE doc_priority_checks_total counter" in answer.content
    assert status(client, f"bearer {TOKEN}") == 200
    accept = "application/openmetrics-text; version=1.0.0"
    answer = client.get(ADDRESS, headers={**SIGNED, "Accept": accept})
    assert answer["Content-Type"].startswith("application/openmetrics-text")
    assert answer.content.endswith(b"# EOF\n")
    assert client.post(ADDRESS, headers=SIGNED).status_code == 405


def test_without_its_token_nobody_reads(settings: Any, client: Client) -> None:
    for shown in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer tökén"):
        answer = client.get(ADDRESS, headers={"Authorization": shown})
        assert (answer.status_code, answer.content) == (401, b"")
        assert answer["WWW-Authenticate"] == "Bearer"
    assert client.head(ADDRESS).status_code == 401
    for given in (None, "", b"bytes", 5):
        settings.DOC_PRIORITY_METRICS_TOKEN = given
        for shown in ("Bearer", "Bearer ", "Bearer None", "Bearer 5"):
            assert status(client, shown) == 401, (given, shown)


def test_members_of_staff_who_may_see_customers(client: Client, rf: RequestFactory) -> None:
    for name, is_permitted, is_staff, expected in [
        ("support", True, True, 200),
        ("editor", False, True, 401),
        ("client", True, False, 401),
    ]:
        user = User.objects.create(username=name, is_staff=is_staff)
        if is_permitted:
            user.user_permissions.add(Permission.objects.get(codename="view_customer"))
        client.force_login(user)
        assert client.get(ADDRESS).status_code == expected
    request = rf.get(ADDRESS)
    assert metrics(request).status_code == 401
    gone = User(username="gone", is_active=False, is_staff=True, is_superuser=True)
    for nobody in (AnonymousUser(), gone):
        request.user = nobody
        assert metrics(request).status_code == 401


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


def test_e051_a_token_that_cannot_be_used(settings: Any) -> None:
    for given, said in [
        (b"0123456789" * 3, "is of type bytes"),
        ("short", "has 5 characters and could be guessed"),
        ("", "has 0 characters"),
        ("schlüssel" * 3, "a header cannot carry"),
        ("two words and some more", "a header cannot carry"),
        ("line\nbreak" * 3, "a header cannot carry"),
    ]:
        settings.DOC_PRIORITY_METRICS_TOKEN = given
        (message,) = check_token()
        assert message.id == "doc_priority.E051"
        assert message.is_serious()
        assert said in message.msg
        assert "token_urlsafe" in message.hint
        assert "schl" not in message.msg
    for given in (None, TOKEN):
        settings.DOC_PRIORITY_METRICS_TOKEN = given
        assert check_token() == []
