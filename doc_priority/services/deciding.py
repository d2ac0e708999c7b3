"""Decisions made of what the database gave back."""

from doc_priority import rules
from doc_priority.counters.rows import Verdict
from doc_priority.exceptions import CustomerNotFound
from doc_priority.types import (
    CounterState,
    Decision,
    NamedTerms,
    Pin,
    from_microseconds,
    optional_moment,
)


def not_found(*keys: str) -> CustomerNotFound:
    shown = ", ".join(repr(key) for key in keys[:10])
    more = f" and {len(keys) - 10} more" if len(keys) > 10 else ""
    if len(keys) == 1:
        return CustomerNotFound(f"There is no customer with the key {shown}; create it first.")
    return CustomerNotFound(
        f"There are no customers with the keys {shown}{more}; create them first."
    )


def decision_of(customer: str, document: str, verdict: Verdict) -> Decision:
    """The decision a check came to."""
    return Decision(
        customer,
        document,
        verdict.pending_documents,
        verdict.priority,
        verdict.pinned,
        verdict.reset,
        verdict.repeated,
        from_microseconds(verdict.decided_at),
        optional_moment(verdict.resets_at),
        verdict.policy,
    )


def standing_of(
    customer: str, state: CounterState, pin: Pin | None, policy: NamedTerms, now: int
) -> Decision:
    """What the customer's next document would be decided on, with nothing counted."""
    now = max(now, state.updated_at or 0)
    current = rules.peek(state, policy.terms, now)
    holding = pin if pin is not None and pin.holds(now) else None
    counting = rules.is_counting(state, policy.terms, now)
    resets_at = rules.resets_at(state, policy.terms) if counting else None
    return Decision(
        customer=customer,
        document="",
        pending_documents=current.pending_documents,
        priority=holding.priority
        if holding
        else rules.priority_of(current.pending_documents, policy.terms.thresholds),
        pinned=holding is not None,
        reset=False,
        repeated=False,
        decided_at=from_microseconds(now),
        resets_at=optional_moment(resets_at),
        policy=policy.name,
    )
