"""A replica that the portal's reads go to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.test import override_settings

REPLICA = "replica"


class ReadsFromReplica:
    """A portal's router; whoever signs in is looked for on the primary."""

    def __init__(self) -> None:
        self.on_the_primary = {"auth", "knox", "sessions"}

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return DEFAULT_DB_ALIAS if model._meta.app_label in self.on_the_primary else REPLICA

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        return True


@contextmanager
def replica(**place: Any) -> Iterator[None]:
    """Another connection, with these settings in place of the primary's.

    What a test writes in a transaction of its own is not committed, so that a replica in the same
    place never gets to know of it.
    """
    connections.settings[REPLICA] = {**connections.settings[DEFAULT_DB_ALIAS], **place}
    try:
        with override_settings(DATABASE_ROUTERS=[ReadsFromReplica()]):
            yield
    finally:
        connections[REPLICA].close()
        del connections[REPLICA]
        del connections.settings[REPLICA]
