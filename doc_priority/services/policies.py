"""Named policies made, changed and deleted; everyone who has one moves with it."""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError
from django.db.models import ProtectedError

from doc_priority.clock import moment_of
from doc_priority.exceptions import InvalidPolicy, PolicyExists, PolicyInUse, PolicyNotFound
from doc_priority.models import Event, Policy
from doc_priority.selectors import database_now
from doc_priority.services.announcements import announce
from doc_priority.services.observed import observed
from doc_priority.services.recording import Author, author_of, event_of, record
from doc_priority.services.transactions import Unit, perform
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
    """Make a policy that customers can be given, by a name of 1 to 64 characters."""
    _require_name(name)
    terms = terms_of(reset_interval, recovery, thresholds)
    author = author_of(actor, reason, source)
    policy, event = perform(lambda unit: _create(unit, name, terms, author), at=moment_of(None))
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
    """Change what a policy says, for everyone who has it; what is not given stays."""
    changes = {
        "reset_interval": reset_interval,
        "recovery": recovery,
        "thresholds": thresholds,
    }
    given = {field: value for field, value in changes.items() if value is not None}
    author = author_of(actor, reason, source)
    policy, event = perform(lambda unit: _change(unit, name, given, author), at=moment_of(None))
    if event is not None:
        announce(policy_changed, customer="", policy=name, event=event.pk)
    return policy


@observed("delete_policy")
def delete_policy(name: str, *, actor: object = None, reason: str = "", source: str = "") -> None:
    """Delete a policy that no customer has."""
    author = author_of(actor, reason, source)
    event = perform(lambda unit: _delete(unit, name, author), at=moment_of(None))
    announce(policy_changed, customer="", policy=name, event=event.pk)


def _require_name(name: object) -> None:
    text = require_text(name, name="name", length=POLICY_NAME_LENGTH)
    if not text:
        raise InvalidPolicy("A policy needs a name; the empty one means the default policy.")
    require_addressable(text)


def _create(unit: Unit, name: str, terms: PolicyTerms, author: Author) -> tuple[Policy, Event]:
    try:
        with unit.transaction():
            policy = Policy(name=name)
            _write(policy, terms, unit)
            return policy, _record(unit, author, before={}, after=_told(policy))
    except IntegrityError as error:
        raise PolicyExists(
            f"A policy with the name {name!r} exists already; change it, or use another name."
        ) from error


def _change(
    unit: Unit, name: str, given: dict[str, Any], author: Author
) -> tuple[Policy, Event | None]:
    with unit.transaction():
        policy = _locked(unit, name)
        before = _told(policy)
        asked = {**before, **given}
        terms = terms_of(asked["reset_interval"], asked["recovery"], asked["thresholds"])
        if terms == policy.terms:
            return policy, None
        _write(policy, terms, unit)
        return policy, _record(unit, author, before=before, after=_told(policy))


def _delete(unit: Unit, name: str, author: Author) -> Event:
    with unit.transaction():
        policy = _locked(unit, name)
        before = _told(policy)
        try:
            policy.delete()
        except ProtectedError as error:
            raise PolicyInUse(
                f"The policy {name!r} is in use; give its customers another one first."
            ) from error
        return _record(unit, author, before=before, after={})


def _locked(unit: Unit, name: str) -> Policy:
    require_text(name, name="policy", length=POLICY_NAME_LENGTH)
    policy = Policy.objects.using(unit.alias).select_for_update().filter(name=name).first()
    if policy is None:
        raise PolicyNotFound(f"There is no policy with the name {name!r}; create it first.")
    return policy


def _write(policy: Policy, terms: PolicyTerms, unit: Unit) -> None:
    policy.reset_interval = terms.reset_interval
    policy.recovery = terms.recovery.value
    policy.thresholds = terms.thresholds
    policy.save(using=unit.alias)


def _record(unit: Unit, author: Author, *, before: dict[str, Any], after: dict[str, Any]) -> Event:
    now = to_microseconds(database_now())
    event = event_of(Event.Kind.POLICY, "", author, before=before, after=after, now=now)
    return record([event], alias=unit.alias)[0]


def _told(policy: Policy) -> dict[str, Any]:
    return {
        "policy": policy.name,
        "reset_interval": policy.reset_interval,
        "recovery": str(policy.recovery),
        "thresholds": policy.thresholds,
    }
