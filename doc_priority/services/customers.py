"""Create customers, change their names and policies."""

from django.db import IntegrityError
from django.db.models import F, QuerySet

from doc_priority.counters.base import Database
from doc_priority.exceptions import CustomerExists, CustomerOutOfReach, PolicyNotFound, not_found
from doc_priority.models import Counter, Customer, Event
from doc_priority.querysets import alias_for_write
from doc_priority.services.events import (
    Author,
    announce,
    announce_priority,
    author_of,
    facts_of,
    observed,
    record_changes,
)
from doc_priority.services.policies import locked_policy
from doc_priority.services.transactions import locked, perform, perform_with_counters
from doc_priority.signals import policy_changed
from doc_priority.types import NAME_LENGTH, Decision
from doc_priority.validation import require_key, require_text


@observed("create_customer")
def create_customer(
    customer: str,
    *,
    name: str = "",
    policy: str | None = None,
    among: QuerySet[Customer] | None = None,
) -> Customer:
    """Create a customer, under a named policy or the default one.

    If the new customer is not `among` these, it is not created. That is for callers who may reach
    only some customers, and must not learn whether another customer exists.
    """
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)

    def create(database: Database) -> Customer:
        try:
            with database.transaction():
                named = None if policy is None else locked_policy(database, policy, shared=True)
                made = Customer(key=customer, name=name, policy=named)
                made.save(using=database.alias)
                _require_among(among, customer)
                return made
        except IntegrityError as error:
            _require_among(among, customer)
            raise CustomerExists(
                f"A customer with the key {customer!r} exists already; use it, or another key."
            ) from error

    return perform(create)


@observed("rename_customer")
def rename_customer(customer: str, *, name: str) -> Customer:
    """Give the customer another name; its key stays."""
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)

    def rename(database: Database) -> Customer:
        rows = Customer.objects.using(database.alias)
        with database.transaction():
            if not rows.filter(key=customer).update(name=name):
                raise not_found(customer)
            renamed: Customer = rows.get(key=customer)
        return renamed

    return perform(rename)


@observed("keep_customer")
def keep_customer(customer: str, *, name: str) -> Customer:
    """Create the customer with this name, or give the existing customer this name.

    For portals that keep customers in step with a model of their own. It does not matter whether a
    check has created the customer already or does so at the same time. Nothing else changes.
    """
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)

    def keep(database: Database) -> Customer:
        # One statement, so that another call cannot create the customer in between. On MariaDB a
        # conflict in any unique column is meant, and naming the column is an error.
        may_say_which = database.connection.features.supports_update_conflicts_with_target
        rows = Customer.objects.using(database.alias)
        with database.transaction():
            rows.bulk_create(
                [Customer(key=customer, name=name)],
                update_conflicts=True,
                update_fields=["name"],
                unique_fields=["key"] if may_say_which else None,
            )
            kept: Customer = rows.get(key=customer)
        return kept

    return perform(keep)


@observed("set_policy")
def set_policy(
    customer: str,
    *,
    policy: str | None,
    actor: object = None,
    reason: str = "",
    source: str = "",
) -> Decision:
    """Give the customer a named policy, or with None the default one."""
    require_key(customer)
    return _change(customer, {"policy": policy}, author_of(actor, reason, source))


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

    None leaves a value as it is, and an empty policy is the default one. If the changed customer
    is not `among` these, nothing changes.
    """
    require_key(customer)
    changes: dict[str, str | None] = {}
    if name is not None:
        changes["name"] = require_text(name, name="name", length=NAME_LENGTH)
    if policy is not None:
        changes["policy"] = policy or None
    return _change(customer, changes, author_of(actor, reason, source), among)


def _change(
    key: str,
    changes: dict[str, str | None],
    author: Author,
    among: QuerySet[Customer] | None = None,
) -> Decision:
    """Set the name and the policy if `changes` has them; None there is the default policy."""

    def change(database: Database) -> tuple[Decision, Decision, Event | None]:
        rows = Customer.objects.using(database.alias).filter(key=key)
        try:
            # Before the customer: everybody locks policy, customer and counter in this order.
            name = changes.get("policy")
            policy = None if name is None else locked_policy(database, name, shared=True)
        except PolicyNotFound:
            # If the customer is unknown, too, the error is about the customer.
            locked(database, [key], customers=True)
            raise
        row = locked(database, [key], customers=True)[key]
        before = after = row.peek()
        event = None
        if "policy" in changes:
            new = policy.named_terms if policy else database.conditions.default
            after = row.peek(new)
        if before.policy != after.policy:
            rows.update(policy=policy)
            # This changes nothing but makes a new version of the row: a transaction that waits for
            # the counter with an older snapshot gets a conflict, and does not use the old policy.
            Counter.objects.using(database.alias).filter(customer_id=key).update(
                pending_documents=F("pending_documents")
            )
            facts = (
                {"policy": before.policy, **facts_of(before)},
                {"policy": after.policy, **facts_of(after)},
            )
            event = record_changes(
                Event.Kind.POLICY, {key: facts}, author, now=row.now, alias=database.alias
            )[key]
        if "name" in changes:
            rows.update(name=changes["name"])
        _require_among(among, key)
        return before, after, event

    before, after, event = perform_with_counters(change, must_exist=True)
    if event is not None:
        announce(policy_changed, customer=key, policy=after.policy, event=event.pk)
        announce_priority(before.priority, after)
    return after


def _require_among(among: QuerySet[Customer] | None, key: str) -> None:
    if among is not None and not among.using(alias_for_write()).filter(key=key).exists():
        raise CustomerOutOfReach(f"The customer {key!r} is not one that this user may reach.")
