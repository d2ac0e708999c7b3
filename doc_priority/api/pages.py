"""Pages that begin where the last one ended, whatever was added or removed meanwhile."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from doc_priority.api.problems import InvalidCursor
from doc_priority.conf import settings
from doc_priority.validation import to_microseconds

USUAL_LIMIT = 50
LARGEST = 2**63 - 1
NONE = Q(pk__in=())
ALL = ~NONE
LAST_MOMENT = to_microseconds(datetime(9998, 1, 1, tzinfo=UTC))


class Order(NamedTuple):
    """A column of the order, never null, and which way it goes."""

    column: str
    descending: bool = False

    def reversed(self) -> "Order":
        return self._replace(descending=not self.descending)


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


class Part(NamedTuple):
    """Some of the rows, and columns of the order in which they are all equal."""

    rows: QuerySet[Any]
    equal: Mapping[str, int] = {}


def page_of(*parts: Part, order: Sequence[Order], limit: int, cursor: Cursor) -> Page:
    """The page that begins at the cursor, in a query for each part.

    The last column of the order is unique. Texts in it must have the database's order in Python.
    """
    towards = [column.reversed() for column in order] if cursor.backward else list(order)
    found = [row for part in parts for row in _first(part, towards, limit + 1, cursor)]
    if len(parts) > 1:
        for way in reversed(towards):
            found.sort(key=attrgetter(way.column), reverse=way.descending)
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


def _first(part: Part, towards: Sequence[Order], number: int, cursor: Cursor) -> QuerySet[Any]:
    rows = part.rows
    if cursor.values:
        rows = rows.filter(_beyond(towards, cursor.values, part.equal))
    differing = [way for way in towards if way.column not in part.equal]
    return rows.order_by(
        *(F(way.column).desc() if way.descending else F(way.column).asc() for way in differing)
    )[:number]


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
    rows: list[Any], place: int, order: Sequence[Order], cursor: Cursor, *, backward: bool
) -> Cursor | None:
    """The cursor at this row; an empty page has nothing to begin at."""
    if not rows:
        return None
    values = tuple(_plain(getattr(rows[place], way.column)) for way in order)
    return replace(cursor, values=values, backward=backward)


def _plain(value: Any) -> int | str:
    plain: int | str = to_microseconds(value) if isinstance(value, datetime) else value
    return plain


def _beyond(order: Sequence[Order], values: Sequence[int | str], equal: Mapping[str, int]) -> Q:
    """Rows that come after these values: later in one column, and the same in all before it."""
    beyond, same = NONE, ALL
    for way, value in zip(order, values, strict=True):
        later, as_late = _compared(way, value, equal)
        beyond |= same & later
        same &= as_late
    return beyond


def _compared(way: Order, value: Any, equal: Mapping[str, int]) -> tuple[Q, Q]:
    """Which rows come later in this column, and which have this very value there."""
    if way.column not in equal:
        return Q((f"{way.column}__{'lt' if way.descending else 'gt'}", value)), Q(
            (way.column, value)
        )
    held = equal[way.column]
    is_later = held < value if way.descending else held > value
    return ALL if is_later else NONE, ALL if held == value else NONE
