"""A bar for each priority, as long as it has customers."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority.admin.charts.percent import percent
from doc_priority.numerals import numeral
from doc_priority.selectors import Overview

ROW = 32
BAR = 20
LONGEST = 0.78
"""Of the width; the rest is for the number behind the bar."""


@dataclass(frozen=True, slots=True)
class LevelBar:
    priority: int
    customers: str
    label: str
    top: int
    bar_top: int
    middle: int
    length: str


@dataclass(frozen=True, slots=True)
class LevelChart:
    """How many customers stand at each priority now."""

    label: str
    height: int
    row: int
    bar: int
    bars: tuple[LevelBar, ...]


def level_chart(overview: Overview) -> LevelChart:
    most = max(1, *overview.priorities.values())
    bars = tuple(
        _bar(row, priority, customers, most)
        for row, (priority, customers) in enumerate(sorted(overview.priorities.items()))
    )
    label = _("Customers per priority now, each with a link to its list")
    return LevelChart(label, ROW * len(bars), ROW, BAR, bars)


def _bar(row: int, priority: int, customers: int, most: int) -> LevelBar:
    template = ngettext(
        "Priority %(priority)d: %(count)s customer",
        "Priority %(priority)d: %(count)s customers",
        customers,
    )
    return LevelBar(
        priority,
        numeral(customers),
        label=template % {"priority": priority, "count": numeral(customers)},
        top=row * ROW,
        bar_top=row * ROW + (ROW - BAR) // 2,
        middle=row * ROW + ROW // 2,
        length=percent(LONGEST * customers, most),
    )
