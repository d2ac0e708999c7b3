"""The language of a request, and the titles of errors in that language."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus

from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation.trans_real import parse_accept_lang_header
from rest_framework.request import Request

TITLES = {
    400: _("Bad Request"),
    401: _("Unauthorized"),
    403: _("Forbidden"),
    404: _("Not Found"),
    405: _("Method Not Allowed"),
    406: _("Not Acceptable"),
    409: _("Conflict"),
    411: _("Length Required"),
    # Python calls it so since 3.13.
    413: _("Content Too Large"),
    415: _("Unsupported Media Type"),
    429: _("Too Many Requests"),
    503: _("Service Unavailable"),
}
"""As RFC 9110 has them."""


@contextmanager
def language_of(request: Request) -> Iterator[None]:
    """Activate the first language of Accept-Language that is in the portal's LANGUAGES."""
    language = ""
    for code, _quality in parse_accept_lang_header(request.META.get("HTTP_ACCEPT_LANGUAGE", "")):
        with suppress(LookupError):
            language = language or translation.get_supported_language_variant(code)
    with translation.override(language or translation.get_language_from_request(request._request)):
        yield


def title_of(status: int) -> str:
    """The title in the active language; for a status that is not ours, its English name."""
    return str(TITLES.get(status, HTTPStatus(status).phrase))
