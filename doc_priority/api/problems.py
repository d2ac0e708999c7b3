"""Errors as RFC 9457 has them: every refusal names its code, what was wrong and what helps."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import chain, islice
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.db.models import ProtectedError, RestrictedError
from django.http import Http404
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import APIException, ErrorDetail, NotFound, ValidationError
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from doc_priority.api.titles import title_for, title_of
from doc_priority.exceptions import (
    CounterBusy,
    CustomerExists,
    CustomerNotFound,
    CustomerOutOfReach,
    DocPriorityError,
    InvalidInput,
    InvalidKey,
    InvalidPin,
    InvalidText,
    PolicyExists,
    PolicyInUse,
    PolicyNotFound,
    TransactionConflict,
)

logger = logging.getLogger("doc_priority")

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
"""Of a long list of wrong items so many are named."""
ENOUGH_ERRORS = MAX_ERRORS + 1
"""So many are looked for: one more than is named tells that there are more."""

RETRY_AFTER = 1
"""Seconds after which a busy counter is worth another try."""

UNUSABLE = frozenset({"25006", "25P03", "25P04"})
"""What PostgreSQL calls a transaction that may not write, as on a replica, and the end of a session
that was idle within one, or that had one for too long."""

NON_FIELD = "non_field_errors"
BODY, QUERY = "#", "?"

STATUSES: dict[type[DocPriorityError], int] = {
    InvalidInput: HTTPStatus.BAD_REQUEST,
    CustomerNotFound: HTTPStatus.NOT_FOUND,
    CustomerOutOfReach: HTTPStatus.FORBIDDEN,
    PolicyNotFound: HTTPStatus.NOT_FOUND,
    CustomerExists: HTTPStatus.CONFLICT,
    PolicyExists: HTTPStatus.CONFLICT,
    PolicyInUse: HTTPStatus.CONFLICT,
    CounterBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    TransactionConflict: HTTPStatus.SERVICE_UNAVAILABLE,
}


class BodyTooLarge(APIException):
    """The body has more bytes than the call takes."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "body_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"The body is larger than the {limit} bytes this call takes; split it.")


class ProtectedByPortal(APIException):
    """Rows of the portal hold on to what should be deleted."""

    status_code = HTTPStatus.CONFLICT
    default_code = "protected"
    default_detail = "Other rows of the portal refer to it and forbid its deletion."


class DatabaseUnavailable(APIException):
    """The database did not answer, or not in time."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_code = "database_unavailable"
    default_detail = "The database cannot be used at the moment; try again."
    wait = RETRY_AFTER


class InvalidParameters(ValidationError):  # noqa: N818 - says what happened
    """What stands after the question mark is not what the call takes."""


class InvalidCursor(NotFound):
    """A cursor is taken from `next` or `previous` of a page, unchanged and with its ordering."""

    default_code = "invalid_cursor"
    default_detail = "This cursor leads to no page; begin again without it."


def problem_response(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The answer to an error that was foreseen; None for one that was not."""
    if _means_no_database(error):
        logger.error(
            "The database cannot be used",
            exc_info=error,
            extra={"action": "database_unavailable"},
        )
    told = _api_exception(error)
    if told is None:
        return None
    set_rollback()
    places = _places(error, context["view"].kwargs)
    response = Response(
        problem(told, places),
        status=told.status_code,
        headers=_headers(told),
        content_type=MEDIA_TYPE,
    )
    if request := context.get("request"):
        _speak(response, request)
    return response


def problem(error: APIException, places: Iterable[str] = ()) -> dict[str, Any]:
    """The document that says what went wrong, and in which places."""
    of_places = (_error(place, error.detail) for place in places)
    errors = list(islice(chain(_errors(error), of_places), ENOUGH_ERRORS))
    return {
        "type": "about:blank",
        "title": title_of(error.status_code),
        "status": int(error.status_code),
        "detail": _shown(_summary(error, errors)),
        "code": _code(error),
        "errors": errors[:MAX_ERRORS],
    }


