"""Checks whose connection is cut around COMMIT, and that are repeated."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError, connection

from doc_priority import services
from doc_priority.types import Decision
from tests.concurrency.proxy import CuttingProxy, Fate
from tests.elsewhere import connection_elsewhere

PORTS = {"postgresql": 5432, "mysql": 3306}
Check = Callable[[str, str], Decision]
"""Of a customer, and a document; an empty one has no name."""


def check(customer: str, document: str) -> Decision:
    return services.check(customer, document=document)


def check_many(customer: str, document: str) -> Decision:
    return services.check_many([(customer, document) if document else customer])[0]


WAYS = (check, check_many)


def committing(way: Check, *, named: bool = True) -> bytes:
    """What is in the message that makes the check final."""
    if connection.vendor == "postgresql":
        return b"doc_priority_check(" if way is check else b"COMMIT"
    if way is check and not named:
        return b"INSERT INTO doc_priority_counter"
    return b"\x03COMMIT"  # a query from its first word on; READ COMMITTED is another one


@contextmanager
def cutting_proxy(fatal: bytes) -> Iterator[CuttingProxy]:
    """Between this connection and the server; others go straight to it."""
    direct = connection.settings_dict
    server = (direct["HOST"] or "127.0.0.1", int(direct["PORT"] or PORTS[connection.vendor]))
    with (
        CuttingProxy(server, fatal=fatal) as proxy,
        connection_elsewhere(HOST="127.0.0.1", PORT=proxy.port),
    ):
        yield proxy


def cut_and_repeat(check_it: Callable[[], Decision], proxy: CuttingProxy, fate: Fate) -> Decision:
    """The decision that the repeated check gave."""
    proxy.cut_at_the_next(fate)
    try:
        check_it()
    except (InterfaceError, OperationalError):
        connection.close()
        return check_it()
    raise AssertionError("the connection was not cut")
