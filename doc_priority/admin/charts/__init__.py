"""What the charts draw: places in percent of the width, the words on them, no colours."""

from doc_priority.admin.charts.day import DayChart, day_chart
from doc_priority.admin.charts.levels import LevelChart, level_chart

__all__ = ["DayChart", "LevelChart", "day_chart", "level_chart"]
