"""Moments and durations as sentences of the active language say them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import (
    gettext_lazy,
    ngettext_lazy,
    npgettext_lazy,
    pgettext_lazy,
)

Shown = Callable[[datetime], str]

NO_BREAK = "\xa0"


class Phrase(NamedTuple):
    """A moment with its preposition: `at 19:12`.

    Spanish and Portuguese choose the article by the hour (*a la 01:05*, *a las 19:12*), and German
    and Polish choose the preposition by what follows. So a sentence takes the phrase as a whole.
    """

    today: Any
    """Takes `time`; `hour` chooses the form."""
    other_day: Any
    """Takes `date` and `time`; `hour` chooses the form."""
    written: Any
    """Takes `moment`, which is already text."""

    def of(self, moment: datetime, shown: Shown | None = None) -> str:
        """To the minute, in the current time zone, with the date unless it is today.

        `shown` writes the moment in another way, as a date in digits and a time.
        """
        if shown is not None:
            return str(self.written % {"moment": shown(moment)})
        local = timezone.localtime(moment)
        time = date_format(local, "H:i")
        if local.date() == timezone.localtime(datetime.now(UTC)).date():
            return str(self.today % {"hour": local.hour, "time": time})
        date = date_format(local, "DATE_FORMAT")
        return str(self.other_day % {"hour": local.hour, "date": date, "time": time})


AT = Phrase(
    npgettext_lazy("at a moment", "at %(time)s", "at %(time)s", "hour"),
    npgettext_lazy("at a moment", "on %(date)s at %(time)s", "on %(date)s at %(time)s", "hour"),
    # Translators: `moment` begins with a date in digits: 2026-11-19 18:47 UTC.
    pgettext_lazy("at a moment", "at %(moment)s"),
)
SINCE = Phrase(
    npgettext_lazy("since a moment", "since %(time)s", "since %(time)s", "hour"),
    npgettext_lazy(
        "since a moment", "since %(date)s, %(time)s", "since %(date)s, %(time)s", "hour"
    ),
    # Translators: `moment` begins with a date in digits: 2026-11-19 18:47 UTC.
    pgettext_lazy("since a moment", "since %(moment)s"),
)
UNTIL = Phrase(
    npgettext_lazy("until a moment", "until %(time)s", "until %(time)s", "hour"),
    npgettext_lazy(
        "until a moment", "until %(date)s, %(time)s", "until %(date)s, %(time)s", "hour"
    ),
    # Translators: `moment` begins with a date in digits: 2026-11-19 18:47 UTC.
    pgettext_lazy("until a moment", "until %(moment)s"),
)

_SHORT_UNITS = (
    npgettext_lazy("short duration", "%(count)s d", "%(count)s d", "number"),
    gettext_lazy("%(count)s h"),
    gettext_lazy("%(count)s min"),
    gettext_lazy("%(count)s s"),
)
_UNITS = (
    ngettext_lazy("%(count)s day", "%(count)s days", "number"),
    ngettext_lazy("%(count)s hour", "%(count)s hours", "number"),
    ngettext_lazy("%(count)s minute", "%(count)s minutes", "number"),
    ngettext_lazy("%(count)s second", "%(count)s seconds", "number"),
)
_UNITS_AFTER_A_PREPOSITION = (
    npgettext_lazy("after a preposition", "%(count)s day", "%(count)s days", "number"),
    npgettext_lazy("after a preposition", "%(count)s hour", "%(count)s hours", "number"),
    npgettext_lazy("after a preposition", "%(count)s minute", "%(count)s minutes", "number"),
    npgettext_lazy("after a preposition", "%(count)s second", "%(count)s seconds", "number"),
)


def short_duration(span: timedelta) -> str:
    """`25 min`, `1 h 30 min`: for a table; a line never breaks inside it."""
    return " ".join(_parts(span, _SHORT_UNITS)).replace(" ", NO_BREAK)


def duration(span: timedelta) -> str:
    """`25 minutes`, `1 hour 30 minutes`: for a sentence."""
    return _joined(list(_parts(span, _UNITS)))


def duration_after_preposition(span: timedelta) -> str:
    """The same after *after* or *of*, where German has the dative and Polish the genitive."""
    return _joined(list(_parts(span, _UNITS_AFTER_A_PREPOSITION)))


def _joined(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    # Translators: 1 hour and 30 minutes, where a language wants a word in between.
    template = _("%(larger)s %(smallest)s")
    return template % {"larger": " ".join(parts[:-1]), "smallest": parts[-1]}


def _parts(span: timedelta, units: tuple[Any, ...]) -> Iterator[str]:
    """Days, hours, minutes and seconds, without those that are 0.

    Seconds are exact to the tenth, because halving takes a tenth of the interval.
    """
    minutes, tenths = divmod(span // timedelta(milliseconds=100), 600)
    hours, minutes = divmod(minutes, 60)
    for unit, count in zip(units, (hours // 24, hours % 24, minutes, tenths / 10), strict=True):
        if count:
            is_whole = count == int(count)
            text = number_format(count, 0 if is_whole else 1, force_grouping=True)
            # 1.5 seconds take the plural.
            yield str(unit % {"number": int(count) if is_whole else 2, "count": text})
