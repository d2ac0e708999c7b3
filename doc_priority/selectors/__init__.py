"""Reading: the live list, histories and policies. Each selector takes a fixed number of queries."""

from doc_priority.selectors.history import (
    Day,
    Quarter,
    corrections_of,
    day_of,
    last_event,
    latest_resets,
    newer_events,
    with_customers,
)
from doc_priority.selectors.live import (
    WORST_FIRST,
    Activity,
    LiveList,
    Overview,
    StoredCounter,
    about_number_of,
    activity,
    database_now,
    number_of,
    overview,
    stored_counter,
)
from doc_priority.selectors.policies import Move, moves_under, thresholds_of

__all__ = [
    "WORST_FIRST",
    "Activity",
    "Day",
    "LiveList",
    "Move",
    "Overview",
    "Quarter",
    "StoredCounter",
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
    "stored_counter",
    "thresholds_of",
    "with_customers",
]
