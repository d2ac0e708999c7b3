"""JSON in, and only what has one meaning."""

import json
from collections import Counter as Tally
from collections.abc import Mapping
from typing import IO, Any, Never

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from doc_priority.api.problems import BodyTooLarge
from doc_priority.validation import shortened

MAX_BODY = 64 * 1024
"""Bytes of a body that is no list."""

MAX_DEPTH = 10
"""How deep lists and objects may lie in each other."""


class StrictJSONParser(BaseParser):
    """UTF-8 without a mark, each name once, no NaN, of limited size and depth."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        context = parser_context or {}
        _require_plain(context["request"], media_type or "")
        body = _read(stream, context["view"].max_body())
        value = _loaded(body)
        if _is_deep(value):
            raise ParseError(
                f"The JSON is nested too deeply; at most {MAX_DEPTH} levels are taken."
            )
        return value


def _require_plain(request: Any, media_type: str) -> None:
    charset = parse_header_parameters(media_type)[1].get("charset", "utf-8")
    if charset.lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(
            media_type, f"The charset {shortened(charset, 40)} is not taken; UTF-8 is."
        )
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity")
    if encoding.lower() != "identity":
        raise UnsupportedMediaType(
            media_type,
            f"The content encoding {shortened(encoding, 40)} is not taken; send the body as it is.",
        )


def _read(stream: IO[bytes], limit: int) -> bytes:
    body = stream.read(limit + 1)
    if len(body) > limit:
        raise BodyTooLarge(limit)
    return body


def _loaded(body: bytes) -> Any:
    try:
        return json.loads(
            body.decode(), object_pairs_hook=_each_once, parse_constant=_refuse_constant
        )
    except RecursionError as error:
        raise ParseError(
            f"The JSON is nested too deeply; at most {MAX_DEPTH} levels are taken."
        ) from error
    except UnicodeDecodeError as error:
        raise ParseError(f"The body is not UTF-8: byte {error.start} cannot be read.") from error
    except ValueError as error:
        raise ParseError(f"The body is not JSON: {error}.") from error


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
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
