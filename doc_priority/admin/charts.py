"""The content of the charts: positions in percent of the width, and labels; no colours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority.admin.events import headline
from doc_priority.admin.formatting import to_the_minute
from doc_priority.explanations import numeral
from doc_priority.formats import AT
from doc_priority.models import Event
from doc_priority.selectors import Day, Overview, Quarter
from doc_priority.selectors.history import QUARTERS
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY


def percent(part: float, whole: float) -> str:
    """A length for an attribute of SVG, the same in every language."""
    return f"{100 * part / whole:.3f}%"


# Customers per priority: a bar for each.

ROW = 32
BAR = 20
LONGEST = 0.78
"""Of the width; the rest is for the number behind the bar."""


class LevelBar(NamedTuple):
    priority: int
    customers: str
    label: str
    top: int
    bar_top: int
    middle: int
    length: str


class LevelChart(NamedTuple):
    """What `_chart_levels.html` shows."""

    label: str
    height: int
    row: int
    bar: int
    bars: tuple[LevelBar, ...]


def level_chart(overview: Overview) -> LevelChart:
    """How many customers have each priority now."""
    most = max(1, *overview.priorities.values())
    bars = []
    for row, (priority, customers) in enumerate(sorted(overview.priorities.items())):
        template = ngettext(
            "Priority %(priority)d: %(count)s customer",
            "Priority %(priority)d: %(count)s customers",
            customers,
        )
        bar = LevelBar(
            priority,
            numeral(customers),
            label=template % {"priority": priority, "count": numeral(customers)},
            top=row * ROW,
            bar_top=row * ROW + (ROW - BAR) // 2,
            middle=row * ROW + ROW // 2,
            length=percent(LONGEST * customers, most),
        )
        bars.append(bar)
    label = _("Customers at each priority now. Each number opens the list.")
    return LevelChart(label, ROW * len(bars), ROW, BAR, tuple(bars))


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


class Level(NamedTuple):
    """A line across, with its priority beside it."""

    priority: int
    y: int


class Hour(NamedTuple):
    """A line upwards, with its time below."""

    text: str
    x: str
    minor: bool


class Column(NamedTuple):
    priority: int
    label: str
    x: str
    y: int
    width: str
    height: int


class Tick(NamedTuple):
    """A correction."""

    kind: str
    label: str
    x: str


@dataclass(slots=True)
class Row:
    """An hour of the table."""

    begins: datetime
    text: str
    documents: int = 0
    worst: int | None = None
    corrections: list[str] = field(default_factory=list)

    @property
    def shown_documents(self) -> str:
        return numeral(self.documents)


class DayChart(NamedTuple):
    """What `_chart_day.html` shows; the summary is empty if there was no document."""

    summary: str = ""
    plot: int = PLOT
    levels: tuple[Level, ...] = ()
    hours: tuple[Hour, ...] = ()
    columns: tuple[Column, ...] = ()
    ticks: tuple[Tick, ...] = ()
    rows: tuple[Row, ...] = ()


def day_chart(day: Day, *, corrections: Sequence[Event] = ()) -> DayChart:
    """The drawing and its summary; the corrections are those of that day."""
    if not day.quarters:
        return DayChart()
    worst = max(reversed(day.quarters), key=lambda quarter: quarter.worst)
    # Translators: `at` is "at 18:45" or "on Nov. 18, 2026 at 18:45".
    template = ngettext(
        "%(count)s document in the last 24 hours: priority %(priority)d, %(at)s.",
        "%(count)s documents in the last 24 hours. Worst priority: %(priority)d, last %(at)s.",
        day.documents,
    )
    return DayChart(
        summary=template
        % {
            "count": numeral(day.documents),
            "priority": worst.worst,
            "at": AT.of(worst.begins),
        },
        levels=tuple(
            Level(priority, PLOT - STEP * priority)
            for priority in range(BEST_PRIORITY, WORST_PRIORITY + 1, 2)
        ),
        hours=tuple(_hours(day)),
        columns=tuple(_column(quarter, day) for quarter in day.quarters),
        ticks=tuple(
            Tick(event.kind, _correction(event), _x(event.created_at, day)) for event in corrections
        ),
        rows=tuple(_rows(day.quarters, corrections)),
    )


def _hours(day: Day) -> Iterable[Hour]:
    """The hours of the local clock; an hour that occurs twice gets one label."""
    moment, last = day.begins, None
    while moment <= day.ends:
        local = timezone.localtime(moment)
        if not local.minute and not local.hour % HOURS_BETWEEN_LABELS and local.hour != last:
            last = local.hour
            yield Hour(_time(moment), _x(moment, day), minor=bool(local.hour % FEW_HOURS))
        moment += QUARTER


def _column(quarter: Quarter, day: Day) -> Column:
    template = ngettext(
        "%(time)s: %(count)s document, priority %(priority)d",
        "%(time)s: %(count)s documents, worst priority %(priority)d",
        quarter.documents,
    )
    values = {
        "time": _time(quarter.begins),
        "count": numeral(quarter.documents),
        "priority": quarter.worst,
    }
    height = STEP * quarter.worst
    return Column(
        quarter.worst, template % values, _x(quarter.begins, day), PLOT - height, WIDTH, height
    )


def _rows(quarters: Iterable[Quarter], corrections: Iterable[Event]) -> list[Row]:
    """The hours with documents or corrections."""
    rows: dict[datetime, Row] = {}
    for quarter in quarters:
        row = _row(rows, quarter.begins)
        row.documents += quarter.documents
        row.worst = max(row.worst or BEST_PRIORITY, quarter.worst)
    for event in corrections:
        _row(rows, event.created_at).corrections.append(_correction(event))
    return sorted(rows.values(), key=lambda row: row.begins)


def _row(rows: dict[datetime, Row], moment: datetime) -> Row:
    """The row of the moment's local hour, which need not be a whole hour of UTC."""
    local = timezone.localtime(moment)
    begins = moment - timedelta(
        minutes=local.minute, seconds=local.second, microseconds=local.microsecond
    )
    text, local = to_the_minute(begins), timezone.localtime(begins)
    if local.utcoffset() != local.replace(fold=1 - local.fold).utcoffset():
        # This hour occurs twice in that night; the zone's name tells the two apart.
        text = f"{text} {local.tzname()}"
    return rows.setdefault(begins, Row(begins, text))


def _correction(event: Event) -> str:
    return f"{_time(event.created_at)}: {headline(event)}"


def _x(moment: datetime, day: Day) -> str:
    return percent((moment - day.begins) / QUARTER, QUARTERS)


def _time(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "H:i")
