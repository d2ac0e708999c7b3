"""What the statuses of errors are called, in the language of whoever asks."""

from http import HTTPStatus

from django.utils import translation
from django.utils.translation import gettext_lazy as _
from rest_framework.request import Request

from doc_priority.api.languages import language_of

TITLES = {
    HTTPStatus.BAD_REQUEST: _("Bad Request"),
    HTTPStatus.UNAUTHORIZED: _("Unauthorized"),
    HTTPStatus.FORBIDDEN: _("Forbidden"),
    HTTPStatus.NOT_FOUND: _("Not Found"),
    HTTPStatus.METHOD_NOT_ALLOWED: _("Method Not Allowed"),
    HTTPStatus.NOT_ACCEPTABLE: _("Not Acceptable"),
    HTTPStatus.CONFLICT: _("Conflict"),
    HTTPStatus.LENGTH_REQUIRED: _("Length Required"),
    # Python calls it so since 3.13.
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: _("Content Too Large"),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: _("Unsupported Media Type"),
    HTTPStatus.TOO_MANY_REQUESTS: _("Too Many Requests"),
    HTTPStatus.SERVICE_UNAVAILABLE: _("Service Unavailable"),
}
"""As RFC 9110 has them."""


def title_of(status: int) -> str:
    """In the active language; a status that is none of ours has its English name."""
    phrase = HTTPStatus(status).phrase
    return str(TITLES.get(HTTPStatus(status), phrase))


def title_for(request: Request, status: int) -> tuple[str, str]:
    """The title in the language that was asked for, and that language."""
    with language_of(request):
        return title_of(status), translation.get_language() or "en"
