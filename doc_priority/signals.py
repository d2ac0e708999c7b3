"""What the portal can listen to. Every signal is sent after commit; a failing receiver is logged
and changes nothing.

`sender` is the `Customer` model, `customer` a key; `decision` is what stands after the change.
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
"""`customer`, `before`, `after`, `decision`: something done to a customer moved its priority.

Getting better with time is no deed and sends nothing.
"""

customer_reset = Signal()
"""`customer`, `decision`, `event`: the id of the event that says who and why."""

customer_pinned = Signal()
"""`customer`, `decision`, `event`."""

customer_unpinned = Signal()
"""`customer`, `decision`, `event`."""

policy_changed = Signal()
"""`customer` (empty when the policy itself changed), `policy` (its name), `event`."""

customer_forgotten = Signal()
"""`customer`, `event`."""
