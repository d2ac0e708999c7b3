"""Operations as drf-spectacular reads them."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from doc_priority.api import examples, schemas
from doc_priority.api.answers import ProblemAnswer
from doc_priority.api.openapi.problems import problem_kinds
from doc_priority.api.operations import NoBody, Operation
from doc_priority.api.problems import MEDIA_TYPE
from doc_priority.api.queries import PageQuery, Query

ALWAYS = (400, 401, 403, 406, 429, 503)
WITH_BODY = (411, 413, 415)

TAGS = ("checks", "customers", "policies", "stats")
"""First words of the API's own addresses, whatever the portal puts before them."""

PATH: dict[str, tuple[schemas.Schema, str, str]] = {
    "key": (schemas.KEY, "The customer's key.", examples.CUSTOMER["customer"]),
    "name": (schemas.POLICY, "The policy's name.", examples.POLICY["name"]),
}


class StrictSerializerExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """What a strict serializer does not name is not taken."""

    target_class = "doc_priority.api.strictness.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        return {**schema, "additionalProperties": False}


class OperationSchema(AutoSchema):
    """Takes everything from the view's operations."""

    @property
    def operation(self) -> Operation:
        view: Any = self.view
        operation: Operation = view.operations[view.request.method.lower()]
        return operation

    def get_operation_id(self) -> str:
        return self.operation.id

    def get_summary(self) -> str:
        return self.operation.summary

    def get_description(self) -> str:  # type: ignore[override]
        needs = f"Needs the permission `{self.operation.permission}`."
        return " ".join(filter(None, [self.operation.description, needs]))

    def get_tags(self) -> list[str]:
        return [next(word for word in reversed(self.path.split("/")) if word in TAGS)]

    def get_request_serializer(self) -> Any:
        return None if self.operation.body is NoBody else self.operation.body

    def get_response_serializers(self) -> Any:
        operation = self.operation
        done = OpenApiResponse(
            operation.answer,
            HTTPStatus(operation.status).phrase,
            list(_examples(operation.answered, response=True)),
        )
        answers: dict[Any, OpenApiResponse] = {operation.status: done}
        if operation.conditional:
            answers[304] = OpenApiResponse(None, "What the caller has is still so.")
        for status in sorted(self._problems()):
            kind = problem_kinds()[status]
            shown = list(_examples(kind.examples(), response=True))
            answers[status, MEDIA_TYPE] = OpenApiResponse(ProblemAnswer, kind.description, shown)
        return answers

    def get_override_parameters(self) -> list[Any]:
        parameters: list[Any] = [
            OpenApiParameter(
                name,
                schema,
                OpenApiParameter.PATH,
                description=description,
                examples=[OpenApiExample("One", value=example)],
            )
            for name, (schema, description, example) in PATH.items()
            if f"{{{name}}}" in self.path
        ]
        if self.operation.query is not Query:
            parameters.append(self.operation.query)
        parameters.extend(_headers(self.operation))
        return parameters

    def _problems(self) -> set[int]:
        problems = {*ALWAYS, *self.operation.problems}
        if "{" in self.path or issubclass(self.operation.query, PageQuery):
            problems.add(404)
        if self.operation.body is not NoBody:
            problems.update(WITH_BODY)
        return problems

    def get_examples(self) -> list[OpenApiExample]:
        return list(_examples(self.operation.asked, request=True))

    def _map_serializer_field(
        self, field: Any, direction: Any, bypass_extensions: bool = False
    ) -> Any:
        """Also for a portal whose own description is still OpenAPI 3.0."""
        schema = super()._map_serializer_field(field, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        if spectacular_settings.OAS_VERSION.startswith("3.0"):
            return _with_nullable(schema)
        return schema

    def _get_request_body(self, direction: Any = "request") -> Any:
        """Of a DELETE, too: a reason may come along."""
        method = self.method
        try:
            self.method = "POST" if method == "DELETE" else method
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        finally:
            self.method = method


def _with_nullable(schema: dict[str, Any]) -> dict[str, Any]:
    match schema.get("type"):
        case [kind, "null"]:
            return {**schema, "type": kind, "nullable": True}
    return schema


def _examples(
    values: Any, *, request: bool = False, response: bool = False
) -> Iterator[OpenApiExample]:
    for name, value in values.items():
        yield OpenApiExample(name, value=value, request_only=request, response_only=response)


def _headers(operation: Operation) -> Iterator[OpenApiParameter]:
    if operation.conditional:
        yield OpenApiParameter(
            "If-None-Match",
            OpenApiTypes.STR,
            OpenApiParameter.HEADER,
            description="The ETag of what the caller has.",
        )
        yield OpenApiParameter(
            "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[operation.status, 304]
        )
    if operation.status == HTTPStatus.CREATED:
        yield OpenApiParameter(
            "Location", OpenApiTypes.URI, OpenApiParameter.HEADER, response=[operation.status]
        )
    yield OpenApiParameter(
        "Retry-After",
        OpenApiTypes.INT,
        OpenApiParameter.HEADER,
        response=[429, 503],
        description="Seconds.",
    )
