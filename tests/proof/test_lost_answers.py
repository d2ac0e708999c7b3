"""A proxy cuts the connection around COMMIT, and the caller repeats its check."""

import socket
from contextlib import suppress
from select import select
from threading import Thread
from typing import Self

import pytest
from django.db import InterfaceError, OperationalError, connection

from doc_priority import services
from doc_priority.models import Counter, DocumentDecision
from doc_priority.types import Decision
from tests.databases import connection_elsewhere

pytestmark = [
    pytest.mark.proof,
    pytest.mark.postgresql,
    pytest.mark.mariadb,
    pytest.mark.django_db(transaction=True),
]

CHUNK = 65_536
PATIENCE = 10


class CuttingProxy:
    """Passes everything on between a client and the server, until told to cut.

    Both sides are then shut down, as by a network that broke.
    """

    def __init__(self, server: tuple[str, int], *, fatal: bytes) -> None:
        self._server = server
        self._fatal = fatal
        self._moment = ""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = Thread(target=self._serve_all, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(PATIENCE)

    def cut_at_the_next(self, moment: str) -> None:
        """At the next message with the fatal words in it: `before` the server gets it, `after` it
        has answered, or `during` that, when it has the message and then nobody is there any more.
        """
        self._moment = moment

    def _serve_all(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, socket.create_connection(self._server, PATIENCE) as server:
                while self._passes_on(client, server):
                    pass
                for side in (client, server):
                    with suppress(OSError):  # the other end may have gone already
                        side.shutdown(socket.SHUT_RDWR)

    def _passes_on(self, client: socket.socket, server: socket.socket) -> bool:
        """Pass on what is there; false when the connection is at its end."""
        for source in select([client, server], [], [], PATIENCE)[0]:
            message = source.recv(CHUNK)
            if not message:
                return False
            if self._moment and source is client and self._fatal in message:
                moment, self._moment = self._moment, ""
                if moment != "before":
                    server.sendall(message)
                if moment == "after":
                    assert server.recv(CHUNK), "the server did not answer"
                return False
            (server if source is client else client).sendall(message)
        return True


@pytest.mark.parametrize("way", ["check", "check_many"])
def test_a_document_whose_check_was_cut_and_repeated_counts_once(way: str, full: bool) -> None:
    cuts = 1_000 if full else 30

    def ask(customer: str, document: str) -> Decision:
        if way == "check":
            return services.check(customer, document=document)
        return services.check_many([(customer, document) if document else customer])[0]

    def cut_and_repeat(
        customer: str, documents: list[str], moment: str, final: bytes
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
                proxy.cut_at_the_next(moment)
                with pytest.raises((InterfaceError, OperationalError)):
                    ask(customer, document)
                connection.close()
                decisions.append(ask(customer, document))
        return decisions

    # What makes a check final: on PostgreSQL a single one is one statement. On MariaDB a query
    # begins with a byte of its own; READ COMMITTED is in another one.
    final = without_a_name = {"postgresql": b"COMMIT", "mysql": b"\x03COMMIT"}[connection.vendor]
    if way == "check":
        if connection.vendor == "postgresql":
            final = without_a_name = b"doc_priority_check("
        else:
            without_a_name = b"INSERT INTO doc_priority_counter"

    for moment, repeated in [("before", {False}), ("after", {True}), ("during", {False, True})]:
        names = [f"D-{number}" for number in range(cuts)]
        decisions = cut_and_repeat(moment, names, moment, final)

        found = sum(decision.repeated for decision in decisions)
        counted = 1 - Counter.objects.get(customer=moment).pending_documents
        print(
            f"\n{way}, cut {moment} COMMIT: {cuts:,} cuts, counted {counted:,} times; "
            f"{found:,} repeats were given the first decision"
        )
        assert counted == cuts, moment
        assert {decision.repeated for decision in decisions} <= repeated, moment
        kept = DocumentDecision.objects.filter(customer=moment).order_by("-pending_documents")
        stored = list(kept.values_list("document", "pending_documents"))
        assert stored == [(name, -number) for number, name in enumerate(names)], moment
        told = [(decision.document, decision.pending_documents) for decision in decisions]
        assert told == stored, moment

    # The control: what is cut after its COMMIT has been counted, and counts again without a name.
    ask("nameless", "")  # else the first check has more than one statement
    cut_and_repeat("nameless", [""] * 10, "after", without_a_name)
    assert Counter.objects.get(customer="nameless").pending_documents == -20
