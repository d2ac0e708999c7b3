"""Bugs on purpose in who is believed, and in what one may learn, over REST."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Barrier
from typing import Any
from unittest.mock import patch

from django.contrib.auth.models import User
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied

from doc_priority import services
from doc_priority.api import reach
from doc_priority.api.views.corrections import PinEndpoint, ResetEndpoint
from doc_priority.exceptions import CustomerExists
from doc_priority.models import Customer
from example_project.portal.authentication import TokenAuthentication
from tests.concurrency.crowd import PATIENCE
from tests.proof.hostile.at_once import CROWD


@contextmanager
def looked_for_before_it_is_saved() -> Iterator[None]:
    """A view that looks whether there is one, and then saves; here everybody looks before."""
    all_have_looked = Barrier(CROWD)

    def naive(key: str, *, name: str, **_: Any) -> Customer:
        if Customer.objects.filter(key=key).exists():
            raise CustomerExists
        all_have_looked.wait(PATIENCE)
        return Customer.objects.create(key=key, name=name)

    with patch("doc_priority.api.views.customers.create_customer", naive):
        yield


@contextmanager
def session_without_token() -> Iterator[None]:
    """Sessions that are believed as they are."""
    with patch.object(SessionAuthentication, "enforce_csrf", lambda *_: None):
        yield


@contextmanager
def call_that_asks_for_another_right() -> Iterator[None]:
    """An operation that names the right of the one it was copied from."""
    right = PinEndpoint.operations["delete"]
    mistaken = replace(right, permission=ResetEndpoint.operations["post"].permission)
    with patch.dict(PinEndpoint.operations, {"delete": mistaken}):
        yield


@contextmanager
def remembered_token() -> Iterator[None]:
    """Tokens that are looked up once."""
    right, known = TokenAuthentication.authenticate_credentials, {}

    def remembering(self: Any, token: bytes) -> Any:
        if token not in known:
            known[token] = right(self, token)
        return known[token]

    with patch.object(TokenAuthentication, "authenticate_credentials", remembering):
        yield


@contextmanager
def counted_one_by_one() -> Iterator[None]:
    """A bulk that counts for each customer before it looks at the next one."""

    def naive(user: User, keys: Iterable[str]) -> None:
        for key in keys:
            reach.require_reach(user, [key])
            services.check(key)

    with patch("doc_priority.api.views.checks.require_reach", naive):
        yield


@contextmanager
def forbidden_where_it_is_foreign() -> Iterator[None]:
    """A reach that is refused as a right, so that one learns who is there."""

    def naive(user: User, keys: Iterable[str]) -> None:
        there = Customer.objects.filter(key__in=keys)
        if there.exclude(pk__in=reach.customers_of(user).values("pk")).exists():
            raise PermissionDenied
        reach.require_reach(user, keys)

    with patch("doc_priority.api.views.checks.require_reach", naive):
        yield
