"""Create, change and delete named policies; a change applies to all customers of the policy."""

from collections.abc import Sequence

from django.db import IntegrityError
from django.db.models import ProtectedError

from doc_priority.counters import policy_kept
from doc_priority.counters.base import Database
from doc_priority.exceptions import InvalidPolicy, PolicyExists, PolicyInUse, PolicyNotFound
from doc_priority.models import Event, Policy
from doc_priority.selectors import database_now
from doc_priority.services.events import (
    Author,
    Facts,
    announce,
    author_of,
    observed,
    record_changes,
)
from doc_priority.services.transactions import perform
from doc_priority.signals import policy_changed
from doc_priority.types import POLICY_NAME_LENGTH, PolicyTerms
from doc_priority.validation import require_addressable, require_text, terms_of, to_microseconds


@observed("create_policy")
def create_policy(
    name: str,
    *,
    reset_interval: int,
    recovery: str,
    thresholds: Sequence[int],
    actor: object = None,
    reason: str = "",
    source: str = "",
) -> Policy:
    """Create a policy with a name of 1 to 64 characters, to be given to customers."""
    text = require_text(name, name="name", length=POLICY_NAME_LENGTH)
    if not text:
        raise InvalidPolicy("A policy needs a name; the empty one means the default policy.")
    require_addressable(text)
    terms = terms_of(reset_interval, recovery, thresholds)
    author = author_of(actor, reason, source)

    def create(database: Database) -> tuple[Policy, Event]:
        try:
            with database.transaction():
                policy = Policy(name=name)
                _write(database, policy, terms)
                return policy, _record(database, author, before={}, after=_facts(policy))
        except IntegrityError as error:
            raise PolicyExists(
                f"A policy with the name {name!r} exists already; change it, or use another name."
            ) from error

    policy, event = perform(create)
    announce(policy_changed, customer="", policy=name, event=event.pk)
    return policy


@observed("change_policy")
def change_policy(
    name: str,
    *,
    reset_interval: int | None = None,
    recovery: str | None = None,
    thresholds: Sequence[int] | None = None,
    actor: object = None,
    reason: str = "",
    source: str = "",
) -> Policy:
    """Change a policy for all its customers; what is not given stays as it is."""
    changes = {
        "reset_interval": reset_interval,
        "recovery": recovery,
        "thresholds": thresholds,
    }
    given = {field: value for field, value in changes.items() if value is not None}
    author = author_of(actor, reason, source)

    def change(database: Database) -> tuple[Policy, Event | None]:
        with database.transaction():
            policy = locked_policy(database, name)
            before = _facts(policy)
            asked = {**before, **given}
            terms = terms_of(asked["reset_interval"], asked["recovery"], asked["thresholds"])
            if terms == policy.terms:
                return policy, None
            _write(database, policy, terms)
            return policy, _record(database, author, before=before, after=_facts(policy))

    policy, event = perform(change)
    if event is not None:
        announce(policy_changed, customer="", policy=name, event=event.pk)
    return policy


@observed("delete_policy")
def delete_policy(name: str, *, actor: object = None, reason: str = "", source: str = "") -> None:
    """Delete a policy that no customer has."""
    author = author_of(actor, reason, source)

    def delete(database: Database) -> Event:
        with database.transaction():
            policy = locked_policy(database, name)
            before = _facts(policy)
            try:
                policy.delete()
            except ProtectedError as error:
                raise PolicyInUse(
                    f"The policy {name!r} is in use; give its customers another one first."
                ) from error
            return _record(database, author, before=before, after={})

    event = perform(delete)
    announce(policy_changed, customer="", policy=name, event=event.pk)


def locked_policy(database: Database, name: str, *, shared: bool = False) -> Policy:
    """The policy, locked until the transaction ends; with `shared` only against deletion."""
    require_text(name, name="policy", length=POLICY_NAME_LENGTH)
    if shared:
        policy = policy_kept(database.connection, name)
    else:
        policies = Policy.objects.using(database.alias).select_for_update()
        policy = policies.filter(name=name).first()
    if policy is None:
        raise PolicyNotFound(f"There is no policy with the name {name!r}; create it first.")
    return policy


def _write(database: Database, policy: Policy, terms: PolicyTerms) -> None:
    policy.reset_interval = terms.reset_interval
    policy.recovery = terms.recovery.value
    policy.thresholds = terms.thresholds
    policy.save(using=database.alias)


def _facts(policy: Policy) -> Facts:
    return {
        "policy": policy.name,
        "reset_interval": policy.reset_interval,
        "recovery": str(policy.recovery),
        "thresholds": policy.thresholds,
    }


def _record(database: Database, author: Author, *, before: Facts, after: Facts) -> Event:
    now = to_microseconds(database_now())
    changes = {"": (before, after)}  # no customer's
    return record_changes(Event.Kind.POLICY, changes, author, now=now, alias=database.alias)[""]
