"""A proxy cuts the connection around COMMIT, and the caller repeats its check."""

from collections.abc import Callable

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

Check = Callable[[str, str], Decision]
"""Of a customer, and a document; an empty one has no name."""


def check(customer: str, document: str) -> Decision:
    return services.check(customer, document=document)


def check_many(customer: str, document: str) -> Decision:
    return services.check_many([(customer, document) if document else customer])[0]


def cut_and_repeat(
    way: Check, customer: str, documents: list[str], fate: Fate, *, final: bytes
) -> list[Decision]:
    """Cut each check at the message that has these bytes; what the repeated checks gave."""
    direct = connection.settings_dict
    default_port = {"postgresql": 5432, "mysql": 3306}[connection.vendor]
    server = (direct["HOST"] or "127.0.0.1", int(direct["PORT"] or default_port))
    decisions = []
    with (
        CuttingProxy(server, fatal=final) as proxy,
        connection_elsewhere(HOST="127.0.0.1", PORT=proxy.port),
    ):
        for document in documents:
            proxy.cut_at_the_next(fate)
            with pytest.raises((InterfaceError, OperationalError)):
                way(customer, document)
            connection.close()
            decisions.append(way(customer, document))
    return decisions


@pytest.mark.parametrize("way", [check, check_many])
def test_a_document_whose_check_was_cut_and_repeated_counts_once(way: Check, full: bool) -> None:
    cuts = 1_000 if full else 30
    # What makes a check final: on PostgreSQL a single one is one statement. On MariaDB a query
    # begins with a byte of its own; READ COMMITTED is in another one.
    final = {"postgresql": b"COMMIT", "mysql": b"\x03COMMIT"}[connection.vendor]
    if connection.vendor == "postgresql" and way is check:
        final = b"doc_priority_check("

    for moment, fate, repeated in [
        ("before", never_sent, {False}),
        ("after", reply_lost, {True}),
        ("during", cut_meanwhile, {False, True}),
    ]:
        names = [f"D-{number}" for number in range(cuts)]
        decisions = cut_and_repeat(way, moment, names, fate, final=final)

        found = sum(decision.repeated for decision in decisions)
        counted = 1 - Counter.objects.get(customer=moment).pending_documents
        print(
            f"\n{way.__name__}, cut {moment} COMMIT: {cuts:,} cuts, counted {counted:,} times; "
            f"{found:,} repeats were given the first decision"
        )
        assert counted == cuts, moment
        assert {decision.repeated for decision in decisions} <= repeated, moment
        kept = DocumentDecision.objects.filter(customer=moment).order_by("-pending_documents")
        stored = list(kept.values_list("document", "pending_documents"))
        assert stored == [(name, -number) for number, name in enumerate(names)], moment
        told = [(decision.document, decision.pending_documents) for decision in decisions]
        assert told == stored, moment


@pytest.mark.parametrize("way", [check, check_many])
def test_without_a_name_a_repeated_document_counts_twice(way: Check) -> None:
    """The control: what is cut after its COMMIT has been counted."""
    final = {
        ("postgresql", check): b"doc_priority_check(",
        ("postgresql", check_many): b"COMMIT",
        ("mysql", check): b"INSERT INTO doc_priority_counter",
        ("mysql", check_many): b"\x03COMMIT",
    }[connection.vendor, way]
    way("acme", "")  # else the first check has more than one statement

    cut_and_repeat(way, "acme", [""] * 10, reply_lost, final=final)

    assert Counter.objects.get().pending_documents == -20
