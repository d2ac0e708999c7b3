"""What the portal can listen to.

Every signal is sent after commit, or at once where a portal commits by hand, without `atomic`; a
failing receiver is logged and changes nothing.

`sender` is the `Customer` model, `customer` a key; `decision` is what stands after the change, and
`event` the id of the event that says who did it and why.
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
"""Something done to a customer moved its priority from `before` to `after`.

A priority that gets better with time sends nothing.

Arguments: `customer`, `before`, `after`, `decision`
"""

customer_reset = Signal()
"""A counter was put to 0 by hand.

Arguments: `customer`, `decision`, `event`
"""

customer_pinned = Signal()
"""A priority was set by hand, also where another one was set before.

Arguments: `customer`, `decision`, `event`
"""

customer_unpinned = Signal()
"""A pin was taken off; a pin that ends by itself sends nothing.

Arguments: `customer`, `decision`, `event`
"""

policy_changed = Signal()
"""A customer was given another policy, or a policy was made, changed or deleted.

`customer` is empty where the policy itself changed; `policy` is a name, empty for the default one.

Arguments: `customer`, `policy`, `event`
"""

customer_forgotten = Signal()
"""A customer was erased; `event` is what is left of it.

Arguments: `customer`, `event`
"""
