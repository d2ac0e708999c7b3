"""Count thousands of documents in a handful of statements."""

from collections import Counter as Tally
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from doc_priority import rules
from doc_priority.clock import moment_of
from doc_priority.counters.rows import CountedRow, policy_of
from doc_priority.exceptions import InvalidInput
from doc_priority.models import Customer
from doc_priority.services.documents import (
    NamedDocument,
    decided_before,
    keep_decisions,
    repeat_of,
)
from doc_priority.services.events import announce_priority, observed
from doc_priority.services.transactions import (
    Unit,
    locked,
    perform,
    require_all,
    with_counters,
)
from doc_priority.signals import priority_changed
from doc_priority.types import (
    FLOOR,
    CounterState,
    Decision,
    NamedTerms,
    Recovery,
    from_microseconds,
    optional_moment,
)
from doc_priority.validation import listed, require_document, require_key, shortened

Item = str | NamedDocument


class _Outcome(NamedTuple):
    """The decisions in the order of the items, and what the counters were left at."""

    decisions: list[Decision]
    rows: list[CountedRow]
    default: NamedTerms


@observed("check_many")
def check_many(
    items: Iterable[Item], *, at: datetime | None = None, must_exist: bool = False
) -> list[Decision]:
    """Count one document per item and decide on each, as if checked one by one in this order.

    An item is a customer's key, or a key and a document; one call takes up to 100,000. All of them
    count, or none does. With `must_exist` no customer is made, whatever CREATE_CUSTOMERS says.
    """
    asked = listed(items, of="items")
    tally = _tally(asked)
    if not tally:
        return []
    decide = _decide_named if any(type(item) is tuple for item in tally) else _decide_unnamed

    def count(unit: Unit) -> _Outcome:
        return decide(unit.without_creating() if must_exist else unit, asked, tally)

    outcome = perform(count, at=moment_of(at))
    if priority_changed.has_listeners(Customer):
        _announce_moves(outcome)
    return outcome.decisions


def _tally(asked: list[Item]) -> Tally[Item]:
    """How often each item is asked for, every one of them checked."""
    try:
        tally = Tally(asked)
    except TypeError:
        asked[:] = [tuple(item) if isinstance(item, list) else item for item in asked]
        tally = _tally_of_hashable(asked)
    for item in tally:
        _require_item(item)
    return tally


def _tally_of_hashable(asked: list[Item]) -> Tally[Item]:
    try:
        return Tally(asked)
    except TypeError as error:
        raise InvalidInput(
            f"An item is a key or a pair of key and document; one of these is not ({error})."
        ) from error


def _require_item(item: Item) -> None:
    if type(item) is not tuple:
        require_key(item)
    elif len(item) == 2:
        require_key(item[0])
        require_document(item[1])
    else:
        raise InvalidInput(
            f"{shortened(item)} is not an item; give a key or a pair of key and document."
        )


def _decide_unnamed(unit: Unit, asked: list[Item], tally: Tally[Item]) -> _Outcome:
    documents = {str(key): tally[key] for key in sorted(map(str, tally))}
    rows = with_counters(unit, lambda: _count_all(unit, documents))
    following = _following(rows, documents, unit.conditions.default)
    if len(following) == 1:
        decisions = list(*following.values())
    else:
        decisions = [next(following[item]) for item in asked]  # type: ignore[index]
    return _Outcome(decisions, rows, unit.conditions.default)


def _count_all(unit: Unit, documents: dict[str, int]) -> list[CountedRow]:
    rows = unit.timed(unit.counters.count_many, documents, unit.conditions)
    require_all(documents, {row.customer for row in rows})
    return rows


def _decide_named(unit: Unit, asked: list[Item], tally: Tally[Item]) -> _Outcome:
    pairs = [_pair(item) for item in asked]
    named = dict.fromkeys(pair for pair in map(_pair, tally) if pair[1])
    return with_counters(unit, lambda: _decide_pairs(unit, pairs, named))


def _decide_pairs(
    unit: Unit, pairs: list[NamedDocument], named: Collection[NamedDocument]
) -> _Outcome:
    locked(unit, {key for key, _ in pairs}, customers=True)
    decided = decided_before(named, alias=unit.alias)
    documents = Tally(key for key, document in pairs if not document)
    documents.update(key for key, document in named if (key, document) not in decided)
    rows = _count_all(unit, {key: documents[key] for key in sorted(documents)})
    following = _following(rows, documents, unit.conditions.default)
    known = len(decided)
    decisions = [_next(pair, following, decided) for pair in pairs]
    keep_decisions(list(decided.values())[known:], alias=unit.alias)
    return _Outcome(decisions, rows, unit.conditions.default)


def _pair(item: Item) -> NamedDocument:
    return (item, "") if isinstance(item, str) else item


def _next(
    pair: NamedDocument,
    following: dict[str, Iterator[Decision]],
    decided: dict[NamedDocument, Decision],
) -> Decision:
    """The decision on the next item; one on a document is added to those decided."""
    if pair in decided:
        return repeat_of(decided[pair])
    key, document = pair
    decision = next(following[key])
    if document:
        decision = decided[pair] = replace(decision, document=document)
    return decision


def _following(
    rows: Iterable[CountedRow], documents: Mapping[str, int], default: NamedTerms
) -> dict[str, Iterator[Decision]]:
    return {row.customer: iter(_decisions(row, documents[row.customer], default)) for row in rows}


def _decisions(row: CountedRow, documents: int, default: NamedTerms) -> list[Decision]:
    """What each of so many documents got, from what the statement left behind."""
    name, terms = policy_of(row.policy, default)
    now, recovered_at = row.updated_at, row.recovered_at
    pin = row.pinned_priority if row.pinned_until is not None and now < row.pinned_until else None
    first = _first_count(row, documents, default)
    decided_at = from_microseconds(now)
    resets_at = None
    if terms.recovery != Recovery.HALVING:
        resets_at = optional_moment(rules.resets_at(CounterState(first, now, recovered_at), terms))
    decisions = []
    for offset in range(documents):
        pending = max(first - offset, FLOOR)
        if terms.recovery == Recovery.HALVING:
            resets_at = optional_moment(
                rules.resets_at(CounterState(pending, now, recovered_at), terms)
            )
        decisions.append(
            Decision(
                row.customer,
                "",
                pending,
                rules.priority_of(pending, terms.thresholds) if pin is None else pin,
                pin is not None,
                pending == 0 and row.updated_before is not None,
                False,
                decided_at,
                resets_at,
                name,
            )
        )
    return decisions


def _first_count(row: CountedRow, documents: int, default: NamedTerms) -> int:
    """Where the counter stood after the first of the documents."""
    if row.pending_documents > FLOOR:
        return row.pending_documents + documents - 1
    terms = policy_of(row.policy, default).terms
    return rules.check(row.before, terms, row.updated_at).pending_documents


def _announce_moves(outcome: _Outcome) -> None:
    """One signal for each customer, from where it stood to where the call left it."""
    counted = [decision for decision in outcome.decisions if not decision.repeated]
    last = {decision.customer: decision for decision in counted}
    first = {decision.customer: decision for decision in reversed(counted)}
    for row in outcome.rows:
        terms = policy_of(row.policy, outcome.default).terms
        began = first[row.customer]
        if not began.pinned:
            before = rules.priority_of(began.pending_documents + 1, terms.thresholds)
            announce_priority(before, last[row.customer])
