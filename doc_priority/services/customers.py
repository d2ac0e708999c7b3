"""Customers made, changed and erased."""

from typing import Any

from django.db import IntegrityError
from django.db.models import F, QuerySet

from doc_priority.clock import moment_of
from doc_priority.counters.policies import policy_kept
from doc_priority.counters.rows import policy_of
from doc_priority.exceptions import CustomerExists, CustomerOutOfReach, PolicyNotFound
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.services.announcements import announce, announce_priority
from doc_priority.services.deciding import not_found, standing_of
from doc_priority.services.locking import locked, with_counters
from doc_priority.services.observed import observed
from doc_priority.services.recording import Author, author_of, event_of, record
from doc_priority.services.transactions import Unit, alias_for_write, perform
from doc_priority.signals import customer_forgotten, policy_changed
from doc_priority.types import DOT_SEGMENTS, NAME_LENGTH, POLICY_NAME_LENGTH, Decision
from doc_priority.validation import require_key, require_text


@observed("create_customer")
def create_customer(
    customer: str,
    *,
    name: str = "",
    policy: str | None = None,
    among: QuerySet[Customer] | None = None,
) -> Customer:
    """Make a customer, under a named policy or the default one.

    It must be `among` these once it is made, else nothing is: for callers who may not reach
    everybody, and who must not learn either whether somebody out of reach exists.
    """
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)
    return perform(lambda unit: _create(unit, customer, name, policy, among), at=moment_of(None))


@observed("rename_customer")
def rename_customer(customer: str, *, name: str) -> Customer:
    """Give the customer another name; its key stays."""
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)
    return perform(lambda unit: _rename(unit, customer, name), at=moment_of(None))


@observed("keep_customer")
def keep_customer(customer: str, *, name: str) -> Customer:
    """Make the customer with this name, or give the one that is there this name.

    For portals that keep customers in step with a model of their own: whether a document has made
    the customer already, or makes it at this moment, does not matter. Nothing else of it changes.
    """
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)
    return perform(lambda unit: _keep(unit, customer, name), at=moment_of(None))


@observed("set_policy")
def set_policy(
    customer: str,
    *,
    policy: str | None,
    actor: object = None,
    reason: str = "",
    source: str = "",
) -> Decision:
    """Put the customer under a named policy, or with None under the default one."""
    require_key(customer)
    author = author_of(actor, reason, source)

    def change(unit: Unit) -> tuple[Decision, Decision, Event | None]:
        known = unit.without_creating()
        return with_counters(known, lambda: _set_policy(known, customer, policy, author))

    before, after, event = perform(change, at=moment_of(None))
    if event is not None:
        announce(policy_changed, customer=customer, policy=after.policy, event=event.pk)
        announce_priority(before.priority, after)
    return after


@observed("change_customer")
def change_customer(
    customer: str,
    *,
    name: str | None = None,
    policy: str | None = None,
    actor: object = None,
    reason: str = "",
    source: str = "",
    among: QuerySet[Customer] | None = None,
) -> Decision:
    """Change name and policy, both or neither.

    What is None stays as it is, and an empty policy is the default one. The customer must be
    `among` these afterwards, too, else nothing changes.
    """
    require_key(customer)
    if name is not None:
        require_text(name, name="name", length=NAME_LENGTH)
    author = author_of(actor, reason, source)

    def change(unit: Unit) -> tuple[Decision, Decision, Event | None]:
        known = unit.without_creating()
        return with_counters(known, lambda: _change(known, customer, name, policy, author, among))

    before, after, event = perform(change, at=moment_of(None))
    if event is not None:
        announce(policy_changed, customer=customer, policy=after.policy, event=event.pk)
        announce_priority(before.priority, after)
    return after


@observed("forget")
def forget(customer: str, *, actor: object = None, reason: str = "", source: str = "") -> None:
    """Erase a customer and what is kept of it: counter, decisions, events.

    One event stays, with the key, and says who erased it and why.
    """
    # Version 0.1.0 took them as keys, and migration 0002 asks for such customers to be forgotten.
    if customer not in DOT_SEGMENTS:
        require_key(customer)
    author = author_of(actor, reason, source)

    def erase(unit: Unit) -> Event:
        known = unit.without_creating()
        return with_counters(known, lambda: _forget(known, customer, author))

    event = perform(erase, at=moment_of(None))
    announce(customer_forgotten, customer=customer, event=event.pk)


