"""Pages that begin where the page before ended, even if rows were added or removed."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.core import signing
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from doc_priority.api.exceptions import InvalidCursor
from doc_priority.conf import settings
from doc_priority.types import SECOND
from doc_priority.validation import to_microseconds

USUAL_LIMIT = 50

MAX_AGE = 3600
"""Seconds for which a cursor leads on, and for which time may stand still in one listing."""

Rows = Callable[..., list[Any]]
"""Reads rows, as `after` of a queryset does."""


class SignedCursorPagination:
    """Pages of one listing, whose cursors only we can make.

    Django REST framework's own cursors hold the first column of an order and count the rows that
    share its value. Here a million customers share nine priorities, and all documents of a bulk
    check have one time; so a cursor holds every column.
    """

    def __init__(
        self, request: Request, query: dict[str, Any], *, listing: str, now: int = 0
    ) -> None:
        """`listing` names the list and its order; a cursor is valid for that listing only.

        `now` is when the listing begins; a cursor keeps it, as `begun_at`.
        """
        self.address = request.build_absolute_uri()
        self.limit: int = query.get("limit", min(USUAL_LIMIT, settings.api_max_page_size))
        self.signer = signing.TimestampSigner(salt=f"doc_priority.api.{listing}")
        self.values: list[Any] = []
        self.backward, self.begun_at = False, now
        self.links: dict[str, str | None] = {"next": None, "previous": None}
        if "cursor" in query:
            try:
                signed = signing.b64_decode(query["cursor"].encode()).decode()
                text = self.signer.unsign(signed, max_age=MAX_AGE)
            except (signing.BadSignature, ValueError) as error:
                raise InvalidCursor from error
            self.values, self.backward, self.begun_at = json.loads(text)
        if now - self.begun_at > MAX_AGE * SECOND:
            raise InvalidCursor("This listing began more than an hour ago; begin again without it.")

    def paginate(self, after: Rows, order: Sequence[str]) -> list[Any]:
        """The rows of this page; the last column of the order is unique, and none is ever null."""
        towards = order
        if self.backward:
            towards = [name[1:] if name.startswith("-") else f"-{name}" for name in order]
        found = after(self.values, order=towards, limit=self.limit + 1)
        more, rows = len(found) > self.limit, found[: self.limit]
        if self.backward:
            rows.reverse()
        if rows and (more or self.backward):
            self.links["next"] = self._link(rows[-1], order, backward=False)
        if rows and self.values and (more or not self.backward):
            self.links["previous"] = self._link(rows[0], order, backward=True)
        return rows

    def _link(self, row: Any, order: Sequence[str], *, backward: bool) -> str:
        values = [getattr(row, name.removeprefix("-")) for name in order]
        plain = [to_microseconds(one) if isinstance(one, datetime) else one for one in values]
        text = json.dumps([plain, backward, self.begun_at], ensure_ascii=False)
        cursor = signing.b64_encode(self.signer.sign(text).encode()).decode()
        return replace_query_param(remove_query_param(self.address, "cursor"), "cursor", cursor)

    def get_paginated_response(self, results: Any) -> Response:
        return Response({**self.links, "results": results})
