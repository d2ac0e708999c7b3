"""The description as this portal serves it: its address, its limits, its ways to sign in."""

import copy
import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication

from doc_priority.conf import settings

Document = dict[str, Any]


def served(*, prefix: str, authenticators: Iterable[BaseAuthentication]) -> Document:
    """The checked-in description with what only this portal knows."""
    made = copy.deepcopy(_checked_in())
    made["servers"] = [{"url": quote(prefix.rstrip("/")) or "/"}]
    if schemes := _security_schemes(authenticators):
        made["components"]["securitySchemes"] = schemes
        made["security"] = [{name: []} for name in schemes]
    items = made["components"]["schemas"]["BulkBody"]["properties"]["items"]
    items["maxItems"] = settings.api_max_bulk
    for parameter in _parameters(made, "limit"):
        parameter["schema"]["maximum"] = settings.api_max_page_size
    return made


def _parameters(made: Document, name: str) -> Iterator[Document]:
    for operations in made["paths"].values():
        for operation in operations.values():
            yield from (one for one in operation.get("parameters", ()) if one["name"] == name)


@cache
def _checked_in() -> Document:
    text = files("doc_priority.api.openapi").joinpath("openapi.json").read_text("utf-8")
    document: Document = json.loads(text)
    return document


def _security_schemes(authenticators: Iterable[BaseAuthentication]) -> dict[str, Any]:
    """The portal's ways to sign in, as far as they can be described."""
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
    return schemes