def _speak(response: Response, request: Request) -> None:
    """Give the title in the language asked for; the rest stays in the language of programs."""
    response.data["title"], language = title_for(request, response.status_code)
    response["Content-Language"] = "en" if language.startswith("en") else f"{language}, en"
    patch_vary_headers(response, ["Accept-Language"])


def _api_exception(error: Exception) -> APIException | None:
    match error:
        case APIException():
            return error
        case DocPriorityError():
            return _of_service(error)
        case Http404():
            return NotFound()
        case PermissionDenied():
            return Forbidden()
        case ProtectedError() | RestrictedError():
            return ProtectedByPortal()
    return DatabaseUnavailable() if _means_no_database(error) else None


def _means_no_database(error: Exception) -> bool:
    """Away, full or read-only; what is about transactions has another class on PostgreSQL."""
    if isinstance(error, OperationalError | InterfaceError):
        return True
    return getattr(error.__cause__, "sqlstate", None) in UNUSABLE


def _of_service(error: DocPriorityError) -> APIException | None:
    for kind, status in STATUSES.items():
        if isinstance(error, kind):
            told = APIException(str(error), error.code)
            told.status_code = status
            return told
    return None


def _places(error: Exception, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Where the value stood that a service refused: in the address, or in the body."""
    match error:
        case InvalidKey() if "key" in parameters:
            yield "{key}"
        case PolicyNotFound() | InvalidText() if "name" in parameters:
            yield "{name}"
        case PolicyNotFound():
            yield "#/policy"
        case InvalidPin():
            yield "#/until"


def _headers(error: APIException) -> dict[str, str]:
    headers = {"Content-Language": "en"}
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    wait = getattr(error, "wait", None)
    if wait is None and error.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        wait = RETRY_AFTER
    if wait is not None:
        headers["Retry-After"] = str(max(int(wait), 1))
    return headers


def _code(error: APIException) -> str:
    told = error.detail.code if isinstance(error.detail, ErrorDetail) else None
    return told or error.default_code


def _summary(error: APIException, errors: list[dict[str, str]]) -> str:
    if isinstance(error.detail, ErrorDetail) or not errors:
        return str(error.detail)
    first = errors[0]
    told = f"{first['pointer']}: {first['detail']}"
    if len(errors) > MAX_ERRORS:
        return f"{told} (These are the first {MAX_ERRORS} errors; there are more.)"
    return f"{told} ({len(errors)} errors in all.)" if len(errors) > 1 else told


def _errors(error: APIException) -> Iterator[dict[str, str]]:
    if isinstance(error, InvalidCursor):
        yield _error("?cursor", error.detail)
    elif isinstance(error, InvalidParameters):
        yield from _walked(error.detail, QUERY, separator="")
    elif isinstance(error, ValidationError):
        yield from _walked(error.detail, BODY, separator="/")


def _walked(detail: Any, pointer: str, *, separator: str) -> Iterator[dict[str, str]]:
    """Every message, with the way to the value it is about."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            step = "" if name == NON_FIELD else f"{separator}{_step(name)}"
            yield from _walked(inner, pointer + step, separator="/")
    elif isinstance(detail, list):
        for inner in detail:
            yield from _walked(inner, pointer, separator=separator)
    else:
        yield _error(pointer, detail)


def _step(name: object) -> str:
    """A name as RFC 6901 writes it."""
    return str(name).replace("~", "~0").replace("/", "~1")[:80]


def _error(pointer: str, detail: Any) -> dict[str, str]:
    code = getattr(detail, "code", None) or "invalid"
    return {"pointer": _shown(pointer), "code": code, "detail": _shown(str(detail))}


def _shown(text: str) -> str:
    """Text that every JSON parser can read."""
    return text.encode("utf-8", "backslashreplace").decode()
