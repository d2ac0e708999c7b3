"""After how many seconds a caller is told, at the latest."""

from django.db import connection

from doc_priority.conf import settings

GRACE = 0.5
"""So many seconds after what it had to wait for, or at once, a caller has been told."""

WAITS_WITHIN = {"postgresql": 2, "mysql": 1}
"""A lock may take so many waits where the transaction is the portal's, as is documented."""


def of_a_wait() -> float:
    """In a transaction of the call's own."""
    return _allowed() + GRACE


def of_a_wait_within() -> float:
    """In a transaction of the portal's."""
    return _allowed() * WAITS_WITHIN[connection.vendor] + GRACE


def _allowed() -> float:
    return settings.counting.lock_timeout_ms / 1000
