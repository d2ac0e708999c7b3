"""The errors: a common base, a stable code, a message with the value and the remedy.

The docstring is the message of an error that is raised without one.
"""

from collections.abc import Sequence
from typing import Any


class DocPriorityError(Exception):
    """The base of all errors of doc_priority."""

    code = "doc_priority_error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or str(self.__doc__))


class InvalidInput(DocPriorityError, ValueError):
    """A value is not accepted; the message says which values are."""

    code = "invalid_input"


class InvalidKey(InvalidInput):
    """A key has 1 to 64 characters of A-Z a-z 0-9 . _ ~ : @ - and is neither '.' nor '..'."""

    code = "invalid_key"


class InvalidDocument(InvalidInput):
    """A document's id has at most 200 characters and no control characters."""

    code = "invalid_document"


class InvalidPolicy(InvalidInput):
    """A policy has a whole interval, a known recovery and eight falling thresholds."""

    code = "invalid_policy"


class InvalidPin(InvalidInput):
    """A pin has a priority from 1 to 9 and ends in the future."""

    code = "invalid_pin"


class InvalidTime(InvalidInput):
    """A time is an aware datetime from 1970 to 9997."""

    code = "invalid_time"


class InvalidText(InvalidInput):
    """A name, reason, actor or source is too long or has characters that cannot be shown."""

    code = "invalid_text"


class TooManyItems(InvalidInput):
    """One call takes a limited number of items; split the list."""

    code = "too_many_items"


class UnknownEngine(InvalidInput):
    """No queue engine has this name; the message says which one is meant."""

    code = "unknown_engine"


class TaskPrioritizedOtherwise(InvalidInput):
    """The task is prioritised with other arguments already; use the same arguments each time."""

    code = "task_prioritized_otherwise"


class TransportWithoutPriorities(DocPriorityError):
    """This transport would ignore priorities; use one that keeps nine of them apart."""

    code = "transport_without_priorities"


class CustomerNotFound(DocPriorityError, LookupError):
    """No customer has this key; create it first."""

    code = "customer_not_found"


def not_found(*keys: str) -> CustomerNotFound:
    """The error for these keys; it names the first ten."""
    named = ", ".join(repr(key) for key in keys[:10])
    if len(keys) == 1:
        return CustomerNotFound(f"There is no customer with the key {named}; create it first.")
    more = f" and {len(keys) - 10} more" if len(keys) > 10 else ""
    return CustomerNotFound(
        f"There are no customers with the keys {named}{more}; create them first."
    )


class CustomerExists(DocPriorityError):
    """A customer with this key exists already; use it, or another key."""

    code = "customer_exists"


class CustomerOutOfReach(DocPriorityError):
    """The user could not reach the customer after this change; use an account that can."""

    code = "customer_out_of_reach"


class CorrectedMeanwhile(DocPriorityError):
    """One of these customers was corrected after the last event that was seen; look again."""

    code = "corrected_meanwhile"

    def __init__(self, events: Sequence[Any] = ()) -> None:
        """`events` are the corrections that are newer, the newest first; at most ten."""
        super().__init__()
        self.events = events


class PolicyNotFound(DocPriorityError, LookupError):
    """No policy has this name; create it first."""

    code = "policy_not_found"


class PolicyExists(DocPriorityError):
    """A policy with this name exists already; change it, or use another name."""

    code = "policy_exists"


class PolicyInUse(DocPriorityError):
    """A policy that customers have cannot be deleted; give them another one first."""

    code = "policy_in_use"


class CounterBusy(DocPriorityError):
    """The customer's counter was locked by others for longer than LOCK_TIMEOUT_MS; try again."""

    code = "counter_busy"


class TransactionConflict(DocPriorityError):
    """The database gave up this transaction for another one; run the whole transaction again."""

    code = "transaction_conflict"


class EventIsWritten(DocPriorityError):
    """An event is written once and never changed; write a new one."""

    code = "event_is_written"
