"""The clients, each in a process of its own that can be killed and replaced."""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from django.db import connection

from tests.proof.crash.calls import Asking, Call, call_of
from tests.proof.crash.journal import Kind, Note, Reader
from tests.proof.crash.working import work

PATIENCE = 60
LOOK = 0.005
FORK = multiprocessing.get_context("fork")
"""With Django set up already, a client is at work in milliseconds."""


class Client:
    def __init__(self, name: str, scene: str, asking: Asking, folder: Path) -> None:
        self.name = name
        self.notes: list[Note] = []
        self._scene = scene
        self._journal = Reader(folder / name)
        self._work = (name, scene, asking, folder / name, folder / "stop")
        self._process = self._begun()

    def _begun(self) -> multiprocessing.context.ForkProcess:
        connection.close()  # the child must not have it, too
        process = FORK.Process(target=work, args=self._work, daemon=True)
        process.start()
        return process

    def kill(self) -> None:
        self._process.kill()
        self._process.join(PATIENCE)

    def replace(self) -> None:
        """By a process that goes on where this one, which is gone, was."""
        self._process = self._begun()

    def read(self) -> None:
        self.notes += self._journal.new_notes()

    def require_alive(self) -> None:
        if not self._process.is_alive():
            raise RuntimeError(f"{self.name} ended with {self._process.exitcode}")

    def require_end(self) -> None:
        self._process.join(PATIENCE)
        if self._process.exitcode != 0:
            raise RuntimeError(f"{self.name} ended with {self._process.exitcode}")

    def told(self, since: float = 0) -> Iterator[tuple[Call, Note]]:
        for note in self.since(since, Kind.TOLD):
            yield call_of(self.name, note.call, scene=self._scene), note

    def since(self, moment: float, kind: Kind) -> list[Note]:
        """Its notes of this kind after the moment, the earliest first."""
        late = takewhile(lambda note: note.at > moment, reversed(self.notes))
        return [note for note in late if note.kind == kind][::-1]


class Crowd(list[Client]):
    """All clients of a scene."""

    def __init__(self, count: int, scene: str, asking: Asking, folder: Path) -> None:
        self._stop = folder / "stop"
        super().__init__(
            Client(f"client-{number}", scene, asking, folder) for number in range(count)
        )

    def read(self) -> None:
        for client in self:
            client.read()

    def wait_until(self, condition: Callable[[Client], object]) -> None:
        """For all of them; read their journals meanwhile."""
        deadline = time.monotonic() + PATIENCE
        waiting = list(self)
        while waiting:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{waiting[0].name} is not back after {PATIENCE} s")
            for client in waiting:
                client.require_alive()
                client.read()
            waiting = [client for client in waiting if not condition(client)]
            Event().wait(LOOK)

    def finish(self) -> None:
        """Each ends the call it is at, and all are read to the end."""
        self._stop.touch()
        for client in self:
            client.require_end()
        self.read()


@contextmanager
def crowd(count: int, *, scene: str, asking: Asking) -> Iterator[Crowd]:
    with TemporaryDirectory() as folder:
        clients = Crowd(count, scene, asking, Path(folder))
        try:
            clients.wait_until(lambda client: any(client.told()))
            yield clients
        finally:
            for client in clients:
                client.kill()
