"""The signals that a portal can receive.

Every signal is sent after commit. If a portal commits by hand, without `atomic`, it is sent
immediately. What a receiver raises is logged and has no other effect.

`sender` is the `Customer` model and `customer` a key; `decision` is the state after the change, and
`event` the id of the event that says who made it and why.
"""

from django.dispatch import Signal

__all__ = [
    "customer_forgotten",
    "customer_pinned",
    "customer_reset",
    "customer_unpinned",
    "policy_changed",
    "priority_changed",
]

priority_changed = Signal()
"""A check or a correction changed a customer's priority from `before` to `after`.

When a priority gets better with time, nothing is sent.

Arguments: `customer`, `before`, `after`, `decision`
"""

customer_reset = Signal()
"""A counter was set to 0 by hand. Arguments: `customer`, `decision`, `event`"""

customer_pinned = Signal()
"""A priority was pinned, also in place of a pin. Arguments: `customer`, `decision`, `event`"""

customer_unpinned = Signal()
"""A pin was removed by hand. When a pin ends at its time, nothing is sent.

Arguments: `customer`, `decision`, `event`
"""

policy_changed = Signal()
"""A customer was given another policy, or a policy was created, changed or deleted.

`customer` is empty where the policy itself changed; `policy` is a name, empty for the default one.

Arguments: `customer`, `policy`, `event`
"""

customer_forgotten = Signal()
"""A customer was erased; only `event` remains. Arguments: `customer`, `event`"""
