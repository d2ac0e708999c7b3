"""The description: the code's own, valid, complete; what a portal serves; the page of the docs."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import include, path
from drf_spectacular.drainage import GENERATOR_STATS, reset_generator_stats
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings, spectacular_settings
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator
from rest_framework.authentication import BaseAuthentication

from doc_priority.api.documentation import DocumentationView
from doc_priority.api.exceptions import MEDIA_TYPE
from doc_priority.api.languages import title_of
from doc_priority.api.schema import COPY, as_text, document
from doc_priority.api.serializers import KEY, POLICY
from doc_priority.validation import is_key
from tests.api.conftest import CALLS, Caller, assert_problem

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]

API = include("doc_priority.api.urls")
DESCRIPTION: dict[str, Any] = json.loads(COPY.read_text("utf-8"))
OPERATIONS = [
    (address, method, operation)
    for address, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
]


def test_the_copy_is_what_the_code_says_and_openapi_3_1_without_outside_addresses() -> None:
    reset_generator_stats()

    made = as_text(document())

    assert COPY.read_text("utf-8") == made, "The copy is out of date: make openapi"
    assert not GENERATOR_STATS

    validate_schema(DESCRIPTION)

    assert DESCRIPTION["openapi"].startswith("3.1.")
    for schema in DESCRIPTION["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert "http" not in COPY.read_text("utf-8").replace("HTTP", "")


def test_every_operation_is_in_it_and_says_what_it_is() -> None:
    calls = {(f"/{call.address}", call.method.lower()) for call in CALLS if call.needs}
    assert {(address, method) for address, method, _ in OPERATIONS} == calls
    names = {operation["operationId"] for _, _, operation in OPERATIONS}
    assert len(names) == len(OPERATIONS)

    for address, _, operation in OPERATIONS:
        assert re.fullmatch("[a-z]+(_[a-z]+)+", operation["operationId"])
        assert operation["summary"]
        assert re.search(r"Needs the permission `doc_priority\.\w+`\.$", operation["description"])
        assert operation["tags"] == [address.split("/")[1]]
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (address, parameter["name"])
            if parameter["in"] == "path":
                example = parameter["examples"]["One"]["value"]
                Draft202012Validator(parameter["schema"]).validate(example)

    used = {tag for _, _, operation in OPERATIONS for tag in operation["tags"]}
    assert {tag["name"] for tag in DESCRIPTION["tags"]} == used


def test_what_is_taken_and_answered_is_described_with_right_examples() -> None:
    shared = DESCRIPTION["components"].get("responses", {})
    for address, _, operation in OPERATIONS:
        answers = {
            int(status): shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
            for status, one in operation["responses"].items()
        }
        errors = {status: answer for status, answer in answers.items() if status >= 400}
        assert {400, 401, 403, 406, 429, 503} <= set(errors), address
        assert ("{" not in address) or 404 in errors, address
        assert ("requestBody" not in operation) or {413, 415} <= set(errors), address
        for status, answer in errors.items():
            assert set(answer["content"]) == {MEDIA_TYPE}
            for example in answer["content"][MEDIA_TYPE]["examples"].values():
                assert example["value"]["status"] == status
                assert example["value"]["title"] == title_of(status)

        told = [operation.get("requestBody", {}), *answers.values()]
        for content in (content for part in told for content in part.get("content", {}).values()):
            assert content["examples"], address
            validator = Draft202012Validator(
                {**content["schema"], "components": DESCRIPTION["components"]},
                format_checker=Draft202012Validator.FORMAT_CHECKER,
            )
            for example in content["examples"].values():
                validator.validate(example["value"])

    components = DESCRIPTION["components"]["schemas"]
    bodies = [schema for name, schema in components.items() if "Body" in name]
    assert bodies
    assert all(body["additionalProperties"] is False for body in bodies)

    for text in ("", "a", ".", "..", "...", ".a", "..a", "a..", "a b", "x" * 65):
        assert Draft202012Validator(KEY).is_valid(text) == is_key(text), text
    is_name = Draft202012Validator(POLICY).is_valid
    assert not any(map(is_name, ["", ".", "..", "x" * 65]))
    assert all(map(is_name, ["a b", "a/b", "...", ".a", "..a", "a..", "x" * 64]))


def served(root: Caller, address: str = "/api/v1/schema/", **environment: str) -> Any:
    answer = root.client.get(address, headers=root.headers, **environment)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    made = answer.json()
    validate_schema(made)
    return made


def test_the_served_description_is_the_copy(root: Caller) -> None:
    """With the portal's address and its ways to sign in."""
    made = served(root)

    assert made["paths"] == DESCRIPTION["paths"]
    assert made["info"] == DESCRIPTION["info"]
    assert made["servers"] == [{"url": "/api/v1"}]
    schemes = made["components"]["securitySchemes"]
    assert [scheme["in"] for scheme in schemes.values()] == ["header", "cookie"]
    assert made["security"] == [{name: []} for name in schemes]


