"""JSON in and out, and errors that say what was wrong."""

import binascii
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from django.conf import settings as django_settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.views import APIView

from doc_priority.api.negotiation import JSONNegotiation
from doc_priority.api.parsers import MAX_BODY, StrictJSONParser
from doc_priority.api.problems import problem_response
from doc_priority.api.renderers import JSONRenderer


class JSONView(APIView):
    """Of the portal's settings it takes who somebody is, and nothing that would change its form.

    Errors stay in English, the language of the code that reads them, but for their titles.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]  # noqa: RUF012
    renderer_classes = (JSONRenderer,)
    parser_classes = (StrictJSONParser,)
    content_negotiation_class = JSONNegotiation
    versioning_class = None
    # Django REST framework's sign to permissions that ask for a model: here is none.
    _ignore_model_permissions = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with translation.override(None):
            return super().dispatch(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        """Ask who somebody is, unless the answer would be an error of the database."""
        if request.authenticators and _has_nul(request):
            raise AuthenticationFailed(
                "The credentials have a NUL character in them; sign in with others."
            )
        super().perform_authentication(request)

    def max_body(self) -> int:
        """Bytes that a body may have."""
        return MAX_BODY

    def get_exception_handler(self) -> Callable[..., Any]:
        return problem_response


def _has_nul(request: Request) -> bool:
    """Whether the credentials hold what PostgreSQL cannot look for, and what nobody is called.

    No server lets a NUL through in a header, but Base64 and the octal escapes of a cookie hide it.
    """
    header = get_authorization_header(request)
    cookie = request.COOKIES.get(django_settings.SESSION_COOKIE_NAME, "")
    return b"\0" in header or b"\0" in _basic(header) or "\0" in cookie


def _basic(header: bytes) -> bytes:
    """Name and password, if they are written as RFC 7617 has them."""
    match header.split():
        case [scheme, encoded] if scheme.lower() == b"basic":
            try:
                return b64decode(encoded)
            except binascii.Error:  # Django REST framework says what is wrong with it
                return b""
    return b""
