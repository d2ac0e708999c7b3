"""A stand-in for a network that fails at the worst moment."""

import socket
from collections.abc import Callable
from contextlib import suppress
from select import select
from threading import Thread
from typing import Self

CHUNK = 65_536
PATIENCE = 10

Fate = Callable[[socket.socket, bytes], None]
"""What becomes of the fatal message; it is given the socket to the server."""


def never_sent(_server: socket.socket, _message: bytes) -> None:
    """The server does not get the message."""


def reply_lost(server: socket.socket, message: bytes) -> None:
    """The server does what it was told and answers; the answer does not arrive."""
    server.sendall(message)
    assert server.recv(CHUNK), "the server did not answer"


def cut_meanwhile(server: socket.socket, message: bytes) -> None:
    """The server gets the message, and then nobody is there any more."""
    server.sendall(message)


class CuttingProxy:
    """Passes everything on between a client and the server, until told to cut.

    Both sides are then shut down, as by a network that broke.
    """

    def __init__(self, server: tuple[str, int], *, fatal: bytes) -> None:
        self._server = server
        self._fatal = fatal
        self._fate: Fate | None = None
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

    def cut_at_the_next(self, fate: Fate) -> None:
        """Cut at the next message that has the fatal words in it."""
        self._fate = fate

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
            if self._fate is not None and source is client and self._fatal in message:
                fate, self._fate = self._fate, None
                fate(server, message)
                return False
            (server if source is client else client).sendall(message)
        return True
