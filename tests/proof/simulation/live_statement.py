"""The live list's own statement, written by Django once and then run with other values.

Django takes many times longer to write it than a database to run it. Kept, it can be run every
few steps; the operation `live` goes all the way.
"""

import functools
from typing import Any

from django.db import connection
from django.test import override_settings

from doc_priority.conf import settings
from doc_priority.models import Customer
from doc_priority.types import from_microseconds

LIVE = (
    "key",
    "pending_documents",
    "priority",
    "counting",
    "pinned",
    "pinned_until",
    "updated_at",
    "resets_at",
)
MOMENT = 4_102_444_800_111_111
INTERVAL = 8_765_432
THRESHOLDS = tuple(range(-901, -909, -1))
"""Values that occur nowhere else in the statement."""


def live_now(moment: int) -> list[tuple[Any, ...]]:
    """What the live list shows under the settings of now, in microseconds, by key."""
    terms = settings.default_policy.terms
    statement = written(str(terms.recovery))
    for stand_in, threshold in zip(THRESHOLDS, terms.thresholds, strict=True):
        statement = statement.replace(str(stand_in), str(threshold))
    statement = statement.replace(str(INTERVAL), str(terms.reset_interval))
    with connection.cursor() as cursor:
        # The moment comes last, for its digits may look like a stand-in.
        cursor.execute(statement.replace(str(MOMENT), str(moment)))
        return sorted(cursor.fetchall())


@functools.lru_cache(maxsize=3)
def written(recovery: str) -> str:
    """The statement with stand-ins for all that changes from call to call."""
    stand_ins = {"RECOVERY": recovery, "RESET_INTERVAL": INTERVAL, "THRESHOLDS": THRESHOLDS}
    with override_settings(DOC_PRIORITY=stand_ins):
        rows = Customer.objects.live(from_microseconds(MOMENT)).order_by().values_list(*LIVE)
        statement, parameters = rows.query.sql_with_params()
    missing = {MOMENT, INTERVAL, *THRESHOLDS} - set(parameters)
    if missing:
        raise RuntimeError(f"The live list's statement no longer has {missing} as parameters.")
    return str(statement % tuple(map(_literal, parameters)))


def _literal(value: str | bool | float) -> str:
    """The app's own words and numbers only: drivers take long to bind hundreds of them."""
    return f"'{value}'" if isinstance(value, str) else str(value).lower()
