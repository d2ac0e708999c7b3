"""What is read of customers; each selector takes a fixed number of queries."""

from doc_priority.selectors.activity import Activity, activity
from doc_priority.selectors.corrections import last_event, newer_events
from doc_priority.selectors.history import (
    Day,
    Quarter,
    corrections_of,
    day_of,
    latest_resets,
    with_customers,
)
from doc_priority.selectors.moves import Move, moves_under
from doc_priority.selectors.now import database_now
from doc_priority.selectors.numbers import about_number_of, number_of
from doc_priority.selectors.overview import Overview, overview
from doc_priority.selectors.policies import thresholds_of
from doc_priority.selectors.standing import Standing, standing

__all__ = [
    "Activity",
    "Day",
    "Move",
    "Overview",
    "Quarter",
    "Standing",
    "about_number_of",
    "activity",
    "corrections_of",
    "database_now",
    "day_of",
    "last_event",
    "latest_resets",
    "moves_under",
    "newer_events",
    "number_of",
    "overview",
    "standing",
    "thresholds_of",
    "with_customers",
]
