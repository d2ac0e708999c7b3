"""What a policy says, by its name."""

from doc_priority.conf import settings
from doc_priority.models import Policy


def thresholds_of(policy: str) -> tuple[int, ...]:
    """The eight thresholds; no query for the default policy, whose name is empty, else one.

    Those of the default policy, too, where the named one is not there any more.
    """
    default = settings.default_policy.terms.thresholds
    if policy == "":
        return default
    named = Policy.objects.filter(name=policy).first()
    return default if named is None else named.terms.thresholds
