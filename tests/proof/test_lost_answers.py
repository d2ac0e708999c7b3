"""A proxy cuts the connection around COMMIT, and the caller repeats its check."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import InterfaceError, OperationalError, connection

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from doc_priority.types import Decision
from tests.concurrency.proxy import CuttingProxy, Fate, cut_meanwhile, never_sent, reply_lost
from tests.elsewhere import connection_elsewhere

pytestmark = [
    pytest.mark.proof,
    pytest.mark.postgresql,
    pytest.mark.mariadb,
    pytest.mark.django_db(transaction=True),
]

PORTS = {"postgresql": 5432, "mysql": 3306}

Check = Callable[[str], Decision]
"""Of a document; an empty one has no name."""


def check(document: str) -> Decision:
    return services.check("acme", document=document)


def check_many(document: str) -> Decision:
    return services.check_many([("acme", document) if document else "acme"])[0]


@contextmanager
def cutting_proxy(message: bytes) -> Iterator[CuttingProxy]:
    """Between this connection and its server; it can cut at a message that has these bytes."""
    direct = connection.settings_dict
    server = (direct["HOST"] or "127.0.0.1", int(direct["PORT"] or PORTS[connection.vendor]))
    with (
        CuttingProxy(server, fatal=message) as proxy,
        connection_elsewhere(HOST="127.0.0.1", PORT=proxy.port),
    ):
        yield proxy


def cut_and_repeat(check: Check, document: str, proxy: CuttingProxy, fate: Fate) -> Decision:
    """The decision that the repeated check gave."""
    proxy.cut_at_the_next(fate)
    with pytest.raises((InterfaceError, OperationalError)):
        check(document)
    connection.close()
    return check(document)


@pytest.mark.parametrize("check", [check, check_many])
@pytest.mark.parametrize(
    ("fate", "repeated"),
    [(never_sent, {False}), (reply_lost, {True}), (cut_meanwhile, {False, True})],
    ids=["before COMMIT", "after COMMIT", "during COMMIT"],
)
def test_a_document_whose_check_was_cut_and_repeated_counts_once(
    check: Check, fate: Fate, repeated: set[bool], full: bool
) -> None:
    cuts = 1_000 if full else 30
    # PostgreSQL makes a single check in one statement, which is final by itself.
    one_statement = connection.vendor == "postgresql" and check.__name__ == "check"
    # MariaDB's message begins with its kind; READ COMMITTED is another statement.
    commit = b"\x03COMMIT" if connection.vendor == "mysql" else b"COMMIT"

    with cutting_proxy(b"doc_priority_check(" if one_statement else commit) as proxy:
        decisions = [cut_and_repeat(check, f"D-{n}", proxy, fate) for n in range(cuts)]

    found = sum(decision.repeated for decision in decisions)
    counted = 1 - Counter.objects.get().pending_documents
    print(
        f"\n{check.__name__}, {fate.__name__}: {cuts:,} cuts, counted {counted:,} times; "
        f"{found:,} repeats were given the first decision"
    )
    assert counted == cuts
    assert {decision.repeated for decision in decisions} <= repeated
    assert [-decision.pending_documents for decision in decisions] == list(range(cuts))
    kept = DocumentDecision.objects.order_by("-pending_documents")
    assert list(kept.values_list("document", "pending_documents")) == [
        (decision.document, decision.pending_documents) for decision in decisions
    ]


@pytest.mark.parametrize("check", [check, check_many])
def test_without_a_name_a_repeated_document_counts_twice(check: Check) -> None:
    """The control: what is cut after its COMMIT has been counted."""
    message = b"\x03COMMIT" if connection.vendor == "mysql" else b"COMMIT"
    if check.__name__ == "check":
        one_statement = {"postgresql": b"doc_priority_check(", "mysql": b"INSERT INTO doc_priority"}
        message = one_statement[connection.vendor]
    check("")  # else the first check has more than one statement

    with cutting_proxy(message) as proxy:
        for _ in range(10):
            cut_and_repeat(check, "", proxy, reply_lost)

    assert Counter.objects.get().pending_documents == -20
