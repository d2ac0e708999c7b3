"""A portal in which every text that can be stored is one of those that would be markup."""

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType

from doc_priority import services
from doc_priority.models import Customer
from tests.admin.customers import at_priority
from tests.factories import PolicyFactory, now

KEYS = ("javascript:window.hacked", "data:hacked@~", "-hacked", "@hacked", ".hacked")
"""Allowed as keys."""

KINDS = ("name", "policy", "document", "reason", "actor", "source", "history")
RECOVERIES = ("idle", "window", "halving")


def tagged(text: str, kind: str) -> str:
    """The text, so that one sees what it was stored as."""
    return f"{text} ({kind})"


def store(texts: Sequence[str], *, username: str) -> User:
    """Each as every kind of text; gives who did it all."""
    user = User.objects.create_superuser(username, first_name=username, last_name=username)
    for number, text in enumerate(texts):
        policy = PolicyFactory.create(name=tagged(text, "policy"), recovery=RECOVERIES[number % 3])
        key = KEYS[number] if number < len(KEYS) else f"customer-{number}"
        _store_customer(key, text, policy.name, user=user)
    _make_and_delete_policy(texts[0], user=user)
    return user


def _store_customer(key: str, text: str, policy: str, *, user: User) -> None:
    name, document, reason, actor, source = (
        tagged(text, kind) for kind in ("name", "document", "reason", "actor", "source")
    )
    customer: Customer = at_priority(7, key=key, name=name)
    services.change_customer(key, policy=policy, actor=user, reason=reason)
    services.check(key, document=document)
    services.reset(key, actor=actor, reason=reason, source=source)
    services.pin(key, priority=8, until=now() + timedelta(hours=1), actor=user, reason=reason)
    services.check(key, document=f"{document} again")
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(Customer),
        object_id=str(customer.pk),
        object_repr=name,
        action_flag=CHANGE,
        change_message=tagged(text, "history"),
    )


def _make_and_delete_policy(text: str, *, user: User) -> None:
    terms = {"reset_interval": 600, "recovery": "idle", "thresholds": [*range(-1, -9, -1)]}
    name = tagged(text, "gone")
    services.create_policy(name, **terms, actor=user, reason=text)  # type: ignore[arg-type]
    services.change_policy(name, reset_interval=900, actor=user, reason=text)
    services.delete_policy(name, actor=user, reason=text)
