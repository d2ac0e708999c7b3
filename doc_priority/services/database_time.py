"""What time it is for the app."""

from datetime import datetime

from django.db import connections

from doc_priority.clock import frozen_at
from doc_priority.fields import CLOCKS
from doc_priority.services.transactions import alias_for_write
from doc_priority.types import from_microseconds


def database_now() -> datetime:
    """The database's clock, or the time that stands in for it."""
    moment = frozen_at.get()
    if moment is not None:
        return moment
    connection = connections[alias_for_write()]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCKS[connection.vendor]}")
        return from_microseconds(cursor.fetchone()[0])
