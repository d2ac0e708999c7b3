"""Errors as problem documents (RFC 9457), with a code, what was wrong and the remedy."""

import logging
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.db.models import ProtectedError, RestrictedError
from django.http import Http404
from django.utils import translation
from django.utils.cache import patch_vary_headers
from rest_framework import exceptions as drf
from rest_framework.exceptions import APIException, ErrorDetail
from rest_framework.response import Response
from rest_framework.views import set_rollback

from doc_priority import exceptions as ours
from doc_priority.api.languages import language_of, title_of

logger = logging.getLogger("doc_priority")

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
ENOUGH_ERRORS = MAX_ERRORS + 1
"""So many errors are looked for: one more than is named tells that there are more."""

UNUSABLE = frozenset({"25006", "25P03", "25P04"})
"""PostgreSQL's codes for a transaction that may not write, and for a session that it ended."""

STATUSES: dict[int, tuple[type[ours.DocPriorityError], ...]] = {
    400: (ours.InvalidInput,),
    403: (ours.CustomerOutOfReach,),
    404: (ours.CustomerNotFound, ours.PolicyNotFound),
    409: (ours.CustomerExists, ours.PolicyExists, ours.PolicyInUse),
    503: (ours.CounterBusy, ours.TransactionConflict),
}


class ProtectedByPortal(APIException):
    """Rows of the portal hold on to what should be deleted."""

    status_code = 409
    default_code = "protected"
    default_detail = "Other rows of the portal refer to it and forbid its deletion."


class DatabaseUnavailable(APIException):
    """The database did not answer, or not in time."""

    status_code = 503
    default_code = "database_unavailable"
    default_detail = "The database cannot be used at the moment; try again."


class InvalidParameters(drf.ValidationError):
    """The query parameters are not those that the call accepts."""


class InvalidCursor(drf.NotFound):
    """A cursor is taken from `next` or `previous` of a page, unchanged and with its ordering."""

    default_code = "invalid_cursor"
    default_detail = "This cursor leads to no page; begin again without it."


def problem_response(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The problem document of a known error; None for any other error."""
    known = _api_exception(error)
    if known is None:
        return None
    if isinstance(known, DatabaseUnavailable) and known is not error:
        logger.error(
            "The database cannot be used",
            exc_info=error,
            extra={"action": DatabaseUnavailable.default_code},
        )
    set_rollback()
    errors = list(islice(_errors(known, error, context), ENOUGH_ERRORS))
    title, language = title_of(known.status_code), "en"
    if request := context.get("request"):
        # The title is in the language asked for; the rest stays in the language of programs.
        with language_of(request):
            title, language = title_of(known.status_code), translation.get_language() or "en"
    response = Response(
        {
            "type": "about:blank",
            "title": title,
            "status": int(known.status_code),
            "detail": _readable(_summary(known, errors)),
            "code": getattr(known.detail, "code", None) or known.default_code,
            "errors": errors[:MAX_ERRORS],
        },
        status=known.status_code,
        content_type=MEDIA_TYPE,
    )
    response["Content-Language"] = "en" if language.startswith("en") else f"{language}, en"
    patch_vary_headers(response, ["Accept-Language"])
    if header := getattr(known, "auth_header", None):
        response["WWW-Authenticate"] = header
    # A busy counter is worth another try after a second.
    wait = getattr(known, "wait", 1 if known.status_code == 503 else None)
    if wait is not None:
        response["Retry-After"] = str(max(int(wait), 1))
    return response


def _api_exception(error: Exception) -> APIException | None:
    match error:
        case APIException():
            return error
        case Http404():
            return drf.NotFound()
        case PermissionDenied():
            return drf.PermissionDenied()
        case ProtectedError() | RestrictedError():
            return ProtectedByPortal()
    for status, kinds in STATUSES.items():
        if isinstance(error, kinds):
            known = APIException(str(error), error.code)
            known.status_code = status
            return known
    # Away, full or read-only; what is about transactions has another class on PostgreSQL.
    if isinstance(error, OperationalError | InterfaceError):
        return DatabaseUnavailable()
    return DatabaseUnavailable() if getattr(error.__cause__, "sqlstate", "") in UNUSABLE else None


def _summary(known: APIException, errors: list[dict[str, str]]) -> str:
    if isinstance(known.detail, ErrorDetail) or not errors:
        return str(known.detail)
    first = f"{errors[0]['pointer']}: {errors[0]['detail']}"
    if len(errors) > MAX_ERRORS:
        return f"{first} (These are the first {MAX_ERRORS} errors; there are more.)"
    return f"{first} ({len(errors)} errors in all.)" if len(errors) > 1 else first


def _errors(
    known: APIException, error: Exception, context: Mapping[str, Any]
) -> Iterator[dict[str, str]]:
    """Every wrong value: in the body, the query parameters, or the address."""
    match error:
        case InvalidCursor():
            yield _error("?cursor", known.detail)
        case InvalidParameters():
            yield from _walked(known.detail, "?", separator="")
        case drf.ValidationError():
            yield from _walked(known.detail, "#", separator="/")
        case ours.InvalidKey() if "key" in context["view"].kwargs:
            yield _error("{key}", known.detail)
        case ours.PolicyNotFound() | ours.InvalidText() if "name" in context["view"].kwargs:
            yield _error("{name}", known.detail)
        case ours.PolicyNotFound():
            yield _error("#/policy", known.detail)
        case ours.InvalidPin():
            yield _error("#/until", known.detail)


def _walked(detail: Any, pointer: str, *, separator: str) -> Iterator[dict[str, str]]:
    """Every message with the path to its value, as a JSON pointer (RFC 6901)."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            step = str(name).replace("~", "~0").replace("/", "~1")[:80]
            # What Django REST framework says of a whole body belongs to no name in it.
            step = "" if name == "non_field_errors" else f"{separator}{step}"
            yield from _walked(inner, pointer + step, separator="/")
    elif isinstance(detail, list):
        for inner in detail:
            yield from _walked(inner, pointer, separator=separator)
    else:
        yield _error(pointer, detail)


def _error(pointer: str, detail: Any) -> dict[str, str]:
    code = getattr(detail, "code", None) or "invalid"
    return {"pointer": _readable(pointer), "code": code, "detail": _readable(str(detail))}


def _readable(text: str) -> str:
    """Text that every JSON parser can read."""
    return text.encode("utf-8", "backslashreplace").decode()
