"""The language somebody asks for."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header
from rest_framework.request import Request


@contextmanager
def language_of(request: Request) -> Iterator[str]:
    """Speak the language of Accept-Language, as far as the portal's LANGUAGES have it."""
    language = _accepted(request.META.get("HTTP_ACCEPT_LANGUAGE", ""))
    with translation.override(language or translation.get_language_from_request(request._request)):
        yield language


def _accepted(header: str) -> str:
    """The first language of the header that the portal has; empty if it has none of them."""
    for code, _quality in parse_accept_lang_header(header):
        try:
            return translation.get_supported_language_variant(code)
        except LookupError:
            continue
    return ""
