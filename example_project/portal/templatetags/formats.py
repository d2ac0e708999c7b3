"""Numbers, times and durations as the reader's language writes them."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

register = template.Library()

NO_BREAK = "\xa0"


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


@register.filter
def spoken(duration: timedelta) -> str:
    """`0.4 s`, `1 min 50 s`, `28 h 5 min`."""
    minutes, seconds = divmod(round(duration.total_seconds()), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        parts = [(hours, _("%(count)s h")), (minutes_left, _("%(count)s min"))]
    elif minutes:
        parts = [(minutes, _("%(count)s min")), (seconds, _("%(count)s s"))]
    else:
        count = number_format(duration.total_seconds(), 1)
        return (_("%(count)s s") % {"count": count}).replace(" ", NO_BREAK)
    text = " ".join(unit % {"count": count} for count, unit in parts if count)
    return text.replace(" ", NO_BREAK)
