"""Count a document and decide on it; look without counting."""

from datetime import datetime
from functools import partial

from doc_priority import selectors
from doc_priority.clock import moment_of
from doc_priority.counters.rows import Verdict
from doc_priority.services.deciding import decision_of, not_found, standing_of
from doc_priority.services.events import announce_priority, observed
from doc_priority.services.transactions import Unit, perform
from doc_priority.types import Decision
from doc_priority.validation import require_document, require_key


@observed("check")
def check(
    customer: str, *, document: str = "", at: datetime | None = None, must_exist: bool = False
) -> Decision:
    """Count one document of this customer and decide on its priority.

    A document that is named counts once: a repeated check gives the same decision again. With
    `must_exist` no customer is made, whatever CREATE_CUSTOMERS says.
    """
    require_key(customer)
    require_document(document)
    count = partial(_counted, customer=customer, document=document, must_exist=must_exist)
    verdict = perform(count, at=moment_of(at))
    if verdict is None:
        raise not_found(customer)
    decision = decision_of(customer, document, verdict)
    announce_priority(verdict.previous_priority, decision)
    return decision


@observed("peek")
def peek(customer: str, *, at: datetime | None = None) -> Decision:
    """What this customer stands at; nothing is counted or changed."""
    require_key(customer)
    counter = selectors.stored_counter(customer, at=moment_of(at))
    if counter is None:
        raise not_found(customer)
    return standing_of(customer, counter.state, counter.pin, counter.policy, counter.now)


def _counted(unit: Unit, *, customer: str, document: str, must_exist: bool) -> Verdict | None:
    """Count; begin again as often as others delete the customer that was just made."""
    if must_exist:
        unit = unit.without_creating()
    while True:
        verdict = unit.timed(unit.counters.check, customer, document, unit.conditions)
        if verdict is not None or not unit.conditions.create:
            return verdict
