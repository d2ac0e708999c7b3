"""The terms that the form of a policy was filled from, and what others changed since."""

from typing import Any

from django.utils.translation import gettext as _

from doc_priority.admin.changes import changed_terms
from doc_priority.types import PolicyTerms
from doc_priority.validation import terms_of


def as_text(terms: PolicyTerms) -> str:
    """The terms as a form carries them."""
    thresholds = ",".join(map(str, terms.thresholds))
    return f"{terms.reset_interval} {terms.recovery} {thresholds}"


def from_text(text: str) -> PolicyTerms | None:
    """The terms that a form sent back; None where it sent none."""
    try:
        reset_interval, recovery, thresholds = text.split(" ")
        return terms_of(int(reset_interval), recovery, [*map(int, thresholds.split(","))])
    except ValueError:
        return None


def question(opened: PolicyTerms, stored: PolicyTerms) -> str:
    """Whether what others changed meanwhile is to be replaced."""
    return _(
        "Somebody else has changed this policy since the form was opened: %(changes)s. "
        "What stands in the form would replace that. "
        "Nothing is saved yet: save again to confirm."
    ) % {"changes": "; ".join(changed_terms(_told(opened), _told(stored)))}


def _told(terms: PolicyTerms) -> dict[str, Any]:
    return {
        "reset_interval": terms.reset_interval,
        "recovery": terms.recovery.value,
        "thresholds": list(terms.thresholds),
    }
