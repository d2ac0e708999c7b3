"""Count documents and decide on them, one or many in a call; peek without counting."""

from collections import Counter as Tally
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from doc_priority import selectors
from doc_priority.clock import moment_of
from doc_priority.counters.base import Database
from doc_priority.counters.rows import (
    Counted,
    LockedRow,
    decisions_on,
    peek_decision,
    priority_before,
)
from doc_priority.exceptions import InvalidInput, not_found
from doc_priority.models import Customer, DocumentDecision
from doc_priority.services.events import announce_priority, observed
from doc_priority.services.transactions import (
    BATCH,
    locked,
    perform,
    perform_with_counters,
    require_all,
)
from doc_priority.signals import priority_changed
from doc_priority.types import Decision
from doc_priority.validation import require_document, require_key, require_list, shortened

NamedDocument = tuple[str, str]
Item = str | NamedDocument


@observed("check")
def check(
    customer: str, *, document: str = "", at: datetime | None = None, must_exist: bool = False
) -> Decision:
    """Count one document of this customer and decide on its priority.

    A document that is named counts once: a repeated check gives the same decision again. With
    `must_exist` no customer is created, whatever CREATE_CUSTOMERS says.
    """
    require_key(customer)
    require_document(document)

    def count(database: Database) -> Counted | None:
        while True:
            counted = database.timed(database.counters.check, customer, document)
            # None although a customer may be created: others deleted it right after that.
            if counted is not None or not database.conditions.create:
                return counted

    counted = perform(count, at=at, must_exist=must_exist)
    if counted is None:
        raise not_found(customer)
    decision, before = counted
    announce_priority(before, decision)
    return decision


@observed("peek")
def peek(customer: str, *, at: datetime | None = None) -> Decision:
    """What the customer's next document would get by what holds now; nothing is changed."""
    require_key(customer)
    counter = selectors.stored_counter(customer, at=moment_of(at))
    if counter is None:
        raise not_found(customer)
    return peek_decision(customer, *counter)


@observed("check_many")
def check_many(
    items: Iterable[Item], *, at: datetime | None = None, must_exist: bool = False
) -> list[Decision]:
    """Count one document per item and decide on each, as if checked one by one in this order.

    An item is a customer's key, or a key and a document; one call takes up to 100,000. All of them
    count, or none does. With `must_exist` no customer is created, whatever CREATE_CUSTOMERS says.
    """
    asked = require_list(items, of="items")
    tally = _tally(asked)
    if not tally:
        return []

    def count(database: Database) -> tuple[list[Decision], list[LockedRow]]:
        if any(type(item) is tuple for item in tally):
            pairs = [(item, "") if isinstance(item, str) else item for item in asked]
            return _count_pairs(database, pairs)
        rows, following = _count(database, {str(key): number for key, number in tally.items()})
        if len(following) == 1:
            return list(*following.values()), rows
        return [next(following[key]) for key in asked], rows  # type: ignore[index]

    decisions, rows = perform_with_counters(count, at=at, must_exist=must_exist)
    if priority_changed.has_listeners(Customer):
        # One signal for each customer, from where it stood to where the call left it.
        counted = [decision for decision in decisions if not decision.repeated]
        last = {decision.customer: decision for decision in counted}
        first = {decision.customer: decision for decision in reversed(counted)}
        for row in rows:
            before = priority_before(first[row.customer], row.policy.terms)
            announce_priority(before, last[row.customer])
    return decisions


def _tally(asked: list[Item]) -> Tally[Item]:
    """The number of times that each item is asked for; raises an error for an invalid item.

    A pair may be a list, as in JSON; in `asked` it is replaced by a tuple.
    """
    try:
        tally = Tally(asked)
    except TypeError:
        asked[:] = [tuple(item) if isinstance(item, list) else item for item in asked]
        try:
            tally = Tally(asked)
        except TypeError as error:
            raise InvalidInput(
                f"An item is a key or a pair of key and document; one of these is not ({error})."
            ) from error
    for item in tally:
        if type(item) is not tuple:
            require_key(item)
        elif len(item) == 2:
            require_key(item[0])
            require_document(item[1])
        else:
            raise InvalidInput(
                f"{shortened(item)} is not an item; give a key or a pair of key and document."
            )
    return tally


def _count_pairs(
    database: Database, pairs: list[NamedDocument]
) -> tuple[list[Decision], list[LockedRow]]:
    """A document that was decided before, also by an earlier pair, is not counted again."""
    # With their customers: on MariaDB a decision's foreign key locks the customer, and there
    # customers are locked before counters.
    locked(database, {key for key, _ in pairs}, customers=True)
    named = dict.fromkeys(pair for pair in pairs if pair[1])
    decided = _decided_before(named, alias=database.alias)
    documents = Tally(key for key, document in pairs if not document)
    documents.update(key for key, document in named if (key, document) not in decided)
    rows, following = _count(database, documents)

    decisions, kept = [], []
    for pair in pairs:
        if pair in decided:
            decision = replace(decided[pair], repeated=True)
        else:
            key, document = pair
            decision = next(following[key])
            if document:
                decision = decided[pair] = replace(decision, document=document)
                kept.append(DocumentDecision.of(decision))
        decisions.append(decision)
    DocumentDecision.objects.using(database.alias).bulk_create(kept, batch_size=BATCH)
    return decisions, rows


def _count(
    database: Database, documents: Mapping[str, int]
) -> tuple[list[LockedRow], dict[str, Iterator[Decision]]]:
    """Count these numbers of documents; the rows, and each customer's decisions in order."""
    documents = {key: documents[key] for key in sorted(documents)}
    rows = database.timed(database.counters.count_many, documents)
    require_all(documents, {row.customer for row in rows})
    return rows, {
        row.customer: iter(
            decisions_on(row, documents[row.customer], first=row.before.updated_at is None)
        )
        for row in rows
    }


def _decided_before(
    named: Collection[NamedDocument], *, alias: str
) -> dict[NamedDocument, Decision]:
    """The decisions that earlier calls made for these documents."""
    documents_of: dict[str, list[str]] = {}
    for key, document in named:
        documents_of.setdefault(key, []).append(document)
    found: dict[NamedDocument, Decision] = {}
    for keys, documents in _batches(documents_of):
        rows = DocumentDecision.objects.using(alias).filter(
            customer_id__in=keys, document__in=documents
        )
        found.update({(row.customer_id, row.document): row.decision for row in rows})
    return found


def _batches(documents_of: Mapping[str, list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    """Customers and their documents, few enough for one statement.

    A statement for several customers may also find decisions that were not asked for, if two of
    them have documents of the same name. The caller does not look at those.
    """
    keys: list[str] = []
    documents: list[str] = []
    for key, names in documents_of.items():
        for start in range(0, len(names), BATCH):
            part = names[start : start + BATCH]
            if keys and len(keys) + len(documents) + len(part) > BATCH:
                yield keys, documents
                keys, documents = [], []
            keys, documents = [*keys, key], [*documents, *part]
    if keys:
        yield keys, documents
