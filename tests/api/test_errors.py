"""Every error is a problem document, whatever its cause, and nothing of the call stays."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import QuerySet
from django.http import Http404
from django.test import Client
from django.urls import include, path
from rest_framework.exceptions import NotFound
from rest_framework.response import Response
from rest_framework.views import APIView

from doc_priority import services
from doc_priority.exceptions import EventIsWritten
from doc_priority.models import Counter, Customer
from tests.api.conftest import PREFIX, Api, Caller, UserOf
from tests.api.problems import assert_problem
from tests.factories import EventFactory
from tests.settings import BASE_DIR
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db

ACCEPT_HTML = {"Accept": "text/html"}
ACME = {"customer": "acme"}
EVERY_KIND: dict[str, tuple[str, str, dict[str, Any], int, str]] = {
    "a value": ("GET", "customers/?limit=x", {}, 400, "invalid"),
    "a body": ("POST", "customers/acme/reset/", {"body": {"reason": 1}}, 400, "invalid"),
    "no JSON": ("POST", "customers/acme/reset/", {"body": b"{"}, 400, "parse_error"),
    "a key": ("GET", "customers/no key/", {}, 400, "invalid_key"),
    "a customer": ("GET", "customers/nobody/", {}, 404, "customer_not_found"),
    "a policy": ("GET", "policies/none/", {}, 404, "policy_not_found"),
    "a cursor": ("GET", "customers/?cursor=abc", {}, 404, "invalid_cursor"),
    "an address": ("GET", "customers/acme/unknown/", {}, 404, "not_found"),
    "an address without its slash": ("POST", "customers", {}, 404, "not_found"),
    "a method": ("PUT", "customers/", {}, 405, "method_not_allowed"),
    "OPTIONS": ("OPTIONS", "stats/", {}, 405, "method_not_allowed"),
    "what it accepts": (
        "GET",
        "stats/",
        {"headers": {"Accept": "text/html"}},
        406,
        "not_acceptable",
    ),
    "an existing customer": (
        "POST",
        "customers/",
        {"body": {"customer": "acme"}},
        409,
        "customer_exists",
    ),
    "a policy in use": ("DELETE", "policies/gold/", {}, 409, "policy_in_use"),
    "a large body": (
        "POST",
        "customers/acme/check/",
        {"body": {"document": "x" * 70_000}},
        413,
        "body_too_large",
    ),
    "a form": (
        "POST",
        "customers/acme/check/",
        {"body": b"document=1", "content_type": "application/x-www-form-urlencoded"},
        415,
        "unsupported_media_type",
    ),
}


@pytest.fixture
def acme() -> None:
    services.create_policy(
        "gold", reset_interval=10, recovery="idle", thresholds=[0, -1, -2, -3, -4, -5, -6, -7]
    )
    services.check_many([("acme", "1"), "acme"])
    services.set_policy("acme", policy="gold")


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("method", "address", "options", "status", "code"), EVERY_KIND.values(), ids=EVERY_KIND
)
def test_every_refusal_is_a_problem(
    root: Caller, method: str, address: str, options: dict[str, Any], status: int, code: str
) -> None:
    before = everything_stored()
    assert_problem(root.request(method, address, **options), status, code)
    assert everything_stored() == before


@pytest.mark.usefixtures("acme")
def test_whoever_is_not_signed_in_is_asked_to(api: Api) -> None:
    answer = api(None).get("customers/")
    assert_problem(answer, 401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Token"
    assert_problem(Caller("made up").get("customers/"), 401, "authentication_failed")


def test_whoever_lacks_the_permission_is_told_which(api: Api, user_of: UserOf) -> None:
    problem = assert_problem(api(user_of("nobody")).get("stats/"), 403, "permission_denied")
    assert "doc_priority.view_customer" in problem["detail"]


def test_a_session_without_its_token_is_refused(user_of: UserOf) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user_of("superuser"))
    answer = browser.post(f"{PREFIX}customers/acme/check/", {}, content_type="application/json")
    assert_problem(answer, 403, "permission_denied")
    assert not Customer.objects.exists()


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("customers/", "GET, HEAD, POST"),
        ("customers/acme/", "GET, HEAD, PATCH, DELETE"),
        ("customers/acme/check/", "POST"),
        ("customers/acme/pin/", "PUT, DELETE"),
        ("customers/acme/events/", "GET, HEAD"),
        ("checks/", "POST"),
        ("policies/gold/", "GET, HEAD, PATCH, DELETE"),
    ],
)
@pytest.mark.parametrize("method", ["TRACE", "OPTIONS", "FOO"])
def test_a_wrong_method_is_told_the_right_ones(
    root: Caller, address: str, allowed: str, method: str
) -> None:
    answer = root.request(method, address)
    assert_problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == allowed


def raises_404(user: User) -> "QuerySet[Customer]":
    raise Http404("No such portal")


def raises_403(user: User) -> "QuerySet[Customer]":
    raise PermissionDenied("Not on Sundays")


def fails(user: User) -> "QuerySet[Customer]":
    raise ZeroDivisionError


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("function", "status", "code"),
    [("raises_404", 404, "not_found"), ("raises_403", 403, "permission_denied")],
)
def test_what_django_raises_is_a_problem_too(
    root: Caller, settings: Any, function: str, status: int, code: str
) -> None:
    settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.{function}"}
    for address in ("customers/", "customers/acme/", "stats/"):
        assert_problem(root.get(address), status, code)


def rewrites_history(user: User) -> "QuerySet[Customer]":
    EventFactory(reason="true").save()
    return Customer.objects.all()


@pytest.mark.parametrize(
    ("function", "error"), [("fails", ZeroDivisionError), ("rewrites_history", EventIsWritten)]
)
def test_what_nobody_foresaw_is_not_hidden(
    root: Caller, settings: Any, function: str, error: type[Exception]
) -> None:
    settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.{function}"}
    with pytest.raises(error):
        root.get("customers/")
    root.client.raise_request_exception = False
    assert root.get("customers/").status_code == 500


def portal_handler(error: Exception, context: Any) -> Response:
    return Response({"portal": type(error).__name__}, status=418)


class PortalView(APIView):
    """One of the portal's own endpoints."""

    permission_classes = ()

    def get(self, request: Any) -> Response:
        raise NotFound


