"""The portal that is attacked: each attack finds it as if nobody had been there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.test import Client, override_settings
from django.utils import translation
from knox.models import AuthToken

from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from tests.api.conftest import Caller
from tests.api.reach import make_two_customers
from tests.proof.hostile.roles import REACH
from tests.stored import everything_stored

KEPT = (
    DocumentDecision,
    Counter,
    Customer,
    Policy,
    Event,
    LogEntry,
    AuthToken,
    Session,
    User,
    Group,
)
"""In the order in which they can be erased."""

Stored = dict[str, list[tuple[object, ...]]]


@contextmanager
def empty_portal() -> Iterator[None]:
    """What is done in it is committed, and gone afterwards."""
    try:
        yield
    finally:
        translation.deactivate()
        for model in KEPT:
            model.objects.all().delete()


@contextmanager
def two_customers() -> Iterator[None]:
    """A portal with one customer within the reach of clients, and one out of it."""
    with empty_portal(), override_settings(DOC_PRIORITY=REACH):
        make_two_customers()
        yield


@contextmanager
def undone() -> Iterator[None]:
    """What is done in it is not kept."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def stored() -> Stored:
    """All that the app and Django keep, sessions apart: who looks may have a new one."""
    return everything_stored("doc_priority", "admin", "auth", "knox")


def superuser(username: str = "root") -> User:
    return User.objects.create_superuser(username)


def browser_of(user: User | None, *, strict: bool = False) -> Client:
    """Signed in; what nobody foresaw is answered with 500, as a server does."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=strict)
    if user is not None:
        client.force_login(user)
    return client


def caller_of(user: User | None) -> Caller:
    """Asks the REST API with a token of this user, or with none."""
    token = AuthToken.objects.create(user)[1] if user else ""
    return Caller(token, client=Client(raise_request_exception=False))


def error_of(answer: Any) -> str:
    """What nobody foresaw, in short; empty where nothing went wrong so."""
    error = getattr(answer, "exc_info", None)
    return repr(error[1])[:120] if error else ""
