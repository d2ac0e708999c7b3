"""The OpenAPI document: what holds for every call, and the document that this portal serves."""

import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar
from urllib.parse import quote

from django.utils import translation
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.settings import patched_settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)
from rest_framework import exceptions as drf
from rest_framework.authentication import BaseAuthentication

from doc_priority import __version__
from doc_priority import exceptions as ours
from doc_priority.api import exceptions
from doc_priority.api.examples import ANSWERED, ASKED, CUSTOMER
from doc_priority.api.examples import POLICY as POLICY_EXAMPLE
from doc_priority.api.exceptions import MEDIA_TYPE, problem_response
from doc_priority.api.filters import Query
from doc_priority.api.parsers import MAX_BODY, BodyTooLarge, LengthRequired
from doc_priority.api.permissions import NEEDS
from doc_priority.api.serializers import KEY, POLICY, ProblemAnswer
from doc_priority.conf import settings

Method = TypeVar("Method", bound=Callable[..., Any])

COPY = Path(__file__).parent / "openapi" / "openapi.json"

DESCRIPTION = """\
A priority from 1 (processed first) to 9 (last) for every document, by how much its customer has
sent lately.

- JSON in and out, in UTF-8. Times are UTC and end with `Z`.
- Errors are `application/problem+json` (RFC 9457) with a stable `code`; `errors` names each wrong
  value. That holds for every address below those named here, also for unknown ones (404) and wrong
  methods (405, with `Allow`).
- A name or parameter that is not known, or stands there twice, is an error (400).
- Lists come in pages: follow `next` until it is null.
- Live values have an ETag: send it as `If-None-Match`, and 304 says that nothing changed.
- A customer out of a user's reach answers like one that does not exist (404).
"""

SETTINGS: dict[str, Any] = {
    "COMPONENT_SPLIT_PATCH": False,
    "DESCRIPTION": DESCRIPTION,
    "OAS_VERSION": "3.1.1",
    "POSTPROCESSING_HOOKS": [],
    "SCHEMA_PATH_PREFIX": "/",
    "SERVERS": [{"url": "/api/v1"}],
    "TAGS": [
        {"name": "checks", "description": "Many documents at once."},
        {"name": "customers", "description": "Customers, their documents and their counters."},
        {"name": "policies", "description": "Terms that customers can be given."},
        {"name": "stats", "description": "Numbers for a dashboard."},
    ],
    "TITLE": "Document priorities",
    "VERSION": __version__,
}

TAGS = tuple(tag["name"] for tag in SETTINGS["TAGS"])
"""First words of the API's own addresses, whatever the portal puts before them."""

ALWAYS = (400, 401, 403, 406, 429, 503)
WITH_BODY = (411, 413, 415)

PATH = {
    "key": (KEY, "The customer's key.", CUSTOMER["customer"]),
    "name": (POLICY, "The policy's name.", POLICY_EXAMPLE["name"]),
}
PROBLEMS = {
    400: "Something in the request is not what the call takes; `errors` names it.",
    401: "Nobody is signed in.",
    403: "The user lacks the permission, or the CSRF token of a session is missing.",
    404: "There is no such customer, policy or page within this user's reach.",
    406: "Only application/json is spoken here.",
    409: "It exists already, or is still in use.",
    411: "The body has no length.",
    413: "The body is too large.",
    415: "The body is not plain JSON in UTF-8.",
    429: "Too many requests; `Retry-After` says when to come back.",
    503: "The counter stayed locked, or the database does not answer; try again.",
}
"""When each error comes."""


@cache
def problem_examples() -> dict[int, dict[str, Any]]:
    """Examples of the errors of each status, in English as all errors."""
    reason = {"reason": str(ours.InvalidText())}
    limit = {"limit": "'0' is not a whole number from 1 to 100."}
    form = "application/x-www-form-urlencoded"
    context = {"view": SimpleNamespace(kwargs={"key": "acme corp"})}
    found: dict[int, dict[str, Any]] = {status: {} for status in PROBLEMS}
    with translation.override(None):
        errors = {
            "In the body": drf.ValidationError(reason, ours.InvalidText.code),
            "After the question mark": exceptions.InvalidParameters(limit, ours.InvalidInput.code),
            "In the address": ours.InvalidKey(),
            "No JSON": drf.ParseError("The body is not JSON."),
            "Nobody": drf.NotAuthenticated(),
            "No permission": drf.PermissionDenied(NEEDS.format("doc_priority.reset_customer")),
            "No customer": ours.not_found("acme"),
            "No policy": ours.PolicyNotFound(),
            "No page": exceptions.InvalidCursor(),
            "XML": drf.NotAcceptable(),
            "A customer exists": ours.CustomerExists(),
            "A policy exists": ours.PolicyExists(),
            "A policy is in use": ours.PolicyInUse(),
            "The portal holds on to it": exceptions.ProtectedByPortal(),
            "In chunks": LengthRequired(),
            "Too large": BodyTooLarge(MAX_BODY),
            "A form": drf.UnsupportedMediaType(form),
            "Too many": drf.Throttled(wait=30),
            "Locked": ours.CounterBusy(),
            "Given up": ours.TransactionConflict(),
            "No database": exceptions.DatabaseUnavailable(),
        }
        for name, error in errors.items():
            answer: Any = problem_response(error, context)
            found[answer.status_code][name] = answer.data
    return found


def examples_of(values: dict[str, Any], *, asked: bool = False) -> list[OpenApiExample]:
    return [
        OpenApiExample(name, value=value, request_only=asked, response_only=not asked)
        for name, value in values.items()
    ]


class StrictSerializerExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """A strict serializer accepts no other names."""

    target_class = "doc_priority.api.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        return {**schema, "additionalProperties": False}


