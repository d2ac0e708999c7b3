"""The current time: the database's clock, or the time that a test or a caller sets."""

from contextvars import ContextVar
from datetime import datetime

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Expression
from django.db.models.sql.compiler import SQLCompiler

from doc_priority.fields import MicrosecondField
from doc_priority.validation import to_microseconds

CLOCKS = {
    "postgresql": "(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint",
    "mysql": "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
    "sqlite": "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000",
}
"""The time of the statement in microseconds since 1970, whatever the session's time zone."""

frozen_at: ContextVar[datetime | None] = ContextVar("doc_priority_frozen_at", default=None)
"""The time that `testing.frozen_time` has set, for this thread or task."""


def moment_of(at: datetime | None) -> int | None:
    """This moment or the frozen one, in microseconds; None for the database's clock."""
    if at is None:
        at = frozen_at.get()
    return None if at is None else to_microseconds(at)


class DatabaseClock(Expression):
    """The time of the statement, by the database's clock."""

    output_field = MicrosecondField()

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[str | int, ...]]:
        return CLOCKS[connection.vendor], ()
