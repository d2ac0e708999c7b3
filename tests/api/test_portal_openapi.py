"""The operations in a description that the portal makes of all its views."""

from typing import Any

import pytest
from django.urls import include, path
from drf_spectacular.drainage import GENERATOR_STATS, reset_generator_stats
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings, spectacular_settings
from drf_spectacular.validation import validate_schema

from doc_priority.api.openapi.document import document
from doc_priority.api.problems import MEDIA_TYPE
from tests.api.openapi_operations import OPERATIONS

PREFIX = "customers/of/policies"
URLS = (path(f"{PREFIX}/", include("doc_priority.api.urls")),)


def described(**settings: Any) -> Any:
    reset_generator_stats()
    with patched_settings(settings):
        made = SchemaGenerator(patterns=URLS).get_schema(public=True)  # type: ignore[no-untyped-call]
        validate_schema(made)
    assert not GENERATOR_STATS
    return made


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1"])
def test_it_has_the_same_operations(version: str) -> None:
    made = described(OAS_VERSION=version)

    found = {
        (operation["operationId"], tuple(operation["tags"]))
        for methods in made["paths"].values()
        for operation in methods.values()
    }
    assert found == {
        (one.operation["operationId"], tuple(one.operation["tags"])) for one in OPERATIONS
    }


def test_errors_and_ways_to_sign_in_are_there() -> None:
    made = described(OAS_VERSION="3.1.1")

    reset = made["paths"][f"/{PREFIX}/customers/{{key}}/reset/"]["post"]
    assert [list(way) for way in reset["security"]] == [["knoxApiToken"], ["cookieAuth"]]
    assert list(reset["responses"]["404"]["content"]) == [MEDIA_TYPE]
    assert reset["requestBody"]["content"].keys() == {"application/json"}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("3.0.3", {"type": "string", "nullable": True}),
        ("3.1.1", {"type": ["string", "null"]}),
    ],
)
def test_null_is_said_as_the_portals_version_says_it(version: str, expected: Any) -> None:
    schemas = described(OAS_VERSION=version)["components"]["schemas"]

    for name, member in [
        ("CustomerAnswer", "updated_at"),
        ("CustomerPage", "next"),
        ("CustomerBody", "policy"),
        ("PinBody", "until"),
    ]:
        assert expected.items() <= schemas[name]["properties"][member].items()


def test_the_portals_settings_stay_its_own() -> None:
    with patched_settings({"TITLE": "The portal"}):
        made = document()

        assert made["info"]["title"] == "Document priorities"
        assert spectacular_settings.TITLE == "The portal"
