"""What a page says when a service refuses: what happened, and what to do about it."""

from django.utils.translation import gettext_lazy

from doc_priority import exceptions
from doc_priority.exceptions import DocPriorityError

_BUSY = gettext_lazy("Someone else is changing this right now. Nothing was changed. Try again.")
_TEXTS = {
    exceptions.CounterBusy: _BUSY,
    exceptions.CorrectedMeanwhile: _BUSY,
    exceptions.TransactionConflict: _BUSY,
    exceptions.CustomerNotFound: gettext_lazy(
        "A customer has been deleted in the meantime. Nothing was changed. Check the list again."
    ),
    exceptions.CustomerExists: gettext_lazy(
        "A customer with this ID already exists. Use another ID."
    ),
    exceptions.CustomerOutOfReach: gettext_lazy(
        "You do not have access to this customer. Nothing was changed."
    ),
    exceptions.PolicyExists: gettext_lazy(
        "A policy with this name already exists. Change that one or use another name."
    ),
    exceptions.PolicyNotFound: gettext_lazy(
        "The policy has been deleted in the meantime. Nothing was changed."
    ),
    exceptions.PolicyInUse: gettext_lazy(
        "The policy is in use and was not deleted. Assign its customers another policy first."
    ),
    exceptions.InvalidText: gettext_lazy(
        "The reason is too long or contains control or invisible characters. "
        "Nothing was changed. Enter it again."
    ),
    exceptions.InvalidKey: gettext_lazy(
        "An ID has 1 to 64 characters from A-Z a-z 0-9 . _ ~ : @ - and is neither “.” nor “..”. "
        "Nothing was changed. Use another ID."
    ),
    exceptions.InvalidPin: gettext_lazy(
        "A pin needs a priority from 1 to 9, and an end in the future or none. "
        "Nothing was changed. Correct it and try again."
    ),
    exceptions.InvalidTime: gettext_lazy(
        "This time is too far in the past or future. Nothing was changed. Choose another time."
    ),
    exceptions.InvalidPolicy: gettext_lazy(
        "These values are not valid. A policy needs an interval in whole seconds, a recovery and "
        "eight falling thresholds. Nothing was changed."
    ),
    exceptions.TooManyItems: gettext_lazy("Too many at once. Nothing was changed. Select fewer."),
}
_ANY_OTHER = gettext_lazy(
    "This is not possible. Nothing was changed. Reload the page or ask the portal's administrator."
)


def in_words(error: DocPriorityError) -> str:
    """The error in words for people; its own text is for programs."""
    return str(_TEXTS.get(type(error), _ANY_OTHER))
