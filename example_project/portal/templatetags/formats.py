"""Numbers, times and durations as the reader's language writes them."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, npgettext, pgettext

register = template.Library()

NO_BREAK = "\xa0"

# A time in a sentence comes with its preposition, whose article goes by the hour in Spanish and
# Portuguese (“hasta la 1:05”, “hasta las 2:05”); hence the plural forms.


@register.filter
def in_print(number: int) -> str:
    """Grouped, and with a minus: screen readers pass over a hyphen."""
    return number_format(number).replace("-", "−")


@register.filter
def sent(pending_documents: int) -> int:
    """The counter as people read it: how many documents were sent lately."""
    return -pending_documents


@register.filter(expects_localtime=True)
def clock(when: datetime) -> str:
    """The time of the day, with the date on another day than today."""
    return date_format(when, "H:i") if when.date() == timezone.localdate() else moment(when)


@register.filter(expects_localtime=True)
def moment(when: datetime, time: str = "H:i") -> str:
    """The date and the time in digits, which leaves a table room."""
    date = pgettext("a date in digits, as Django's filter takes it", "Y-m-d")
    return date_format(when, f"{date} {time}")


@register.filter(expects_localtime=True)
def since(when: datetime) -> str:
    """For a sentence: `since 18:47:31`."""
    time = {"time": date_format(when, "H:i:s")}
    return npgettext("time", "since %(time)s", "since %(time)s", when.hour) % time


@register.filter(expects_localtime=True)
def until(when: datetime) -> str:
    """For a sentence: `until 20:00`, on another day `until Nov 19, 2026, 20:00`."""
    today = npgettext("time", "until %(time)s", "until %(time)s", when.hour)
    later = npgettext("time", "until %(date)s, %(time)s", "until %(date)s, %(time)s", when.hour)
    return _in_sentence(when, today, later)


@register.filter(expects_localtime=True)
def by(when: datetime) -> str:
    """For a sentence: `by 19:12`, on another day `by Nov 19, 2026, 19:12`."""
    today = npgettext("time", "by %(time)s", "by %(time)s", when.hour)
    later = npgettext("time", "by %(date)s, %(time)s", "by %(date)s, %(time)s", when.hour)
    return _in_sentence(when, today, later)


@register.filter
def spoken(duration: timedelta) -> str:
    """As precise as one needs it: `0.4 s`, `12 s`, `3 min 5 s`, `2 h`, `3 d 4 h`."""
    seconds = duration.total_seconds()
    if seconds < 0.05:
        text = _("less than 0.1 s")
    elif seconds < 9.95:
        text = _("%(count)s s") % {"count": number_format(round(seconds, 1), 1)}
    else:
        minutes, seconds_left = divmod(round(seconds), 60)
        hours, minutes_left = divmod(minutes, 60)
        days, hours_left = divmod(hours, 24)
        parts = [
            (days, ngettext("%(count)s d", "%(count)s d", days)),
            (hours_left, _("%(count)s h")),
            (minutes_left, _("%(count)s min")),
            (seconds_left, _("%(count)s s")),
        ]
        largest = next(place for place, (count, _unit) in enumerate(parts) if count)
        shown = [(count, unit) for count, unit in parts[largest : largest + 2] if count]
        text = " ".join(unit % {"count": number_format(count)} for count, unit in shown)
    return text.replace(" ", NO_BREAK)


def _in_sentence(when: datetime, today: str, later: str) -> str:
    date = pgettext("a date in a sentence, as Django's filter takes it", "M j, Y")
    template = today if when.date() == timezone.localdate() else later
    return template % {"date": date_format(when, date), "time": date_format(when, "H:i")}
