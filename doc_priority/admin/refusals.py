"""What a page says when a service refuses: what happened, and what to do about it."""

from django.utils.translation import gettext_lazy, ngettext

from doc_priority.exceptions import (
    CorrectedMeanwhile,
    CounterBusy,
    CustomerExists,
    CustomerNotFound,
    CustomerOutOfReach,
    DocPriorityError,
    InvalidKey,
    InvalidPin,
    InvalidPolicy,
    InvalidText,
    InvalidTime,
    PolicyExists,
    PolicyInUse,
    PolicyNotFound,
    TooManyItems,
    TransactionConflict,
)
from doc_priority.explanations import numeral

_BUSY = gettext_lazy("Others are changing the same at this moment. Nothing was changed; try again.")
_TEXTS = {
    CounterBusy: _BUSY,
    CorrectedMeanwhile: _BUSY,
    TransactionConflict: _BUSY,
    CustomerNotFound: gettext_lazy(
        "A customer was deleted meanwhile. Nothing was changed; look again."
    ),
    CustomerExists: gettext_lazy("A customer with this key exists already; use another key."),
    CustomerOutOfReach: gettext_lazy(
        "This customer is not one that you may reach. Nothing was changed."
    ),
    PolicyExists: gettext_lazy(
        "A policy with this name exists already; change it, or use another name."
    ),
    PolicyNotFound: gettext_lazy("The policy was deleted meanwhile. Nothing was changed."),
    PolicyInUse: gettext_lazy(
        "The policy is in use. Nothing was deleted; give its customers another one."
    ),
    InvalidText: gettext_lazy(
        "The reason is too long, or has control characters or invisible marks in it. "
        "Nothing was changed; write it anew."
    ),
    InvalidKey: gettext_lazy(
        "A key has 1 to 64 characters of A-Z a-z 0-9 . _ ~ : @ - and is neither “.” nor “..”. "
        "Nothing was changed; use another key."
    ),
    InvalidPin: gettext_lazy(
        "A pin has a priority from 1 to 9 and ends in the future. "
        "Nothing was changed; choose another time."
    ),
    InvalidTime: gettext_lazy(
        "This time is too far away. Nothing was changed; choose another one."
    ),
    InvalidPolicy: gettext_lazy(
        "This is no policy: it has a whole interval, a recovery and eight falling thresholds. "
        "Nothing was changed; look at them again."
    ),
    TooManyItems: gettext_lazy("These are too many at once. Nothing was changed; tick fewer."),
}
_ANY_OTHER = gettext_lazy(
    "This cannot be done. Nothing was changed; look at the page again, or ask who runs the portal."
)


def in_words(error: DocPriorityError) -> str:
    """The error for whoever reads the page; its own text is for programs."""
    return str(_TEXTS.get(type(error), _ANY_OTHER))


def in_use(policy: str, *, customers: int) -> str:
    """Why a policy that customers have stays."""
    return ngettext(
        "%(count)s customer has the policy “%(policy)s”, so it cannot be deleted. "
        "Give that customer another policy first.",
        "%(count)s customers have the policy “%(policy)s”, so it cannot be deleted. "
        "Give these customers another policy first.",
        customers,
    ) % {"count": numeral(customers), "policy": policy}
