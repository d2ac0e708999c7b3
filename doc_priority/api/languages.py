"""The language somebody asks for."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import translation
from rest_framework.request import Request


@contextmanager
def language_of(request: Request) -> Iterator[str]:
    """Speak the language of Accept-Language, as far as the portal's LANGUAGES have it."""
    language = translation.get_language_from_request(request._request)
    with translation.override(language):
        yield language
