"""Moments, and how long something took, as the reader's language writes them."""

from datetime import datetime, timedelta

from django import template
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

register = template.Library()

NO_BREAK = "\xa0"


@register.filter(expects_localtime=True)
def clock(when: datetime) -> str:
    """The time of the day."""
    return date_format(when, "H:i:s")


@register.filter(expects_localtime=True)
def moment(when: datetime) -> str:
    """The date and the time, to the minute."""
    return f"{_date(when)} {date_format(when, 'H:i')}"


@register.filter(expects_localtime=True)
def moment_to_the_second(when: datetime) -> str:
    return f"{_date(when)} {clock(when)}"


@register.filter
def spoken(duration: timedelta) -> str:
    """As precise as one needs to know it, in a line: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 5 min`."""
    return _in_words(duration).replace(" ", NO_BREAK)


def _date(when: datetime) -> str:
    """In digits, which leaves a table room."""
    return date_format(when, pgettext("a date in digits, as Django's filter takes it", "Y-m-d"))


def _in_words(duration: timedelta) -> str:
    seconds = duration.total_seconds()
    if seconds < 9.95:
        return _("%(seconds)s s") % {"seconds": number_format(round(seconds, 1), 1)}
    minutes, seconds_left = divmod(round(seconds), 60)
    if minutes == 0:
        return _("%(seconds)s s") % {"seconds": seconds_left}
    hours, minutes_left = divmod(minutes, 60)
    if hours == 0:
        return _("%(minutes)d min %(seconds)d s") % {"minutes": minutes, "seconds": seconds_left}
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes_left}
