"""JSON in and out, and only JSON that has one meaning."""

import json
from collections import Counter as Tally
from collections.abc import Mapping
from typing import IO, Any, Never

from django.utils.http import parse_header_parameters
from rest_framework import renderers
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from doc_priority.validation import shortened

MAX_BODY = 64 * 1024
"""Bytes of a body that is no list."""

MAX_DEPTH = 10
"""How deep lists and objects may lie in each other."""

TOO_DEEP = f"The JSON is nested too deeply; at most {MAX_DEPTH} levels are taken."


class LengthRequired(APIException):
    """Without a length the body would be ignored, and the document's id with it."""

    status_code = 411
    default_code = "length_required"
    default_detail = "The body has no Content-Length; send one, and not in chunks."


class BodyTooLarge(APIException):
    """The body has more bytes than the call takes."""

    status_code = 413
    default_code = "body_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"The body is larger than the {limit} bytes this call takes; split it.")


class StrictJSONParser(BaseParser):
    """UTF-8 without a byte order mark, each name once, no NaN, limited size and depth."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        context = parser_context or {}
        charset = parse_header_parameters(media_type or "")[1].get("charset", "utf-8")
        if charset.lower() not in ("utf-8", "utf8"):
            raise UnsupportedMediaType(
                media_type or "", f"The charset {shortened(charset, 40)} is not taken; UTF-8 is."
            )
        encoding = context["request"].META.get("HTTP_CONTENT_ENCODING", "identity")
        if encoding.lower() != "identity":
            raise UnsupportedMediaType(
                media_type or "",
                f"The content encoding {shortened(encoding, 40)} is not taken; "
                "send the body as it is.",
            )
        limit = context["view"].max_body
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLarge(limit)
        try:
            value = json.loads(
                body.decode(), object_pairs_hook=_each_once, parse_constant=_refuse_constant
            )
        except RecursionError as error:
            raise ParseError(TOO_DEEP) from error
        except UnicodeDecodeError as error:
            raise ParseError(
                f"The body is not UTF-8: byte {error.start} cannot be read."
            ) from error
        except ValueError as error:
            raise ParseError(f"The body is not JSON: {error}.") from error
        # With fewer brackets than that nothing is deep: most bodies need no walk.
        if body.count(b"{") + body.count(b"[") > MAX_DEPTH and _is_deep(value):
            raise ParseError(TOO_DEEP)
        return value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Tally(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {shortened(twice, 80)} stands twice in one object")
    return found


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a JSON number")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for outer in level:
            if isinstance(outer, dict):
                inner.extend(outer.values())
            elif isinstance(outer, list):
                inner.extend(outer)
        if not inner:
            return False
        level = inner
    return True


class JSONRenderer(renderers.JSONRenderer):
    """Compact JSON in UTF-8, whatever the portal's settings for JSON are."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if data is None:
            return b""
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


class JSONNegotiation(DefaultContentNegotiation):
    """As usual, but a body says that it is JSON, and `format` is no parameter of any call."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        named = (request.content_type or "").partition(";")[0].strip().lower()
        for parser in parsers:
            if parser.media_type == named:
                return parser
        return None

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> Any:
        if request.META.get("HTTP_ACCEPT", "") in ("", "*/*", "application/json"):
            return renderers[0], renderers[0].media_type
        # With a format of our own nobody looks for one among the parameters.
        return super().select_renderer(request, renderers, renderers[0].format)