class ServiceSchema(AutoSchema):
    """What each call has in addition to the `extend_schema` of its method."""

    def get_operation(self, *args: Any) -> dict[str, Any]:
        """The operation with every error it may answer."""
        operation: dict[str, Any] = super().get_operation(*args)  # type: ignore[assignment]
        answers = operation["responses"]
        errors = {*ALWAYS, *(int(status) for status in answers if status >= "400")}
        if "{" in self.path:
            errors.add(404)
        if "requestBody" in operation:
            errors.update(WITH_BODY)
        answers |= {str(status): self._problem(status) for status in errors}
        return {**operation, "responses": dict(sorted(answers.items()))}

    def _problem(self, status: int) -> dict[str, Any]:
        """Errors of a status are the same for all calls, so each status is described once."""
        answer = OpenApiResponse(
            ProblemAnswer, PROBLEMS[status], examples_of(problem_examples()[status])
        )
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=f"Problem{status}",
            type=ResolvedComponent.RESPONSE,
            object=f"Problem{status}",
            schema=self._get_response_for_code(  # type: ignore[no-untyped-call]
                answer, str(status), [MEDIA_TYPE]
            ),
        )
        self.registry.register_on_missing(component)
        return component.ref

    def get_tags(self) -> list[str]:
        return [next(word for word in reversed(self.path.split("/")) if word in TAGS)]

    def get_override_parameters(self) -> list[Any]:
        statuses: Any = self.get_response_serializers()
        parameters = [
            OpenApiParameter(
                "Retry-After", int, "header", response=[429, 503], description="Seconds."
            )
        ]
        for name, (schema, text, example) in PATH.items():
            if f"{{{name}}}" in self.path:
                examples = [OpenApiExample("One", value=example)]
                parameters.append(
                    OpenApiParameter(name, schema, "path", description=text, examples=examples)
                )
        if 304 in statuses:
            text = "The ETag of what the caller has."
            parameters.append(OpenApiParameter("If-None-Match", str, "header", description=text))
            parameters.append(OpenApiParameter("ETag", str, "header", response=[200, 304]))
        if 201 in statuses:
            uri = OpenApiTypes.URI
            parameters.append(OpenApiParameter("Location", uri, "header", response=[201]))
        return parameters

    def _get_request_body(self, direction: Any = "request") -> Any:
        """Also of a DELETE, which may have a reason."""
        method = self.method
        try:
            self.method = "POST" if method == "DELETE" else method
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        finally:
            self.method = method


def operation(
    operation_id: str,
    codename: str,
    *,
    query: type[Query] = Query,
    body: Any = None,
    answer: Any = None,
    statuses: Sequence[int] = (200,),
) -> Callable[[Method], Method]:
    """`extend_schema` for a method that needs this permission; its docstring says the rest.

    The view reads what is asked with `query` and `body`. The first status is that of the answer.
    ServiceSchema adds what any call may have.
    """

    def decorator(method: Method) -> Method:
        permission = f"doc_priority.{codename}"
        answers = {**dict.fromkeys(statuses), statuses[0]: answer}
        texts = {304: "What the caller has is still so."}
        summary, _, description = inspect.cleandoc(method.__doc__ or "").partition("\n\n")
        # Without `schema`, `extend_schema` would extend the portal's DEFAULT_SCHEMA_CLASS.
        vars(method).update(permission=permission, query=query, body=body, schema=ServiceSchema)
        return extend_schema(
            operation_id=operation_id,
            summary=summary.removesuffix("."),
            description=" ".join([*description.split(), f"Needs the permission `{permission}`."]),
            parameters=[] if query is Query else [query],
            request=body,
            responses={
                status: OpenApiResponse(shown, texts.get(status, HTTPStatus(status).phrase))
                for status, shown in answers.items()
            },
            examples=[
                *examples_of(ASKED.get(operation_id, {}), asked=True),
                *examples_of(ANSWERED.get(operation_id, {})),
            ],
        )(method)

    return decorator


def document() -> dict[str, Any]:
    """The description of the current code, without authentication, which the portal sets."""
    with patched_settings(SETTINGS):
        generator = SchemaGenerator(urlconf="doc_priority.api.urls")  # type: ignore[no-untyped-call]
        made: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    made["components"] = {part: made["components"][part] for part in ("schemas", "responses")}
    for operations in made["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)
    return made


def as_text(made: dict[str, Any]) -> str:
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def served(*, prefix: str, authenticators: Iterable[BaseAuthentication]) -> dict[str, Any]:
    """The description with this portal's address, limits and authentication."""
    # The copy in the package: to make it anew takes a while, and changes settings meanwhile.
    made: dict[str, Any] = json.loads(COPY.read_text("utf-8"))
    made["servers"] = [{"url": quote(prefix.rstrip("/")) or "/"}]
    schemes: dict[str, Any] = {}
    for authenticator in authenticators:
        known = OpenApiAuthenticationExtension.get_match(authenticator)
        if known is None:
            continue
        names = [known.name] if isinstance(known.name, str) else known.name
        # Those that come with drf-spectacular and its kind do not look at the view.
        definitions = known.get_security_definition(None)  # type: ignore[arg-type]
        listed = [definitions] if isinstance(known.name, str) else definitions
        schemes.update(zip(names, listed, strict=True))
    if schemes:
        made["components"]["securitySchemes"] = schemes
        made["security"] = [{name: []} for name in schemes]
    items = made["components"]["schemas"]["BulkBody"]["properties"]["items"]
    items["maxItems"] = settings.api_max_bulk
    for operations in made["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "limit":
                    parameter["schema"]["maximum"] = settings.api_max_page_size
    return made
