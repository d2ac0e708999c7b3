"""A customer's last 24 hours: the worst priority of each quarter-hour, and who stepped in."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import ngettext

from doc_priority.admin.changes import headline
from doc_priority.admin.charts.percent import percent
from doc_priority.admin.moments import shown
from doc_priority.models import Event
from doc_priority.numerals import numeral
from doc_priority.selectors import Day, Quarter
from doc_priority.selectors.history import QUARTERS
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY

STEP = 18
"""The height of one priority."""
PLOT = STEP * WORST_PRIORITY
QUARTER = timedelta(minutes=15)
WIDTH = percent(8 / 9, QUARTERS)
"""Of a column; a ninth lies between it and the next."""
HOURS_BETWEEN_LABELS = 3
FEW_HOURS = 6
"""Labels that are shown where there is little room, too."""


@dataclass(frozen=True, slots=True)
class Level:
    """A line across, with its priority beside it."""

    priority: int
    y: int


@dataclass(frozen=True, slots=True)
class Hour:
    """A line upwards, with its time below."""

    text: str
    x: str
    minor: bool


@dataclass(frozen=True, slots=True)
class Column:
    priority: int
    label: str
    x: str
    y: int
    width: str
    height: int


@dataclass(frozen=True, slots=True)
class Tick:
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


@dataclass(frozen=True, slots=True)
class DayChart:
    """What `_chart_day.html` shows; without a summary there was no document."""

    summary: str = ""
    plot: int = PLOT
    levels: tuple[Level, ...] = ()
    hours: tuple[Hour, ...] = ()
    columns: tuple[Column, ...] = ()
    ticks: tuple[Tick, ...] = ()
    rows: tuple[Row, ...] = ()


def day_chart(day: Day, *, corrections: Sequence[Event] = ()) -> DayChart:
    """The drawing and the words for it; the corrections are those of that day."""
    if not day.quarters:
        return DayChart()
    return DayChart(
        summary=_summary(day),
        levels=tuple(_levels()),
        hours=tuple(_hours(day)),
        columns=tuple(_column(quarter, day) for quarter in day.quarters),
        ticks=tuple(_tick(event, day) for event in corrections),
        rows=tuple(_rows(day.quarters, corrections)),
    )


def _summary(day: Day) -> str:
    worst = max(reversed(day.quarters), key=lambda quarter: quarter.worst)
    template = ngettext(
        "%(count)s document in the last 24 hours; its priority was %(priority)d, at %(time)s.",
        "%(count)s documents in the last 24 hours; the worst priority was %(priority)d, "
        "at %(time)s.",
        day.documents,
    )
    values = {"count": numeral(day.documents), "priority": worst.worst, "time": shown(worst.begins)}
    return template % values


def _levels() -> Iterator[Level]:
    for priority in range(BEST_PRIORITY, WORST_PRIORITY + 1, 2):
        yield Level(priority, PLOT - STEP * priority)


def _hours(day: Day) -> Iterator[Hour]:
    """By the clock on the wall; where that shows an hour twice, the second has no label."""
    last = None
    for moment in _moments(day):
        local = timezone.localtime(moment)
        if local.minute or local.hour % HOURS_BETWEEN_LABELS or local.hour == last:
            continue
        last = local.hour
        yield Hour(_time(moment), _x(moment, day), minor=bool(local.hour % FEW_HOURS))


def _moments(day: Day) -> Iterator[datetime]:
    moment = day.begins
    while moment <= day.ends:
        yield moment
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


def _tick(event: Event, day: Day) -> Tick:
    label = f"{_time(event.created_at)}: {headline(event)}"
    return Tick(event.kind, label, _x(event.created_at, day))


def _x(moment: datetime, day: Day) -> str:
    return percent((moment - day.begins) / QUARTER, QUARTERS)


def _rows(quarters: Iterable[Quarter], corrections: Iterable[Event]) -> list[Row]:
    rows: dict[datetime, Row] = {}
    for quarter in quarters:
        row = _row(rows, quarter.begins)
        row.documents += quarter.documents
        row.worst = max(row.worst or BEST_PRIORITY, quarter.worst)
    for event in corrections:
        row = _row(rows, event.created_at)
        row.corrections.append(f"{_time(event.created_at)}: {headline(event)}")
    return sorted(rows.values(), key=lambda row: row.begins)


def _row(rows: dict[datetime, Row], moment: datetime) -> Row:
    """An hour by the clock on the wall; that need not be a whole one of UTC."""
    local = timezone.localtime(moment)
    into = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    begins = moment - into
    return rows.setdefault(begins, Row(begins, _hour(begins)))


def _hour(begins: datetime) -> str:
    """With the zone's name where the clock shows this hour twice in that night."""
    local = timezone.localtime(begins)
    if local.utcoffset() == local.replace(fold=1 - local.fold).utcoffset():
        return shown(begins)
    return f"{shown(begins)} {local.tzname()}"


def _time(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "H:i")
