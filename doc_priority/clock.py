"""Which moment a call is about; a test or a replay may set one for all calls."""

from contextvars import ContextVar
from datetime import datetime

from doc_priority.validation import to_microseconds

frozen_at: ContextVar[datetime | None] = ContextVar("doc_priority_frozen_at", default=None)


def moment_of(at: datetime | None) -> int | None:
    """The moment asked for in microseconds; none means the database's own clock."""
    if at is None:
        at = frozen_at.get()
    return None if at is None else to_microseconds(at)
