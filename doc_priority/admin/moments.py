"""Moments and spans of time as people in support read them."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

SECOND = timedelta(seconds=1)


def shown(moment: datetime) -> str:
    """To the minute, in the portal's time zone; the date is left out where it is today's."""
    return _shown(moment, "H:i")


def shown_to_the_second(moment: datetime) -> str:
    return _shown(moment, "H:i:s")


def _shown(moment: datetime, time_format: str) -> str:
    local = timezone.localtime(moment)
    time = date_format(local, time_format)
    if local.date() == timezone.localtime(datetime.now(UTC)).date():
        return time
    return f"{date_format(local, 'DATE_FORMAT')}, {time}"


def clock(span: timedelta) -> str:
    """`13:51`, or `1:13:51` from an hour on; what has passed is `0:00`."""
    minutes, seconds = divmod(max(0, -(-span // SECOND)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def countdown(span: timedelta) -> SafeString:
    """The span as a clock that the page's script counts down."""
    seconds = max(0, -(-span // SECOND))
    return format_html(
        '<time class="dp-countdown" datetime="PT{}S" data-seconds="{}">{}</time>',
        seconds,
        seconds,
        clock(span),
    )


def time_of(moment: datetime) -> str:
    """The time of the day alone, to the second."""
    return date_format(timezone.localtime(moment), "H:i:s")
