"""Customers made, named and put under a policy."""

from django.db import IntegrityError
from django.db.models import F, QuerySet

from doc_priority.clock import moment_of
from doc_priority.counters import policy_kept
from doc_priority.counters.rows import peek_decision, policy_of
from doc_priority.exceptions import (
    CustomerExists,
    CustomerOutOfReach,
    PolicyNotFound,
    not_found,
)
from doc_priority.models import Counter, Customer, Event, Policy
from doc_priority.querysets import alias_for_write
from doc_priority.services.events import (
    Author,
    announce,
    announce_priority,
    author_of,
    facts_of,
    observed,
    record_change,
)
from doc_priority.services.transactions import (
    Database,
    locked,
    on_existing,
    perform,
)
from doc_priority.signals import policy_changed
from doc_priority.types import NAME_LENGTH, POLICY_NAME_LENGTH, Decision
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

    def create(database: Database) -> Customer:
        try:
            with database.transaction():
                made = Customer(key=customer, name=name, policy=_policy(database, policy))
                made.save(using=database.alias)
                _require_among(among, customer)
                return made
        except IntegrityError as error:
            _require_among(among, customer)
            raise CustomerExists(
                f"A customer with the key {customer!r} exists already; use it, or another key."
            ) from error

    return perform(create, at=moment_of(None))


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

    return perform(rename, at=moment_of(None))


@observed("keep_customer")
def keep_customer(customer: str, *, name: str) -> Customer:
    """Make the customer with this name, or give the one that is there this name.

    For portals that keep customers in step with a model of their own: whether a document has made
    the customer already, or makes it at this moment, does not matter. Nothing else of it changes.
    """
    require_key(customer)
    require_text(name, name="name", length=NAME_LENGTH)

    def keep(database: Database) -> Customer:
        # One statement, so that whoever makes the same customer cannot come in between. MariaDB
        # takes any unique column for the one that decides, and refuses to be told which.
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

    return perform(keep, at=moment_of(None))


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
    return _change(customer, {"policy": policy}, author)


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
    """Set the name and the policy where `changes` has them; there None is the default policy."""

    def change(database: Database) -> tuple[Decision, Decision, Event | None]:
        rows = Customer.objects.using(database.alias).filter(key=key)
        try:
            # First of all: locks are taken in the order policy, customer, counter.
            policy = _policy(database, changes.get("policy"))
        except PolicyNotFound:
            # If the customer is unknown, too, that is what the caller is told.
            locked(database, [key], customers=True)
            raise
        row = locked(database, [key], customers=True)[key]
        old = policy_of(row.policy, database.conditions.default)
        before = after = peek_decision(key, row.state, row.pin, old, row.now)
        event = None
        if "policy" in changes:
            new = policy.named_terms if policy else database.conditions.default
            after = peek_decision(key, row.state, row.pin, new, row.now)
        if before.policy != after.policy:
            rows.update(policy=policy)
            # Who waits for the counter with an older snapshot learns by this that it is too old.
            Counter.objects.using(database.alias).filter(customer_id=key).update(
                pending_documents=F("pending_documents")
            )
            event = record_change(
                Event.Kind.POLICY,
                key,
                author,
                before={"policy": before.policy, **facts_of(before)},
                after={"policy": after.policy, **facts_of(after)},
                now=row.now,
                alias=database.alias,
            )
        if "name" in changes:
            rows.update(name=changes["name"])
        _require_among(among, key)
        return before, after, event

    before, after, event = perform(on_existing(change), at=moment_of(None))
    if event is not None:
        announce(policy_changed, customer=key, policy=after.policy, event=event.pk)
        announce_priority(before.priority, after)
    return after


def _policy(database: Database, name: str | None) -> Policy | None:
    """The policy of this name, which nobody deletes until the transaction ends."""
    if name is None:
        return None
    require_text(name, name="policy", length=POLICY_NAME_LENGTH)
    policy = policy_kept(database.connection, name)
    if policy is None:
        raise PolicyNotFound(f"There is no policy with the name {name!r}; create it first.")
    return policy


def _require_among(among: QuerySet[Customer] | None, key: str) -> None:
    if among is not None and not among.using(alias_for_write()).filter(key=key).exists():
        raise CustomerOutOfReach(f"The customer {key!r} is not one that this user may reach.")
