"""The cells of the live list; the list and its refresh show the same."""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from doc_priority.admin.badges import badge
from doc_priority.admin.moments import countdown, shown, shown_to_the_second
from doc_priority.explanations import explain
from doc_priority.numerals import numeral


def name_of(row: Any) -> SafeString:
    """The name in its own direction of writing, and the key that the portal knows."""
    if not row.name:
        return format_html('<bdi class="dp-name">{}</bdi>', row.key)
    return format_html(
        '<bdi class="dp-name">{}</bdi> <span class="dp-note dp-name">{}</span>', row.name, row.key
    )


def priority_of(row: Any) -> SafeString:
    return badge(row.priority, pinned=row.pinned, title=explain(row, shown=shown))


def pending_documents_of(row: Any) -> str:
    return numeral(row.pending_documents)


def resets_in(row: Any) -> str:
    if row.resets_at is None:
        return _("at 0")
    return countdown(row.resets_at - max(row.read_at, row.updated_at))


def last_update_of(row: Any) -> str:
    return _("never") if row.updated_at is None else shown_to_the_second(row.updated_at)


LIVE_CELLS = ("priority", "pending_documents", "resets_in", "last_update")


def live_cells(row: Any) -> dict[str, str]:
    """What changes by itself, by the names that the page's script finds the cells by."""
    shown_now = (
        priority_of(row),
        format_html("{}", pending_documents_of(row)),
        format_html("{}", resets_in(row)),
        format_html("{}", last_update_of(row)),
    )
    return dict(zip(LIVE_CELLS, shown_now, strict=True))


def live_cell(row: Any, name: str, content: str) -> SafeString:
    return format_html(
        '<span class="dp-live" data-customer="{}" data-cell="{}">{}</span>', row.pk, name, content
    )
