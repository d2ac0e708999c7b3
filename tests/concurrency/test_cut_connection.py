"""A connection that breaks around COMMIT: the caller repeats the check, and it counts once."""

from collections.abc import Callable, Iterator

import pytest
from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    OperationalError,
    connection,
    connections,
)

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from doc_priority.types import Decision
from tests.concurrency.proxy import CuttingProxy, Fate, cut_meanwhile, never_sent, reply_lost

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True),
    pytest.mark.mariadb,
    pytest.mark.postgresql,
]

PORTS = {"postgresql": 5432, "mysql": 3306}
Check = Callable[[str], Decision]


def check(document: str) -> Decision:
    return services.check("acme", document=document)


def check_many(document: str) -> Decision:
    return services.check_many([("acme", document)])[0]


CUTS = {check: 200, check_many: 50}


def committing(way: Check) -> bytes:
    """What is in the message that makes the check final."""
    if connection.vendor == "mysql":
        return b"\x03COMMIT"  # a query from its first word on; READ COMMITTED is another one
    return b"doc_priority_check(" if way is check else b"COMMIT"


@pytest.fixture(params=[check, check_many])
def way(request: pytest.FixtureRequest) -> Check:
    return request.param


@pytest.fixture
def proxy(way: Check, monkeypatch: pytest.MonkeyPatch) -> Iterator[CuttingProxy]:
    """Between this connection and the server; others go straight to it."""
    direct = connection.settings_dict
    server = (direct["HOST"] or "127.0.0.1", int(direct["PORT"] or PORTS[connection.vendor]))
    with CuttingProxy(server, fatal=committing(way)) as proxy, monkeypatch.context() as patch:
        connection.close()
        through = {**direct, "HOST": "127.0.0.1", "PORT": proxy.port}
        patch.setattr(connections[DEFAULT_DB_ALIAS], "settings_dict", through)
        yield proxy
        connection.close()


def check_and_repeat(way: Check, document: str, proxy: CuttingProxy, fate: Fate) -> Decision:
    proxy.cut_at_the_next(fate)
    with pytest.raises((InterfaceError, OperationalError)):
        way(document)
    connection.close()
    return way(document)


@pytest.mark.parametrize(
    ("fate", "repeated"),
    [(never_sent, {False}), (reply_lost, {True}), (cut_meanwhile, {False, True})],
)
def test_a_check_that_was_cut_and_repeated_counts_once(
    way: Check, proxy: CuttingProxy, fate: Fate, repeated: set[bool]
) -> None:
    cuts = CUTS[way]
    decisions = [check_and_repeat(way, f"D-{number}", proxy, fate) for number in range(cuts)]
    assert {decision.repeated for decision in decisions} <= repeated
    assert [-decision.pending_documents for decision in decisions] == list(range(cuts))
    assert Counter.objects.get().pending_documents == 1 - cuts
    kept = DocumentDecision.objects.order_by("-pending_documents")
    assert list(kept.values_list("document", "pending_documents")) == [
        (decision.document, decision.pending_documents) for decision in decisions
    ]
