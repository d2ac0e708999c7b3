"""Signals, sent once the change is committed."""

from typing import Any

from django.dispatch import Signal

from doc_priority.models import Customer
from doc_priority.services.transactions import after_commit
from doc_priority.signals import priority_changed
from doc_priority.types import Decision


def announce(signal: Signal, **values: Any) -> None:
    """Send the signal after commit, if anyone listens; what a receiver raises is logged."""
    if not signal.has_listeners(Customer):
        return
    after_commit(lambda: signal.send_robust(sender=Customer, **values))


def announce_priority(before: int, decision: Decision) -> None:
    """Tell that a customer's priority moved, if it did."""
    if before != decision.priority:
        announce(
            priority_changed,
            customer=decision.customer,
            before=before,
            after=decision.priority,
            decision=decision,
        )
