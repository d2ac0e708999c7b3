"""Every error is a problem document, whatever its cause, and nothing of the call stays."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.urls import include, path
from rest_framework.exceptions import NotFound
from rest_framework.response import Response
from rest_framework.views import APIView

from doc_priority import services
from doc_priority.exceptions import EventIsWritten
from doc_priority.models import Customer
from tests.api.conftest import Api, Caller, UserOf, assert_problem
from tests.factories import EventFactory, PolicyFactory
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> None:
    PolicyFactory(name="gold")
    services.check_many([("acme", "1"), "acme"])
    services.set_policy("acme", policy="gold")


@pytest.mark.usefixtures("acme")
def test_every_refusal_is_a_problem(root: Caller) -> None:
    before = everything_stored()
    for method, address, body, status, code in (
        ("GET", "customers/?limit=x", b"", 400, "invalid"),
        ("POST", "customers/acme/reset/", {"reason": 1}, 400, "invalid"),
        ("POST", "customers/acme/reset/", b"{", 400, "parse_error"),
        ("GET", "customers/no key/", b"", 400, "invalid_key"),
        ("GET", "policies/%00/", b"", 400, "invalid_text"),
        ("GET", "customers/nobody/", b"", 404, "customer_not_found"),
        ("GET", "policies/none/", b"", 404, "policy_not_found"),
        ("GET", "customers/?cursor=abc", b"", 404, "invalid_cursor"),
        ("GET", "customers/acme/unknown/", b"", 404, "not_found"),
        ("POST", "customers", b"", 404, "not_found"),
        ("PUT", "customers/", b"", 405, "method_not_allowed"),
        ("OPTIONS", "stats/", b"", 405, "method_not_allowed"),
        ("POST", "customers/", {"customer": "acme"}, 409, "customer_exists"),
        ("DELETE", "policies/gold/", b"", 409, "policy_in_use"),
        ("POST", "customers/acme/check/", {"document": "x" * 70_000}, 413, "body_too_large"),
    ):
        assert_problem(root.request(method, address, body), status, code)

    page = root.get("stats/", headers={"Accept": "text/html"})
    assert_problem(page, 406, "not_acceptable")
    form = root.post("customers/acme/check/", b"document=1", content_type="text/plain")
    assert_problem(form, 415, "unsupported_media_type")
    assert everything_stored() == before


def test_whoever_may_not_is_told_why(api: Api, user_of: UserOf) -> None:
    answer = api(None).get("customers/")
    assert_problem(answer, 401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Token"
    assert_problem(Caller("made up").get("customers/"), 401, "authentication_failed")
    problem = assert_problem(api(user_of("nobody")).get("stats/"), 403, "permission_denied")
    assert "doc_priority.view_customer" in problem["detail"]


def raises_404(user: User) -> "QuerySet[Customer]":
    raise Http404("No such portal")


def raises_403(user: User) -> "QuerySet[Customer]":
    raise PermissionDenied("Not on Sundays")


@pytest.mark.usefixtures("acme")
def test_what_django_raises_is_a_problem_too(root: Caller, settings: Any) -> None:
    for function, status, code in (
        ("raises_404", 404, "not_found"),
        ("raises_403", 403, "permission_denied"),
    ):
        settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.{function}"}
        for address in ("customers/", "customers/acme/", "stats/"):
            assert_problem(root.get(address), status, code)


def fails(user: User) -> "QuerySet[Customer]":
    raise ZeroDivisionError


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
    handler = f"{__name__}.portal_handler"
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "EXCEPTION_HANDLER": handler}
    settings.ROOT_URLCONF = PortalUrls

    assert_problem(root.get("customers/nobody/"), 404, "customer_not_found")
    assert_problem(root.get("customers/no/where/"), 404, "not_found")
    assert_problem(root.put("customers/"), 405, "method_not_allowed")
    own = root.client.get("/own/")
    assert (own.status_code, own.json()) == (418, {"portal": "NotFound"})
