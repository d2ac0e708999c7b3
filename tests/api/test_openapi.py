"""The checked-in description: the code's own, valid, and complete."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from drf_spectacular.drainage import GENERATOR_STATS, reset_generator_stats
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from doc_priority.api import schemas
from doc_priority.api.endpoint import Endpoint
from doc_priority.api.openapi.document import COPY, as_text, document
from doc_priority.api.problems import MEDIA_TYPE, title_of
from doc_priority.api.urls import urlpatterns
from doc_priority.validation import is_key
from tests.api.openapi_operations import DESCRIPTION, OPERATIONS, Described

pytestmark = pytest.mark.sqlite

OF_THE_DESCRIPTION = {"schema", "docs", "asset", "unknown"}
"""Routes that lead to the description itself, or nowhere."""

each_operation = pytest.mark.parametrize("described", OPERATIONS, ids=str)


def test_the_copy_is_what_the_code_says() -> None:
    made = as_text(document())

    assert COPY.read_text("utf-8") == made, "The copy is out of date: make openapi"


def test_it_is_made_without_warnings() -> None:
    reset_generator_stats()
    document()

    assert not GENERATOR_STATS


def test_it_is_openapi_3_1() -> None:
    validate_schema(DESCRIPTION)

    assert DESCRIPTION["openapi"].startswith("3.1.")
    for schema in DESCRIPTION["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def routes() -> Iterator[tuple[str, str]]:
    """Every address and method there is."""
    for route in urlpatterns:
        if route.name not in OF_THE_DESCRIPTION:
            path = re.sub(r"<\w+:(\w+)>", r"{\1}", str(route.pattern))
            endpoint: type[Endpoint] = route.callback.view_class
            yield from ((f"/{path}", method) for method in endpoint.operations)


def test_every_route_and_method_is_in_it() -> None:
    assert {(one.path, one.method) for one in OPERATIONS} == set(routes())


def test_a_method_without_an_operation_has_no_handler() -> None:
    for route in urlpatterns:
        endpoint: Any = route.callback.view_class
        if route.name not in OF_THE_DESCRIPTION:
            written = {name for name in endpoint.http_method_names if hasattr(endpoint, name)}
            assert written - {"head"} == set(endpoint.operations), route


def test_operation_ids_are_unique() -> None:
    ids = [one.operation["operationId"] for one in OPERATIONS]

    assert len(set(ids)) == len(ids)


@each_operation
def test_an_operation_says_what_it_is(described: Described) -> None:
    operation = described.operation

    assert re.fullmatch("[a-z]+(_[a-z]+)+", operation["operationId"])
    assert operation["summary"]
    assert re.search(r"Needs the permission `doc_priority\.\w+`\.$", operation["description"])
    assert operation["tags"] == [described.path.split("/")[1]]


def test_tags_are_described() -> None:
    used = {tag for one in OPERATIONS for tag in one.operation["tags"]}

    assert {tag["name"] for tag in DESCRIPTION["tags"]} == used


@each_operation
def test_its_body_and_its_answers_have_examples(described: Described) -> None:
    for media_type, content in described.contents():
        assert content["examples"], media_type


@each_operation
def test_its_errors_are_problems(described: Described) -> None:
    errors = {status: one for status, one in described.responses() if status >= 400}

    assert {400, 401, 403, 406, 429, 503} <= set(errors)
    assert ("{" not in described.path) or 404 in errors
    assert ("requestBody" not in described.operation) or {413, 415} <= set(errors)
    for response in errors.values():
        assert set(response["content"]) == {MEDIA_TYPE}


@each_operation
def test_its_examples_are_right(described: Described) -> None:
    for _, content in described.contents():
        validator = Draft202012Validator(
            {**content["schema"], "components": DESCRIPTION["components"]},
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        for example in content["examples"].values():
            validator.validate(example["value"])


@each_operation
def test_examples_of_errors_have_the_status_they_come_with(described: Described) -> None:
    for status, response in described.responses():
        for content in response.get("content", {}).values() if status >= 400 else ():
            for example in content["examples"].values():
                assert example["value"]["status"] == status
                assert example["value"]["title"] == title_of(status)


@each_operation
def test_its_parameters_are_described(described: Described) -> None:
    for parameter in described.operation.get("parameters", ()):
        assert parameter["description"], parameter["name"]
        if parameter["in"] == "path":
            example = parameter["examples"]["One"]["value"]
            Draft202012Validator(parameter["schema"]).validate(example)


def test_bodies_take_nothing_else() -> None:
    bodies = [
        schema for name, schema in DESCRIPTION["components"]["schemas"].items() if "Body" in name
    ]

    assert bodies
    assert all(body["additionalProperties"] is False for body in bodies)


@pytest.mark.parametrize("text", ["", "a", ".", "..", "...", ".a", "..a", "a..", "a b", "x" * 65])
def test_a_key_is_described_as_it_is_taken(text: str) -> None:
    assert Draft202012Validator(schemas.KEY).is_valid(text) == is_key(text)


def test_a_policys_name_has_an_address() -> None:
    matches = Draft202012Validator(schemas.POLICY).is_valid
    assert not any(map(matches, ["", ".", "..", "x" * 65]))
    assert all(map(matches, ["a b", "a/b", "...", ".a", "..a", "a..", "x" * 64]))


def test_it_names_no_outside_address() -> None:
    assert "http" not in COPY.read_text("utf-8").replace("HTTP", "")
