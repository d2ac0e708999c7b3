"""Why something could not be done, for those who wanted it."""

from django.utils.translation import gettext_lazy, ngettext

from doc_priority.exceptions import (
    CounterBusy,
    CustomerExists,
    CustomerNotFound,
    CustomerOutOfReach,
    DocPriorityError,
    InvalidText,
    PolicyExists,
    PolicyInUse,
    PolicyNotFound,
    TransactionConflict,
)

_BUSY = gettext_lazy("Others are changing the same at this moment. Nothing was changed; try again.")
_TEXTS = {
    CounterBusy: _BUSY,
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
}


def in_words(error: DocPriorityError) -> str:
    """What happened, and what to do about it."""
    return str(_TEXTS.get(type(error), error))


def held(policy: str, *, customers: int) -> str:
    """Why a policy stays that customers have."""
    return ngettext(
        "%(count)d customer has the policy “%(policy)s”, so it cannot be deleted. "
        "Give that customer another policy first.",
        "%(count)d customers have the policy “%(policy)s”, so it cannot be deleted. "
        "Give these customers another policy first.",
        customers,
    ) % {"count": customers, "policy": policy}
