"""Customers of the live list as CSV for spreadsheets."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone

from doc_priority.querysets import CustomerQuerySet
from doc_priority.types import utc_text

COLUMNS = {
    "customer": "key",
    "name": "name",
    "policy": "policy__name",
    "priority": "priority",
    "pinned": "pinned",
    "pinned_until": "pinned_until",
    "pending_documents": "pending_documents",
    "updated_at": "updated_at",
    "resets_at": "resets_at",
}
"""The columns, by the names that REST uses; each is a column of the live list."""

ROWS_AT_ONCE = 2000
BYTE_ORDER_MARK = "\ufeff"
"""Tells spreadsheets that the text is UTF-8."""

STARTS_OF_FORMULAS = tuple("=+-@\t\r＝＋－＠")  # noqa: RUF001 - these are the full-width ones


def csv_response(customers: CustomerQuerySet) -> StreamingHttpResponse:
    """Streams the rows of one query."""
    response = StreamingHttpResponse(_lines(customers), content_type="text/csv; charset=utf-8")
    today = timezone.localtime(datetime.now(UTC)).date()
    response["Content-Disposition"] = f'attachment; filename="customers-{today.isoformat()}.csv"'
    return response


def _lines(customers: CustomerQuerySet) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield BYTE_ORDER_MARK + writer.writerow(COLUMNS)
    rows = customers.values_list(*COLUMNS.values())
    for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
        yield writer.writerow(map(_cell, row))


class _Line:
    """A file whose `write` returns the line, so that it can be streamed."""

    def write(self, line: str) -> str:
        return line


def _cell(value: Any) -> Any:
    match value:
        case bool():
            return str(value).lower()
        case datetime():
            return utc_text(value)
        case str() if any(
            text.startswith(STARTS_OF_FORMULAS) for text in (value.lstrip(" "), value.lstrip())
        ):
            # After an apostrophe, a spreadsheet takes it for text.
            return f"'{value}"
    return value
