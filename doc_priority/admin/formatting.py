"""Priorities, customers, moments and spans of time as pages show them."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority.explanations import explain, numeral

SECOND = timedelta(seconds=1)
TENTH = timedelta(seconds=0.1)


def badge(priority: int, *, pinned: bool = False, title: str = "") -> SafeString:
    """The number of a priority on its colour; `title` says why a customer has it."""
    number = format_html(
        '<span class="dp-badge dp-badge-{}" title="{}">{}</span>', priority, title, priority
    )
    if not pinned:
        return number
    return format_html('{} <span class="dp-note">{}</span>', number, _("pinned"))


# Rows of the live list.


def name_of(row: Any) -> SafeString:
    """The customer's name in its own direction of writing, and the key that the portal knows."""
    if not row.name:
        return format_html('<bdi class="dp-name">{}</bdi>', row.key)
    return format_html(
        '<bdi class="dp-name">{}</bdi> <span class="dp-note dp-name">{}</span>', row.name, row.key
    )


def priority_of(row: Any) -> SafeString:
    return badge(row.priority, pinned=row.pinned, title=explain(row, shown=to_the_minute))


def pending_documents_of(row: Any) -> str:
    return numeral(row.pending_documents)


def resets_in(row: Any) -> str:
    """The time until the counter is back at 0, which the page's script counts down."""
    if row.resets_at is None:
        return _("at 0")
    return countdown(row.resets_at - max(row.read_at, row.updated_at))


def last_update_of(row: Any) -> str:
    return _("never") if row.updated_at is None else to_the_second(row.updated_at)


# Names and texts that people have typed.


def customer_link(pk: int, *, key: str, name: str, site: str) -> SafeString:
    """A link to the customer's page; `site` is the name of the admin."""
    address = reverse("admin:doc_priority_customer_change", args=[pk], current_app=site)
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


# Moments, in the portal's time zone.


def to_the_minute(moment: datetime) -> str:
    """`10:06`, and the date before it unless it is today's."""
    return _with_date(moment, "H:i")


def to_the_second(moment: datetime) -> str:
    return _with_date(moment, "H:i:s")


def _with_date(moment: datetime, time_format: str) -> str:
    local = timezone.localtime(moment)
    time = date_format(local, time_format)
    if local.date() == timezone.localtime(datetime.now(UTC)).date():
        return time
    return f"{date_format(local, 'DATE_FORMAT')}, {time}"


def time_of_day(moment: datetime) -> str:
    """To the second, without a date."""
    return date_format(timezone.localtime(moment), "H:i:s")


# Spans of time.


def countdown(span: timedelta) -> SafeString:
    """`13:51`, or `1:13:51` from an hour on; the page's script counts it down to `0:00`."""
    left = max(0, -(-span // SECOND))
    minutes, seconds = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return format_html(
        '<time class="dp-countdown" datetime="PT{}S" data-seconds="{}">{}</time>', left, left, clock
    )


def short_span(span: timedelta) -> str:
    """`25 min`, `1 h 30 min`: for a column."""
    templates = (_("%(count)s d"), _("%(count)s h"), _("%(count)s min"), _("%(count)s s"))
    return " ".join(_span_parts(zip(templates, _span_counts(span), strict=True)))


def span_in_words(span: timedelta) -> str:
    """`25 minutes`, `1 hour 30 minutes`: for a sentence."""
    days, hours, minutes, seconds = _span_counts(span)
    # 1.5 seconds take the plural.
    plural = int(seconds) if seconds == int(seconds) else 2
    templates = (
        ngettext("%(count)s day", "%(count)s days", days),
        ngettext("%(count)s hour", "%(count)s hours", hours),
        ngettext("%(count)s minute", "%(count)s minutes", minutes),
        ngettext("%(count)s second", "%(count)s seconds", plural),
    )
    parts = list(_span_parts(zip(templates, (days, hours, minutes, seconds), strict=True)))
    if len(parts) < 2:
        return "".join(parts)
    # Translators: 1 hour and 30 minutes, where a language wants a word in between.
    template = _("%(larger)s %(smallest)s")
    return template % {"larger": " ".join(parts[:-1]), "smallest": parts[-1]}


def _span_counts(span: timedelta) -> tuple[int, int, int, float]:
    """Days, hours, minutes and seconds; to the tenth, as halving takes a tenth of the interval."""
    minutes, tenths = divmod(span // TENTH, 600)
    hours, minutes = divmod(minutes, 60)
    return hours // 24, hours % 24, minutes, tenths / 10


def _span_parts(counted: Iterable[tuple[str, float]]) -> Iterator[str]:
    for template, count in counted:
        if count:
            decimals = 0 if count == int(count) else 1
            yield template % {"count": number_format(count, decimals, force_grouping=True)}
