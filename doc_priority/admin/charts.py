"""The content of the charts: positions in percent of the width, and labels; no colours."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority.admin.events import headline
from doc_priority.admin.formatting import to_the_minute
from doc_priority.explanations import numeral
from doc_priority.formats import AT
from doc_priority.models import Event
from doc_priority.selectors import QUARTERS, Day, Overview, Quarter
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY


def percent(part: float, whole: float) -> str:
    """A length for an attribute of SVG, the same in every language."""
    return f"{100 * part / whole:.3f}%"


# Customers per priority: a bar for each.

ROW = 32
BAR = 20
LONGEST = 0.78
"""Of the width; the rest is for the number behind the bar."""


def level_chart(overview: Overview) -> dict[str, Any]:
    """What `_chart_levels.html` shows: how many customers have each priority now."""
    most = max(1, *overview.priorities.values())
    bars = []
    for row, (priority, customers) in enumerate(sorted(overview.priorities.items())):
        template = ngettext(
            "Priority %(priority)d: %(count)s customer",
            "Priority %(priority)d: %(count)s customers",
            customers,
        )
        bars.append(
            {
                "priority": priority,
                "customers": numeral(customers),
                "label": template % {"priority": priority, "count": numeral(customers)},
                "top": row * ROW,
                "bar_top": row * ROW + (ROW - BAR) // 2,
                "middle": row * ROW + ROW // 2,
                "length": percent(LONGEST * customers, most),
            }
        )
    return {
        "label": _("Customers at each priority now. Each number opens the list."),
        "height": ROW * len(bars),
        "row": ROW,
        "bar": BAR,
        "bars": bars,
    }


# A customer's last 24 hours: the worst priority of each quarter of an hour, and each correction.

STEP = 18
"""The height of one priority."""
PLOT = STEP * WORST_PRIORITY
QUARTER = timedelta(minutes=15)
WIDTH = percent(8 / 9, QUARTERS)
"""Of a column; a ninth lies between it and the next."""
HOURS_BETWEEN_LABELS = 3
FEW_HOURS = 6
"""Hours between the labels that are also shown where there is little room."""


def day_chart(day: Day, *, corrections: Sequence[Event] = ()) -> dict[str, Any]:
    """What `_chart_day.html` shows; empty if there was no document.

    The corrections are those of that day.
    """
    if not day.quarters:
        return {}
    worst = max(reversed(day.quarters), key=lambda quarter: quarter.worst)
    # Translators: `at` is "at 18:45" or "on Nov. 18, 2026 at 18:45".
    summary = ngettext(
        "%(count)s document in the last 24 hours: priority %(priority)d, %(at)s.",
        "%(count)s documents in the last 24 hours. Worst priority: %(priority)d, last %(at)s.",
        day.documents,
    ) % {"count": numeral(day.documents), "priority": worst.worst, "at": AT.of(worst.worst_at)}
    columns = []
    for quarter in day.quarters:
        template = ngettext(
            "%(time)s: %(count)s document, priority %(priority)d",
            "%(time)s: %(count)s documents, worst priority %(priority)d",
            quarter.documents,
        )
        label = template % {
            "time": _time(quarter.begins),
            "count": numeral(quarter.documents),
            "priority": quarter.worst,
        }
        columns.append(
            {
                "priority": quarter.worst,
                "label": label,
                "x": _x(quarter.begins, day),
                "y": PLOT - STEP * quarter.worst,
                "width": WIDTH,
                "height": STEP * quarter.worst,
            }
        )
    return {
        "summary": summary,
        "plot": PLOT,
        "levels": [
            {"priority": priority, "y": PLOT - STEP * priority}
            for priority in range(BEST_PRIORITY, WORST_PRIORITY + 1, 2)
        ],
        "hours": list(_hours(day)),
        "columns": columns,
        "ticks": [
            {"kind": event.kind, "label": _correction(event), "x": _x(event.created_at, day)}
            for event in corrections
        ],
        "rows": _rows(day, corrections),
    }


def _hours(day: Day) -> Iterator[dict[str, Any]]:
    """The hours of the local clock; an hour that occurs twice gets one label."""
    moment, last = day.begins, None
    while moment <= day.ends:
        local = timezone.localtime(moment)
        if not local.minute and not local.hour % HOURS_BETWEEN_LABELS and local.hour != last:
            last = local.hour
            is_minor = bool(local.hour % FEW_HOURS)
            yield {"text": _time(moment), "x": _x(moment, day), "minor": is_minor}
        moment += QUARTER


def _rows(day: Day, corrections: Sequence[Event]) -> list[dict[str, Any]]:
    """The rows of the table: the hours with documents or corrections."""
    quarters: dict[datetime, list[Quarter]] = defaultdict(list)
    for quarter in day.quarters:
        quarters[_hour_of(quarter.begins)].append(quarter)
    corrected: dict[datetime, list[str]] = defaultdict(list)
    for event in corrections:
        corrected[_hour_of(event.created_at)].append(_correction(event))
    return [
        {
            "text": _hour_in_words(hour),
            "documents": numeral(sum(quarter.documents for quarter in quarters[hour])),
            "worst": max((quarter.worst for quarter in quarters[hour]), default=None),
            "corrections": corrected[hour],
        }
        for hour in sorted({*quarters, *corrected})
    ]


def _hour_of(moment: datetime) -> datetime:
    """When the moment's local hour begins, which need not be a whole hour of UTC."""
    local = timezone.localtime(moment)
    return moment - timedelta(
        minutes=local.minute, seconds=local.second, microseconds=local.microsecond
    )


def _hour_in_words(begins: datetime) -> str:
    text, local = to_the_minute(begins), timezone.localtime(begins)
    if local.utcoffset() != local.replace(fold=1 - local.fold).utcoffset():
        # This hour occurs twice in that night; the zone's name tells the two apart.
        text = f"{text} {local.tzname()}"
    return text


def _correction(event: Event) -> str:
    return f"{_time(event.created_at)}: {headline(event)}"


def _x(moment: datetime, day: Day) -> str:
    return percent((moment - day.begins) / QUARTER, QUARTERS)


def _time(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "H:i")
