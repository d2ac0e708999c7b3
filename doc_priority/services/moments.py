"""Which moment a call is about."""

from datetime import datetime

from doc_priority.clock import frozen_at
from doc_priority.validation import to_microseconds


def moment_of(at: datetime | None) -> int | None:
    """The moment asked for in microseconds; none means the database's own clock."""
    if at is None:
        at = frozen_at.get()
    return None if at is None else to_microseconds(at)
