"""Pages that begin where the last one ended, whatever was added or removed meanwhile."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from doc_priority.api.problems import InvalidCursor
from doc_priority.conf import settings
from doc_priority.validation import to_microseconds

USUAL_LIMIT = 50
LARGEST = 2**63 - 1
LAST_MOMENT = to_microseconds(datetime(9998, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins: after or before a row with these values, in a listing begun then."""

    ordering: str
    values: tuple[int | str, ...] = ()
    backward: bool = False
    begun_at: int = 0

    def __str__(self) -> str:
        raw = json.dumps(
            [self.ordering, list(self.values), self.backward, self.begun_at],
            ensure_ascii=False,
            separators=(",", ":"),
        )
        return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str, *, ordering: str, kinds: Sequence[type]) -> "Cursor":
        """The cursor of this text, if it belongs to this ordering with values of these kinds."""
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            of_ordering, values, backward, begun_at = json.loads(raw)
            cursor = cls(of_ordering, tuple(values), backward, begun_at)
        except (binascii.Error, RecursionError, TypeError, ValueError) as error:
            raise InvalidCursor from error
        if cursor.ordering != ordering or not cursor._fits(kinds):
            raise InvalidCursor
        return cursor

    @classmethod
    def of(cls, query: dict[str, Any], *, kinds: Sequence[type], ordering: str) -> "Cursor":
        """The cursor asked for, else that of a first page."""
        if "cursor" in query:
            return cls.read(query["cursor"], ordering=ordering, kinds=kinds)
        return cls(ordering)

    def _fits(self, kinds: Sequence[type]) -> bool:
        return (
            type(self.backward) is bool
            and type(self.begun_at) is int
            and 0 <= self.begun_at <= LAST_MOMENT
            and len(self.values) == len(kinds)
            and all(
                type(value) is kind and (_is_text(value) if kind is str else _is_whole(value))
                for value, kind in zip(self.values, kinds, strict=True)
            )
        )


def _is_whole(value: object) -> bool:
    return type(value) is int and abs(value) <= LARGEST


def _is_text(value: Any) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and the cursors of the pages beside them."""

    rows: list[Any]
    following: Cursor | None
    preceding: Cursor | None


def limit_of(query: dict[str, Any]) -> int:
    """How many a page has at most."""
    limit: int = query.get("limit", min(USUAL_LIMIT, settings.api_max_page_size))
    return limit


def page_of(
    after: Callable[..., list[Any]], *, order: Sequence[str], limit: int, cursor: Cursor
) -> Page:
    """The page that begins at the cursor; `after` reads rows, as that of a queryset does.

    The last column of the order is unique, and none is ever null.
    """
    towards = [_turned_round(name) for name in order] if cursor.backward else order
    found = after(cursor.values, order=towards, limit=limit + 1)
    more, rows = len(found) > limit, found[:limit]
    if cursor.backward:
        rows.reverse()
    follows = more or cursor.backward
    precedes = bool(cursor.values) and (more or not cursor.backward)
    return Page(
        rows,
        _at(rows, -1, order, cursor, backward=False) if follows else None,
        _at(rows, 0, order, cursor, backward=True) if precedes else None,
    )


def _turned_round(name: str) -> str:
    return name.removeprefix("-") if name.startswith("-") else f"-{name}"


def links_of(request: Request, page: Page) -> dict[str, str | None]:
    """The addresses of the pages beside this one."""
    address = request.build_absolute_uri()
    return {
        "next": _link(address, page.following),
        "previous": _link(address, page.preceding),
    }


def _link(address: str, cursor: Cursor | None) -> str | None:
    if cursor is None:
        return None
    return replace_query_param(remove_query_param(address, "cursor"), "cursor", str(cursor))


def _at(
    rows: list[Any], place: int, order: Sequence[str], cursor: Cursor, *, backward: bool
) -> Cursor | None:
    """The cursor at this row; an empty page has nothing to begin at."""
    if not rows:
        return None
    values = [getattr(rows[place], name.removeprefix("-")) for name in order]
    plain = (to_microseconds(one) if isinstance(one, datetime) else one for one in values)
    return replace(cursor, values=tuple(plain), backward=backward)