def _create(
    unit: Unit, key: str, name: str, policy: str | None, among: QuerySet[Customer] | None
) -> Customer:
    try:
        with unit.transaction():
            customer = Customer(key=key, name=name, policy=_policy(unit, policy))
            customer.save(using=unit.alias)
            _require_among(among, key)
            return customer
    except IntegrityError as error:
        _require_among(among, key)
        raise CustomerExists(
            f"A customer with the key {key!r} exists already; use it, or another key."
        ) from error


def _require_among(among: QuerySet[Customer] | None, key: str) -> None:
    if among is not None and not among.using(alias_for_write()).filter(key=key).exists():
        raise CustomerOutOfReach(f"The customer {key!r} is not one that this user may reach.")


def _rename(unit: Unit, key: str, name: str) -> Customer:
    rows = Customer.objects.using(unit.alias)
    with unit.transaction():
        if not rows.filter(key=key).update(name=name):
            raise not_found(key)
        renamed: Customer = rows.get(key=key)
    return renamed


def _keep(unit: Unit, key: str, name: str) -> Customer:
    """In one statement, so that whoever makes the same customer cannot come in between."""
    # MariaDB takes any unique column for the one that decides, and refuses to be told which.
    told = unit.connection.features.supports_update_conflicts_with_target
    rows = Customer.objects.using(unit.alias)
    with unit.transaction():
        rows.bulk_create(
            [Customer(key=key, name=name)],
            update_conflicts=True,
            update_fields=["name"],
            unique_fields=["key"] if told else None,
        )
        kept: Customer = rows.get(key=key)
    return kept


def _policy(unit: Unit, name: str | None) -> Policy | None:
    """The policy of this name, which nobody deletes until the transaction ends."""
    if name is None:
        return None
    require_text(name, name="policy", length=POLICY_NAME_LENGTH)
    policy = policy_kept(unit.connection, name)
    if policy is None:
        raise PolicyNotFound(f"There is no policy with the name {name!r}; create it first.")
    return policy


def _set_policy(
    unit: Unit, key: str, name: str | None, author: Author
) -> tuple[Decision, Decision, Event | None]:
    try:
        policy = _policy(unit, name)
    except PolicyNotFound:
        locked(unit, [key], customers=True)  # that the customer is unknown is told first
        raise
    row = locked(unit, [key], customers=True)[key]
    before_terms = policy_of(row.policy, unit.conditions.default)
    after_terms = policy.named_terms if policy else unit.conditions.default
    before = standing_of(key, row.state, row.pin, before_terms, row.now)
    after = standing_of(key, row.state, row.pin, after_terms, row.now)
    if before.policy == after.policy:
        return before, after, None
    Customer.objects.using(unit.alias).filter(key=key).update(policy=policy)
    # Whoever waits for the counter with an older snapshot learns by this that it is too old.
    Counter.objects.using(unit.alias).filter(customer_id=key).update(
        pending_documents=F("pending_documents")
    )
    event = event_of(
        Event.Kind.POLICY,
        key,
        author,
        before=_told(before),
        after=_told(after),
        now=row.now,
    )
    record([event], alias=unit.alias)
    return before, after, event


def _change(
    unit: Unit,
    key: str,
    name: str | None,
    policy: str | None,
    author: Author,
    among: QuerySet[Customer] | None,
) -> tuple[Decision, Decision, Event | None]:
    if policy is None:
        row = locked(unit, [key], customers=True)[key]
        terms = policy_of(row.policy, unit.conditions.default)
        stays = standing_of(key, row.state, row.pin, terms, row.now)
        changed: tuple[Decision, Decision, Event | None] = stays, stays, None
    else:
        changed = _set_policy(unit, key, policy or None, author)
    if name is not None:
        Customer.objects.using(unit.alias).filter(key=key).update(name=name)
    _require_among(among, key)
    return changed


def _told(decision: Decision) -> dict[str, Any]:
    return {
        "policy": decision.policy,
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
    }


def _forget(unit: Unit, key: str, author: Author) -> Event:
    row = locked(unit, [key], customers=True)[key]
    standing = standing_of(
        key, row.state, row.pin, policy_of(row.policy, unit.conditions.default), row.now
    )
    documents, _ = DocumentDecision.objects.using(unit.alias).filter(customer_id=key).delete()
    events, _ = Event.objects.using(unit.alias).filter(customer=key).delete()
    Customer.objects.using(unit.alias).get(key=key).delete()
    event = event_of(
        Event.Kind.FORGET,
        key,
        author,
        before={**_told(standing), "documents": documents, "events": events},
        after={},
        now=row.now,
    )
    record([event], alias=unit.alias)
    return event