def test_it_has_the_portals_prefix_and_limits_and_ways_to_sign_in(
    root: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served(root, SCRIPT_NAME="/portal")["servers"] == [{"url": "/portal/api/v1"}]

    for prefix, address, bulk, page in (
        ("", "/", 1000, 100),
        ("x/y/", "/x/y", 7, 25),
        ("größe ü/{1}/", "/gr%C3%B6%C3%9Fe%20%C3%BC/%7B1%7D", 8, 26),
        ("schema/schema/", "/schema/schema", 1000, 100),
    ):
        settings.ROOT_URLCONF = (path(prefix, API),)
        settings.DOC_PRIORITY = {"API_MAX_BULK": bulk, "API_MAX_PAGE_SIZE": page}
        made = served(root, f"/{prefix}schema/")
        assert made["servers"] == [{"url": address}]
        body = made["components"]["schemas"]["BulkBody"]
        assert body["properties"]["items"]["maxItems"] == bulk
        for operations in made["paths"].values():
            for parameter in operations.get("get", {}).get("parameters", ()):
                assert parameter["name"] != "limit" or parameter["schema"]["maximum"] == page

    # Ways to sign in that cannot be described are left out.
    settings.ROOT_URLCONF = "tests.urls"

    class OwnAuthentication(BaseAuthentication):
        def authenticate(self, request: Any) -> None:
            return None

    usual = DocumentationView.authentication_classes
    ways = [OwnAuthentication, *usual]
    monkeypatch.setattr(DocumentationView, "authentication_classes", ways)
    assert len(served(root)["security"]) == len(usual)

    settings.REST_FRAMEWORK = {"DEFAULT_PERMISSION_CLASSES": []}
    monkeypatch.setattr(DocumentationView, "authentication_classes", [OwnAuthentication])
    made = served(root)
    assert "security" not in made
    assert "securitySchemes" not in made["components"]


def test_it_is_for_those_whom_the_portal_lets_in(root: Caller, settings: Any) -> None:
    page = root.get("docs/")
    assert page["Content-Type"] == "text/html; charset=utf-8"
    assert b"http" not in page.content
    assert page["Content-Security-Policy"].startswith("default-src 'none'; ")

    # Its script holds the CSRF token of a session, so no page elsewhere may load it.
    (script,) = re.findall(r'src="(/[^"]+)"', page.content.decode())
    assert script == "/api/v1/docs/?script="
    answer = root.get("docs/?script=")
    assert answer["Content-Type"] == "application/javascript"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert b'url: "/api/v1/schema/"' in answer.content
    settings.ROOT_URLCONF = (path("größe ü/{1}/", API),)
    script_there = root.client.get("/größe ü/{1}/docs/?script=", headers=root.headers).content
    assert b'url: "/gr%C3%B6%C3%9Fe%20%C3%BC/%7B1%7D/schema/"' in script_there
    settings.ROOT_URLCONF = "tests.urls"
    for query in ("script=1", "script=&script=", "script", "lang=de", "version=1", "script=&x=1"):
        assert_problem(root.get(f"docs/?{query}"), 400, "invalid")

    for permission, anonymous, signed_in in (
        ("AllowAny", 200, 200),
        ("IsAuthenticated", 401, 200),
        ("DjangoModelPermissions", 401, 200),
        ("DjangoModelPermissionsOrAnonReadOnly", 200, 200),
        ("IsAdminUser", 401, 403),
    ):
        settings.REST_FRAMEWORK = {
            "DEFAULT_PERMISSION_CLASSES": [f"rest_framework.permissions.{permission}"]
        }
        for address in ("schema/", "docs/"):
            assert Client().get(f"/api/v1/{address}").status_code == anonymous, permission
            assert root.get(address).status_code == signed_in, permission


@pytest.mark.parametrize(
    ("version", "text_or_null"),
    [
        ("3.0.3", {"type": "string", "nullable": True}),
        ("3.1.1", {"type": ["string", "null"]}),
    ],
)
def test_a_description_that_the_portal_makes_of_all_its_views(
    version: str, text_or_null: dict[str, Any]
) -> None:
    prefix = "customers/of/policies"
    reset_generator_stats()

    with patched_settings({"OAS_VERSION": version, "TITLE": "The portal"}):
        generator: Any = SchemaGenerator(patterns=(path(f"{prefix}/", API),))  # type: ignore[no-untyped-call]
        made = generator.get_schema(public=True)
        validate_schema(made)
        assert made["info"]["title"] == "The portal"
        assert document()["info"]["title"] == "Document priorities"
        assert spectacular_settings.TITLE == "The portal"

    assert not GENERATOR_STATS
    made_operations = [one for methods in made["paths"].values() for one in methods.values()]
    assert {(one["operationId"], tuple(one["tags"])) for one in made_operations} == {
        (operation["operationId"], tuple(operation["tags"])) for _, _, operation in OPERATIONS
    }
    reset = made["paths"][f"/{prefix}/customers/{{key}}/reset/"]["post"]
    assert [list(way) for way in reset["security"]] == [["knoxApiToken"], ["cookieAuth"]]
    assert reset["responses"]["404"] == {"$ref": "#/components/responses/Problem404"}
    assert list(made["components"]["responses"]["Problem404"]["content"]) == [MEDIA_TYPE]
    assert reset["requestBody"]["content"].keys() == {"application/json"}
    for name, member in (
        ("CustomerAnswer", "updated_at"),
        ("CustomerPage", "next"),
        ("CustomerBody", "policy"),
        ("PinBody", "until"),
    ):
        properties = made["components"]["schemas"][name]["properties"]
        assert text_or_null.items() <= properties[member].items()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.django_db(transaction=True)
def test_the_page_has_every_operation_and_every_command_works(
    live_server: Any, root: Caller
) -> None:
    """For this server, by somebody who may do everything."""
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rest.md"
    blocks = re.findall(
        r"^```sh\n(.*?)^```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    token = root.headers["Authorization"].removeprefix("Token ")
    commands = "".join(block for block in blocks if "/api/token/" not in block)
    commands = re.sub("(?m)^API=.*$", f"API={live_server.url}/api/v1", commands)
    strict = """set -euo pipefail
    curl() { command curl --silent --show-error --fail-with-body --max-time 20 "$@"; echo; }
    """

    done = subprocess.run(
        ["bash", "-c", strict + commands.replace("PUT-YOURS-HERE", token)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    for address in DESCRIPTION["paths"]:
        pattern = re.sub(r"\\{\w+\\}", "[a-z]+", re.escape(address))
        assert re.search(rf"\$API{pattern}[\"?]", commands), address
    for said in ('"pending_documents":-2', "Dokumente", "HTTP/1.1 304", '"next":null', "Cedar"):
        assert said in done.stdout
