"""Brokers that are not there, that never answer, and that stop answering in the middle."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from threading import Event, Thread
from typing import Self

CHUNK = 65_536
TICK = 0.05


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@contextmanager
def never_answering() -> Iterator[int]:
    """The port of one that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield server.getsockname()[1]


class FreezingProxy:
    """Passes everything on between clients and the server, except while it is frozen.

    Each answer may be held back for a while.
    """

    def __init__(self, server: tuple[str, int], *, holds_back: float = 0) -> None:
        self._server = server
        self._holds_back = holds_back
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(TICK)
        self.port: int = self._listener.getsockname()[1]
        self._flowing = Event()
        self._flowing.set()
        self._over = Event()
        self._threads = [Thread(target=self._accept_all)]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._flowing.set()
        for thread in list(self._threads):
            thread.join()
        self._listener.close()

    def freeze(self) -> None:
        self._flowing.clear()

    def thaw(self) -> None:
        self._flowing.set()

    def _accept_all(self) -> None:
        while not self._over.is_set():
            with suppress(TimeoutError):
                client, _ = self._listener.accept()
                self._threads.append(Thread(target=self._pass_on, args=(client,)))
                self._threads[-1].start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._server) as server:
            while not self._over.is_set():
                ready, _, _ = select([client, server], [], [], TICK)
                self._flowing.wait()
                for source in ready:
                    with suppress(OSError):  # the client may have given up meanwhile
                        if not (message := source.recv(CHUNK)):
                            return
                        if source is server:
                            self._over.wait(self._holds_back)
                        (server if source is client else client).sendall(message)
