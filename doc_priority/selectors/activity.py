"""Which customers need a look at the rule, and which are at rest whatever it says."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import router
from django.db.models import Max

from doc_priority.conf import settings
from doc_priority.models import Counter, Policy
from doc_priority.selectors.now import database_now
from doc_priority.types import from_microseconds
from doc_priority.validation import to_microseconds


class Activity(NamedTuple):
    """A moment, and since when a counter must have been updated to count then at all."""

    now: datetime
    since: datetime


def activity(*, at: datetime | None = None) -> Activity:
    """By the longest interval of all policies; under every recovery a counter is over after it."""
    now = database_now() if at is None else from_microseconds(to_microseconds(at))
    policies = Policy.objects.using(router.db_for_write(Counter))
    named = policies.aggregate(longest=Max("reset_interval"))["longest"] or 0
    longest = max(named, settings.default_policy.terms.reset_interval)
    return Activity(now, now - timedelta(seconds=longest))
