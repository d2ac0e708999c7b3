"""Priorities, customers, moments and countdowns as pages show them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from doc_priority.admin.base import address_of
from doc_priority.explanations import explain, numeral

SECOND = timedelta(seconds=1)


def badge(priority: int, *, pinned: bool = False, title: str = "") -> SafeString:
    """The number of a priority on its colour; `title` says why a customer has it."""
    number = format_html(
        '<span class="dp-badge dp-badge-{}" title="{}">{}</span>', priority, title, priority
    )
    if not pinned:
        return number
    return format_html('{} <span class="dp-note">{}</span>', number, pgettext("priority", "pinned"))


# Rows of the live list.


def name_of(row: Any) -> SafeString:
    """The customer's name in its own direction of writing, and the key, which the portal knows."""
    if not row.name:
        return format_html('<bdi class="dp-name">{}</bdi>', row.key)
    return format_html(
        '<bdi class="dp-name">{}</bdi> <span class="dp-note dp-name">{}</span>', row.name, row.key
    )


def priority_of(row: Any) -> SafeString:
    return badge(row.priority, pinned=row.pinned, title=explain(row))


def pending_documents_of(row: Any) -> str:
    return numeral(row.pending_documents)


def resets_in(row: Any) -> str:
    """The time until the counter is back at 0, which the page's script counts down."""
    if row.resets_at is None:
        return "–"
    return countdown(row.resets_at - max(row.read_at, row.updated_at))


def last_update_of(row: Any) -> str:
    return _("never") if row.updated_at is None else to_the_second(row.updated_at)


CELLS = {
    "priority": priority_of,
    "pending_documents": pending_documents_of,
    "resets_in": resets_in,
    "last_update": last_update_of,
}
"""The cells that the page's script refreshes, by the names that it knows."""


def cells_of(row: Any) -> dict[str, SafeString]:
    return {name: conditional_escape(cell(row)) for name, cell in CELLS.items()}


# Names and texts that people have typed.


def customer_link(pk: int, *, key: str, name: str, site: str) -> SafeString:
    """A link to the customer's page; `site` is the name of the admin."""
    address = address_of(site, "doc_priority_customer_change", pk)
    link = format_html('<bdi class="dp-mention"><a href="{}">{}</a></bdi>', address, name or key)
    if not name:
        return link
    return format_html('{} <span class="dp-note dp-mention">{}</span>', link, key)


def short_text(text: str) -> SafeString:
    """A name in its own direction of writing."""
    return format_html("<bdi>{}</bdi>", text or "–")


def long_text(text: str) -> SafeString:
    """A text in its own direction of writing; a long word breaks where there is no room."""
    return format_html('<bdi class="dp-mention">{}</bdi>', text or "–")


# Moments in tables and lists, in the portal's time zone. Sentences take a `formats.Phrase`.


def to_the_minute(moment: datetime) -> str:
    """`10:06` today, `2026-11-18 10:06` on another day."""
    return _with_date(moment, "H:i")


def to_the_second(moment: datetime) -> str:
    return _with_date(moment, "H:i:s")


def _with_date(moment: datetime, time_format: str) -> str:
    local = timezone.localtime(moment)
    time = date_format(local, time_format)
    if local.date() == timezone.localtime(datetime.now(UTC)).date():
        return time
    date = date_format(local, pgettext("a date in digits, as Django's filter takes it", "Y-m-d"))
    return f"{date} {time}"


def time_of_day(moment: datetime) -> str:
    """To the second, without a date."""
    return date_format(timezone.localtime(moment), "H:i:s")


def countdown(span: timedelta) -> SafeString:
    """`13:51`, or `1:13:51` from an hour on; the page's script counts it down to `0:00`."""
    left = max(0, -(-span // SECOND))
    minutes, seconds = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return format_html(
        '<time class="dp-countdown" datetime="PT{}S" data-seconds="{}">{}</time>', left, left, clock
    )
