"""Bodies whose length nobody said."""

from http import HTTPStatus

from rest_framework.exceptions import APIException
from rest_framework.request import Request


class LengthRequired(APIException):
    """Without a length a body would pass for none, and a named document for one without a name."""

    status_code = HTTPStatus.LENGTH_REQUIRED
    default_code = "length_required"
    default_detail = "The body has no Content-Length; send one, and not in chunks."


def require_length(request: Request) -> None:
    """Refuse a body that Django REST framework would not look at."""
    if "HTTP_TRANSFER_ENCODING" in request.META:
        raise LengthRequired
    # An ASGI server hands over a body of unknown length without that header.
    if not request.META.get("CONTENT_LENGTH") and request._request.read(1):
        raise LengthRequired
