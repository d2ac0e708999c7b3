"""The OpenAPI document: what holds for every call, and the document that this portal serves."""

import copy
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
from doc_priority.api.filters import PageQuery, Query
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
    "PREPROCESSING_HOOKS": [],
    "SCHEMA_PATH_PREFIX": "/",
    "SECURITY": [],
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


@cache
def problems() -> dict[int, tuple[str, dict[str, Exception]]]:
    """When each error comes, and some of those it may be, in the language of all errors."""
    with translation.override(None):
        return {
            400: (
                "Something in the request is not what the call takes; `errors` names it.",
                {
                    "In the body": drf.ValidationError(
                        {"reason": str(ours.InvalidText())}, ours.InvalidText.code
                    ),
                    "After the question mark": exceptions.InvalidParameters(
                        {"limit": "'0' is not a whole number from 1 to 100."},
                        ours.InvalidInput.code,
                    ),
                    "In the address": ours.InvalidKey(),
                    "No JSON": drf.ParseError("The body is not JSON."),
                },
            ),
            401: ("Nobody is signed in.", {"Nobody": drf.NotAuthenticated()}),
            403: (
                "The user lacks the permission, or the CSRF token of a session is missing.",
                {
                    "No permission": drf.PermissionDenied(
                        NEEDS.format("doc_priority.reset_customer")
                    )
                },
            ),
            404: (
                "There is no such customer, policy or page within this user's reach.",
                {
                    "No customer": ours.not_found("acme"),
                    "No policy": ours.PolicyNotFound(),
                    "No page": exceptions.InvalidCursor(),
                },
            ),
            406: ("Only application/json is spoken here.", {"XML": drf.NotAcceptable()}),
            409: (
                "It exists already, or is still in use.",
                {
                    "A customer exists": ours.CustomerExists(),
                    "A policy exists": ours.PolicyExists(),
                    "A policy is in use": ours.PolicyInUse(),
                    "The portal holds on to it": exceptions.ProtectedByPortal(),
                },
            ),
            411: ("The body has no length.", {"In chunks": LengthRequired()}),
            413: ("The body is too large.", {"Too large": BodyTooLarge(MAX_BODY)}),
            415: (
                "The body is not plain JSON in UTF-8.",
                {"A form": drf.UnsupportedMediaType("application/x-www-form-urlencoded")},
            ),
            429: (
                "Too many requests; `Retry-After` says when to come back.",
                {"Too many": drf.Throttled(wait=30)},
            ),
            503: (
                "The counter stayed locked, or the database does not answer; try again.",
                {
                    "Locked": ours.CounterBusy(),
                    "Given up": ours.TransactionConflict(),
                    "No database": exceptions.DatabaseUnavailable(),
                },
            ),
        }


def examples_of(values: dict[str, Any], *, asked: bool = False) -> list[OpenApiExample]:
    return [
        OpenApiExample(name, value=value, request_only=asked, response_only=not asked)
        for name, value in values.items()
    ]


def header(name: str, kind: OpenApiTypes, statuses: list[int], text: str = "") -> OpenApiParameter:
    """A header of the answers with these statuses."""
    return OpenApiParameter(
        name, kind, OpenApiParameter.HEADER, response=statuses, description=text
    )


class StrictSerializerExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """What a strict serializer does not name is not taken."""

    target_class = "doc_priority.api.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        return {**schema, "additionalProperties": False}


