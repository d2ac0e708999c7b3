"""What time it is where the counters live."""

from datetime import UTC, datetime

from django.db import connections, router

from doc_priority.clock import frozen_at
from doc_priority.fields import CLOCKS
from doc_priority.models import Counter
from doc_priority.types import from_microseconds


def database_now() -> datetime:
    """The database's clock, or the moment that stands in for it; in UTC, to be reckoned with."""
    moment = frozen_at.get()
    if moment is not None:
        return moment.astimezone(UTC)
    connection = connections[router.db_for_write(Counter)]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCKS[connection.vendor]}")
        (now,) = cursor.fetchone()
    return from_microseconds(now)
