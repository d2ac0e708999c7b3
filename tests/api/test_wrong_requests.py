"""Wrong methods, addresses and headers are refused like every other fault."""

from base64 import b64encode
from typing import Any

import pytest
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.test import RequestFactory
from rest_framework.authentication import BasicAuthentication, SessionAuthentication

from doc_priority.api.views.customers import CustomersEndpoint
from tests.api.attempts import ANY_FORM
from tests.api.bad_inputs import ACCEPTS
from tests.api.calls import CALLS, WITH_BODY, Call
from tests.api.conftest import Api, Caller
from tests.api.problems import assert_problem
from tests.api.refusals import Refusals, make_acme
from tests.stored import everything_stored

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW")


@pytest.fixture(autouse=True)
def acme(db: None) -> None:
    make_acme()


@pytest.fixture
def refusals(root: Caller) -> Refusals:
    return Refusals(root)


@pytest.mark.parametrize("name", ["utf-16", "utf-7", "unicode_escape", "cp037"])
@pytest.mark.parametrize("accept", ["*/*", "application/json, */*"])
def test_a_bodys_charset_says_nothing_of_the_parameters(
    refusals: Refusals, root: Caller, name: str, accept: str
) -> None:
    options: dict[str, Any] = {
        "content_type": f"application/json; charset={name}",
        "headers": {"Accept": accept},
    }

    page = root.get("customers/?search=acme&limit=1", body=b"{}", **options)
    assert [row["customer"] for row in page.json()["results"]] == ["acme"]

    for call in CALLS:
        answer = root.request(*call.to()[:2], b"{}", **options)
        assert answer.status_code == (415 if call in WITH_BODY else 200)
        answer = root.request(call.method, f"{call.to()[1]}?%C3%A4=1", b"{}", **options)
        refusals.expect(str(call), answer, [400], says="'\\xe4' is not known", at="?")
    refusals.check()


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_wrong_methods(refusals: Refusals, root: Caller, call: Call) -> None:
    right = {other.method for other in CALLS if other.route == call.route}
    right |= {"HEAD"} if "GET" in right else set()
    for method in set(METHODS) - right:
        answer = root.request(method, call.to()[1], call.to()[2])
        if method == "HEAD":
            assert answer.status_code == 405
            continue
        refusals.expect(method, answer, [405], says=method)
        assert set(answer["Allow"].split(", ")) == right

    refusals.check()


UNKNOWN = (
    *("customers", "customers/acme", "customers/acme/check", "customers//", "customers/acme//"),
    *("customers/acme/nope/", "customers/acme/check/x/", "customers/a%2Fb/", "customers/a/b/pin/"),
    *("checks", "checks/acme/", "policies", "policies/gold", "policies//", "stats", "stats/x/"),
    *(
        "schema",
        "schema/x/",
        "docs",
        "docs/x/y",
        "docs/..%2Fserving.py",
        f"customers/{'x/' * 5_000}",
    ),
    *("customers/%00", "customers/%ff", "customers/%E2%80%AE", "checks/%0A", "stats/%ED%A0%80"),
)
NO_ASSETS = (
    "docs/nope.js",
    "docs/%00",
    "docs/%ff",
    "docs/docs.js%00",
    "docs/..",
    "docs/serving.py",
)


def test_unknown_addresses(refusals: Refusals, root: Caller) -> None:
    for address in UNKNOWN:
        for method in sorted(set(METHODS) - {"HEAD"}):
            refusals.expect(f"{method} {address}", root.request(method, address, b"{]"), [404])
        assert root.request("HEAD", address).status_code == 404
    for address in NO_ASSETS:
        refusals.expect(address, root.get(address), [404])

    refusals.check()


@pytest.mark.parametrize("call", [call for call in CALLS if call.route in ANY_FORM], ids=str)
def test_pages_come_whatever_is_accepted(root: Caller, call: Call) -> None:
    for accept in ACCEPTS:
        answer = root.request(*call.to(), headers={"Accept": accept})
        assert answer.status_code == 200, accept


HEADERS = {
    "If-None-Match": ('"', "W/", "x" * 5_000, "\xff", '"\xff", "a', ",,,"),
    "Accept-Language": ("x" * 5_000, "de;q=x", "*-*", "\xff", "x-" * 1_000, "../../etc", "zz"),
    "Accept-Charset": ("utf-7", "bz2_codec"),
    "Accept-Encoding": ("bz2_codec", "identity;q=0"),
    "X-HTTP-Method-Override": ("DELETE",),
    "X-Requested-With": ("\xff",),
    "Range": ("bytes=0-1", "bytes=-9999999999999999999999999"),
    "Cookie": ("sessionid=%00", "sessionid=\xff; csrftoken=x", "=;=;", "x" * 5_000),
    "Expect": ("nothing",),
}


def test_headers_without_a_meaning_change_nothing(root: Caller) -> None:
    before = everything_stored()
    for header, values in HEADERS.items():
        for value in values:
            for address in ("customers/acme/", "customers/", "stats/"):
                answer = root.get(address, headers={header: value})
                assert answer.status_code == 200, (header, value)

    assert everything_stored() == before


@pytest.mark.parametrize(
    "authorization",
    [
        *("", "Token", "Token a b", "Token \xff", "Token \0", "Token x", "Token " + "a" * 5_000),
        *(
            "Bearer x",
            "Basic YTpi",
            "Basic a",
            "Basic \xff",
            "token",
            "\xff",
            ",",
            "Digest username=x",
        ),
    ],
)
def test_a_token_of_no_form_is_nobodys(api: Api, authorization: str) -> None:
    before = everything_stored()
    for call in CALLS:
        if call.route != "asset":
            answer = api(None).request(*call.to(), headers={"Authorization": authorization})
            assert answer.status_code == 401
            assert answer["Content-Type"] == "application/problem+json"
            assert answer["WWW-Authenticate"]

    assert everything_stored() == before


NUL_NAME, NUL_PASSWORD = b64encode(b"adm\0in:x").decode(), b64encode(b"admin:\0").decode()


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Basic {NUL_NAME}"},
        {"Authorization": f"BASIC\t{NUL_NAME}"},
        {"Authorization": f"Basic {NUL_PASSWORD}"},
        {"Authorization": "Basic \0"},
        {"Cookie": "sessionid=abcdefgh\0"},
        {"Cookie": r'sessionid="abcdefgh\000"'},
    ],
    ids=str,
)
def test_credentials_with_a_nul_are_nobodys(db: None, headers: dict[str, str]) -> None:
    """PostgreSQL cannot look for them."""
    view = CustomersEndpoint.as_view(
        authentication_classes=[BasicAuthentication, SessionAuthentication]
    )
    request = RequestFactory().get("/api/v1/customers/", headers=headers)
    answer = SessionMiddleware(AuthenticationMiddleware(view))(request).render()

    problem = assert_problem(answer, 401, "authentication_failed")

    assert "NUL" in problem["detail"]


def test_a_nul_means_nothing_to_who_needs_no_credentials(api: Api) -> None:
    answer = api(None).get("docs/docs.js", headers={"Authorization": f"Basic {NUL_NAME}"})

    assert answer.status_code == 200
