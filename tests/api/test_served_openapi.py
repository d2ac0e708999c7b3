"""The description as a portal serves it, with what only that portal knows."""

from typing import Any

import pytest
from django.test import Client
from django.urls import include, path
from drf_spectacular.validation import validate_schema
from rest_framework.authentication import BaseAuthentication

from doc_priority.api.views.documentation import DocumentationEndpoint
from tests.api.conftest import Caller
from tests.api.openapi_operations import DESCRIPTION

pytestmark = pytest.mark.django_db

API = include("doc_priority.api.urls")


class OwnAuthentication(BaseAuthentication):
    """A way to sign in that nothing can describe."""

    def authenticate(self, request: Any) -> None:
        return None


@pytest.fixture
def served(root: Caller) -> dict[str, Any]:
    return description(root)


def description(root: Caller, address: str = "/api/v1/schema/", **environment: str) -> Any:
    answer = root.client.get(address, headers=root.headers, **environment)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    made = answer.json()
    validate_schema(made)
    return made


def limits(made: dict[str, Any]) -> set[int]:
    return {
        parameter["schema"]["maximum"]
        for methods in made["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "limit"
    }


def test_the_paths_are_those_of_the_copy(served: dict[str, Any]) -> None:
    assert served["paths"] == DESCRIPTION["paths"]
    assert served["info"] == DESCRIPTION["info"]


@pytest.mark.parametrize(
    ("prefix", "address"),
    [
        ("", "/"),
        ("x/y/", "/x/y"),
        ("größe ü/{1}/", "/gr%C3%B6%C3%9Fe%20%C3%BC/%7B1%7D"),
        ("schema/schema/", "/schema/schema"),
    ],
)
def test_its_server_is_the_portals_prefix(
    root: Caller, settings: Any, prefix: str, address: str
) -> None:
    settings.ROOT_URLCONF = (path(prefix, API),)

    made = description(root, f"/{prefix}schema/")

    assert made["servers"] == [{"url": address}]


def test_its_server_is_below_what_the_web_server_takes_away(root: Caller) -> None:
    made = description(root, SCRIPT_NAME="/portal")

    assert made["servers"] == [{"url": "/portal/api/v1"}]


def test_it_names_the_portals_ways_to_sign_in(served: dict[str, Any]) -> None:
    schemes = served["components"]["securitySchemes"]

    assert [scheme["in"] for scheme in schemes.values()] == ["header", "cookie"]
    assert served["security"] == [{name: []} for name in schemes]


def test_what_cannot_be_described_is_left_out(root: Caller, monkeypatch: Any) -> None:
    usual = DocumentationEndpoint.authentication_classes
    monkeypatch.setattr(
        DocumentationEndpoint, "authentication_classes", [OwnAuthentication, *usual]
    )
    assert len(description(root)["security"]) == len(usual)


def test_nothing_is_said_of_signing_in_where_nothing_is_known(
    root: Caller, settings: Any, monkeypatch: Any
) -> None:
    settings.REST_FRAMEWORK = {"DEFAULT_PERMISSION_CLASSES": []}
    monkeypatch.setattr(DocumentationEndpoint, "authentication_classes", [OwnAuthentication])

    made = description(root)

    assert "security" not in made
    assert "securitySchemes" not in made["components"]


def test_it_has_the_portals_limits(root: Caller, settings: Any) -> None:
    settings.DOC_PRIORITY = {"API_MAX_BULK": 7, "API_MAX_PAGE_SIZE": 25}

    made = description(root)

    assert made["components"]["schemas"]["BulkBody"]["properties"]["items"]["maxItems"] == 7
    assert limits(made) == {25}


def test_limits_are_read_anew_each_time(root: Caller, settings: Any) -> None:
    settings.DOC_PRIORITY = {"API_MAX_PAGE_SIZE": 25}
    description(root)
    settings.DOC_PRIORITY = {}

    assert limits(description(root)) == {100}


@pytest.mark.parametrize("address", ["schema/", "docs/"])
@pytest.mark.parametrize(
    ("permission", "anonymous", "signed_in"),
    [
        ("rest_framework.permissions.AllowAny", 200, 200),
        ("rest_framework.permissions.IsAuthenticated", 401, 200),
        ("rest_framework.permissions.DjangoModelPermissions", 401, 200),
        ("rest_framework.permissions.DjangoModelPermissionsOrAnonReadOnly", 200, 200),
        ("rest_framework.permissions.IsAdminUser", 401, 403),
    ],
)
def test_it_is_for_those_whom_the_portal_lets_in(
    root: Caller, settings: Any, address: str, permission: str, anonymous: int, signed_in: int
) -> None:
    settings.REST_FRAMEWORK = {"DEFAULT_PERMISSION_CLASSES": [permission]}

    assert Client().get(f"/api/v1/{address}").status_code == anonymous
    assert root.get(address).status_code == signed_in


def test_the_page_is_html_that_may_load_nothing_from_elsewhere(root: Caller) -> None:
    answer = root.get("docs/")

    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert b"http" not in answer.content
    assert answer["Content-Security-Policy"].startswith("default-src 'none'; ")