class ServiceSchema(AutoSchema):
    """What each call has beside that which `extend_schema` says at its method."""

    view: Any

    def get_operation(self, *args: Any) -> dict[str, Any]:
        """The operation with every error it may answer."""
        operation: dict[str, Any] = super().get_operation(*args)  # type: ignore[assignment]
        answers = {int(status): answer for status, answer in operation["responses"].items()}
        errors = {*ALWAYS, *(status for status in answers if status >= 400)}
        lists = self.method == "GET" and issubclass(self.view.query_serializer, PageQuery)
        if lists or "{" in self.path:
            errors.add(404)
        if "requestBody" in operation:
            errors.update(WITH_BODY)
        told = {}
        for status in sorted(answers.keys() - errors):
            phrase = HTTPStatus(status).phrase
            text = "What the caller has is still so." if status == 304 else phrase
            told[str(status)] = {**answers[status], "description": text}
        told |= {str(status): self._problem(status) for status in sorted(errors)}
        return {**operation, "responses": told}

    def _problem(self, status: int) -> dict[str, Any]:
        """Errors look the same wherever they come, so each is described once."""
        description, errors = problems()[status]
        context = {"view": SimpleNamespace(kwargs={"key": "acme corp"})}
        with translation.override(None):
            told = {name: problem_response(error, context) for name, error in errors.items()}
        shown = examples_of({name: answer.data for name, answer in told.items() if answer})
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=f"Problem{status}",
            type=ResolvedComponent.RESPONSE,
            object=f"Problem{status}",
            schema=self._get_response_for_code(  # type: ignore[no-untyped-call]
                OpenApiResponse(ProblemAnswer, description, shown), str(status), [MEDIA_TYPE]
            ),
        )
        self.registry.register_on_missing(component)
        return component.ref

    def get_tags(self) -> list[str]:
        return [next(word for word in reversed(self.path.split("/")) if word in TAGS)]

    def get_override_parameters(self) -> list[Any]:
        statuses: Any = self.get_response_serializers()
        parameters: list[Any] = [
            header("Retry-After", OpenApiTypes.INT, [429, 503], text="Seconds."),
        ]
        for name, (schema, description, example) in PATH.items():
            if f"{{{name}}}" in self.path:
                one = OpenApiParameter(
                    name,
                    schema,
                    OpenApiParameter.PATH,
                    description=description,
                    examples=[OpenApiExample("One", value=example)],
                )
                parameters.append(one)
        if self.method == "GET" and self.view.query_serializer is not Query:
            parameters.append(self.view.query_serializer)
        if 304 in statuses:
            text = "The ETag of what the caller has."
            parameters.append(
                OpenApiParameter(
                    "If-None-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description=text
                )
            )
            parameters.append(header("ETag", OpenApiTypes.STR, [200, 304]))
        if 201 in statuses:
            parameters.append(header("Location", OpenApiTypes.URI, [201]))
        return parameters

    def _get_request_body(self, direction: Any = "request") -> Any:
        """Of a DELETE, too: a reason may come along."""
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
    body: Any = None,
    answer: Any = None,
    statuses: Sequence[int] = (200,),
) -> Callable[[Method], Method]:
    """`extend_schema` for a method that needs this permission; its docstring says the rest.

    The first status is that of the answer. ServiceSchema adds what any call may have.
    """

    def decorator(method: Method) -> Method:
        permission = f"doc_priority.{codename}"
        summary, _, description = inspect.cleandoc(method.__doc__ or "").partition("\n\n")
        method.permission = permission  # type: ignore[attr-defined]
        # Without it `extend_schema` would extend the portal's DEFAULT_SCHEMA_CLASS.
        method.schema = ServiceSchema  # type: ignore[attr-defined]
        return extend_schema(
            operation_id=operation_id,
            summary=summary.removesuffix("."),
            description=" ".join([*description.split(), f"Needs the permission `{permission}`."]),
            request=body,
            responses={**dict.fromkeys(statuses), statuses[0]: answer},
            examples=[
                *examples_of(ASKED.get(operation_id, {}), asked=True),
                *examples_of(ANSWERED.get(operation_id, {})),
            ],
        )(method)

    return decorator


def document() -> dict[str, Any]:
    """The description as the code has it now; who may sign in how is the portal's to say."""
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


@cache
def _committed() -> dict[str, Any]:
    """The copy in the package; to make it anew takes a while, and changes settings meanwhile."""
    committed: dict[str, Any] = json.loads(COPY.read_text("utf-8"))
    return committed


def served(*, prefix: str, authenticators: Iterable[BaseAuthentication]) -> dict[str, Any]:
    """The description as this portal serves it: its address, its limits, its ways to sign in."""
    made = copy.deepcopy(_committed())
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
