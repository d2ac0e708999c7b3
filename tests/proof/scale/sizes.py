"""Databases with so many customers each, all there at once, so that they can be asked in turns."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client

from tests.proof.scale.filling import fill

OLD = 20_000
"""Decisions for the batches of prune that are compared."""


@dataclass(frozen=True)
class Size:
    """A database with so many customers, and somebody who has signed in to its portal."""

    customers: int
    connection: BaseDatabaseWrapper
    client: Client

    def enter(self) -> None:
        """From now on this is the default database of this thread."""
        connections["default"] = self.connection
        ContentType.objects.clear_cache()  # it remembers another database's numbers


@contextmanager
def sizes(wanted: Sequence[int], *, old: int) -> Iterator[list[Size]]:
    """One of each, filled; so many old decisions are in the last. They are gone afterwards."""
    usual = connections["default"]
    with ExitStack() as stack:
        stack.callback(connections.__setitem__, "default", usual)
        few = min(old, OLD)
        yield [
            stack.enter_context(
                _size(usual, customers, old=old if customers == wanted[-1] else few)
            )
            for customers in wanted
        ]


@contextmanager
def _size(usual: BaseDatabaseWrapper, customers: int, *, old: int) -> Iterator[Size]:
    name = f"{usual.settings_dict['NAME']}_{customers}"
    _make(usual, name)
    own = usual.copy()
    own.settings_dict["NAME"] = name
    size = Size(customers, own, Client())
    try:
        size.enter()
        fill(customers=customers, old=old)
        size.client.force_login(User.objects.create_superuser("root"))
        yield size
    finally:
        own.close()
        _drop(usual, name)


def _make(usual: BaseDatabaseWrapper, name: str) -> None:
    """A copy of the empty test database; nobody may be connected to that meanwhile."""
    usual.close()
    with usual._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{usual.settings_dict["NAME"]}"')


def _drop(usual: BaseDatabaseWrapper, name: str) -> None:
    with usual._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