class PortalUrls:
    urlpatterns = (
        path("api/v1/", include("doc_priority.api.urls")),
        path("own/", PortalView.as_view()),
    )


def test_the_portals_exception_handler_is_neither_called_nor_replaced(
    root: Caller, settings: Any
) -> None:
    settings.REST_FRAMEWORK = {
        **settings.REST_FRAMEWORK,
        "EXCEPTION_HANDLER": f"{__name__}.portal_handler",
    }
    settings.ROOT_URLCONF = PortalUrls
    assert_problem(root.get("customers/nobody/"), 404, "customer_not_found")
    assert_problem(root.get("customers/no/where/"), 404, "not_found")
    assert_problem(root.put("customers/"), 405, "method_not_allowed")
    own = root.client.get("/own/")
    assert (own.status_code, own.json()) == (418, {"portal": "NotFound"})


PLAIN_PORTAL = """
import json, sys
from tests import settings
del settings.REST_FRAMEWORK
for one in ("knox", "example_project.portal"):
    settings.INSTALLED_APPS.remove(one)
name, authorization = sys.argv[1:]
settings.DATABASES["default"]["NAME"] = name
import django
django.setup()
from django.contrib.auth.models import User
from django.test import Client
browser = Client()
browser.force_login(User.objects.get())
asked = [
    Client().get("/api/v1/stats/"),
    Client().get("/api/v1/stats/", headers={"Authorization": authorization}),
    Client().get("/api/v1/stats/", headers={"Authorization": authorization[:-6]}),
    browser.post("/api/v1/customers/acme/check/", {}, content_type="application/json"),
    browser.get("/api/v1/customers/nobody/", headers={"Accept": "text/html"}),
]
print(json.dumps([(one.status_code, one["Content-Type"], one.json()) for one in asked]))
"""
"""A portal that has set nothing of Django REST framework."""


@pytest.mark.django_db(transaction=True)
def test_a_portal_that_set_nothing_of_django_rest_framework() -> None:
    """Its users sign in with a session or with HTTP Basic."""
    User.objects.create_superuser("root", password="secret")
    name = str(connection.settings_dict["NAME"])
    authorization = f"Basic {b64encode(b'root:secret').decode()}"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN_PORTAL, name, authorization],
        cwd=BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    told = [
        (status, content_type, body.get("code"))
        for status, content_type, body in json.loads(run.stdout)
    ]
    plain, problem = "application/json", "application/problem+json"
    assert told == [
        (403, problem, "not_authenticated"),
        (200, plain, None),
        (403, problem, "authentication_failed"),
        (200, plain, None),
        (406, problem, "not_acceptable"),
    ]
    assert Counter.objects.get().pending_documents == 0
