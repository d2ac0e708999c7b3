"""The time that stands in for the database's clock, where a test or a replay has set one."""

from contextvars import ContextVar
from datetime import datetime

frozen_at: ContextVar[datetime | None] = ContextVar("doc_priority_frozen_at", default=None)
