"""Included under any prefix, with or without a namespace, beside the portal's own addresses."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path, re_path, reverse

from doc_priority import services
from doc_priority.api import urls as api_urls
from tests.api.conftest import Caller

pytestmark = pytest.mark.django_db

API = "doc_priority.api.urls"


def portal(request: HttpRequest, **_: str) -> HttpResponse:
    return HttpResponse(f"portal {request.path}")


class AtTheRoot:
    urlpatterns = (path("", include(API)), re_path("", portal))


class Deep:
    urlpatterns = (path("x/y/", include(API)), path("x/y/about/", portal))


class Twice:
    urlpatterns = (
        path("v1/", include(API)),
        path("partners/", include(API, namespace="partners")),
        re_path("", portal),
    )


class WithoutNamespace:
    urlpatterns = (path("api/", include(api_urls.urlpatterns)),)


class Umlauts:
    urlpatterns = (path("größe ü/", include(API)),)


PREFIXES: list[tuple[type, str]] = [
    (AtTheRoot, "/"),
    (Deep, "/x/y/"),
    (Twice, "/v1/"),
    (Twice, "/partners/"),
    (WithoutNamespace, "/api/"),
    (Umlauts, "/gr%C3%B6%C3%9Fe%20%C3%BC/"),
]
each_prefix = pytest.mark.parametrize(
    ("urls", "prefix"), PREFIXES, ids=[f"{urls.__name__} {prefix}" for urls, prefix in PREFIXES]
)


@pytest.fixture
def get(root: Caller, settings: Any, request: pytest.FixtureRequest) -> Any:
    """Ask for addresses of the portal, signed in."""
    settings.ROOT_URLCONF = request.getfixturevalue("urls")

    def ask(address: str) -> Any:
        return root.client.get(address, headers=root.headers)

    return ask


@each_prefix
def test_pages_lead_to_pages_under_the_same_prefix(urls: type, prefix: str, get: Any) -> None:
    services.check_many(["a", "b", "c"])
    first = get(f"{prefix}customers/?limit=1&ordering=-customer").json()
    assert first["next"].startswith(f"http://testserver{prefix}customers/?")
    second = get(first["next"].removeprefix("http://testserver")).json()
    assert [row["customer"] for row in second["results"]] == ["b"]
    again = get(second["previous"].removeprefix("http://testserver")).json()
    assert again["results"] == first["results"]


@each_prefix
def test_what_is_made_is_found_where_the_answer_says(
    urls: type, prefix: str, root: Caller, get: Any
) -> None:
    thresholds = [-2, -4, -6, -8, -10, -12, -14, -20]
    terms = {"reset_interval": 600, "recovery": "idle", "thresholds": thresholds}
    for address, body in (
        ("customers/", {"customer": "acme"}),
        ("policies/", {"name": "a/ü ?", **terms}),
    ):
        made = root.client.post(
            prefix + address, body, content_type="application/json", headers=root.headers
        )
        assert made.status_code == 201
        assert made["Location"].startswith(f"http://testserver{prefix}{address}")
        assert get(made["Location"].removeprefix("http://testserver")).json() == made.json()


@each_prefix
@pytest.mark.parametrize("address", ["customers/", "stats/", "policies/", "schema/", "docs/"])
def test_every_address_is_there(urls: type, prefix: str, get: Any, address: str) -> None:
    assert get(prefix + address).status_code == 200


@each_prefix
@pytest.mark.parametrize(
    "address",
    ["customers", "customers/a/b/", "customers//", "checks/x", "policies", "stats/x/", "docs/x/y"],
)
def test_what_leads_nowhere_is_a_problem(urls: type, prefix: str, get: Any, address: str) -> None:
    answer = get(prefix + address)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("urls", "address"),
    [
        (AtTheRoot, "/"),
        (AtTheRoot, "/about/"),
        (AtTheRoot, "/customers-of-ours/"),
        (AtTheRoot, "/customer/acme/"),
        (AtTheRoot, "/en/customers/"),
        (AtTheRoot, "/statsx"),
        (Deep, "/x/y/about/"),
        (Twice, "/v1/"),
        (Twice, "/partners/home/"),
    ],
)
def test_other_addresses_reach_the_portal(urls: type, address: str, get: Any) -> None:
    assert get(address).content.decode() == f"portal {address}"


@pytest.mark.parametrize(
    ("urls", "namespace", "prefix"),
    [
        (AtTheRoot, "doc_priority:", "/"),
        (Deep, "doc_priority:", "/x/y/"),
        (Twice, "doc_priority:", "/v1/"),
        (Twice, "partners:", "/partners/"),
        (WithoutNamespace, "", "/api/"),
    ],
)
def test_the_portal_can_name_the_addresses(
    settings: Any, urls: type, namespace: str, prefix: str
) -> None:
    settings.ROOT_URLCONF = urls
    assert reverse(f"{namespace}customer", args=["acme"]) == f"{prefix}customers/acme/"
    assert reverse(f"{namespace}policy", args=["a/b"]) == f"{prefix}policies/a/b/"


def test_behind_a_server_that_mounts_the_portal_somewhere(root: Caller) -> None:
    services.check_many(["a", "b"])
    client = Client(SCRIPT_NAME="/portal")
    for secure, server in ((False, "http://testserver"), (True, "https://testserver")):
        answer = client.get("/api/v1/customers/?limit=1", headers=root.headers, secure=secure)
        assert answer.json()["next"].startswith(f"{server}/portal/api/v1/customers/?")
