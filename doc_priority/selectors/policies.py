"""What a policy says, by its name."""

from django.db import router

from doc_priority.conf import settings
from doc_priority.models import Counter, Policy


def thresholds_of(policy: str) -> tuple[int, ...]:
    """The eight thresholds; no query for the default policy, whose name is empty, else one.

    Those of the default policy, too, where the named one is not there any more.
    """
    default = settings.default_policy.terms.thresholds
    if policy == "":
        return default
    named = Policy.objects.using(router.db_for_write(Counter)).filter(name=policy).first()
    return default if named is None else named.terms.thresholds
