"""A PostgreSQL server of one's own, on a free port of the loopback, that may be killed."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

PATIENCE = 60
LOOK = 0.005


def obstacle() -> str:
    """Why there cannot be one; empty if there can."""
    missing = [name for name in ("initdb", "postgres") if _program(name) is None]
    return f"no PostgreSQL server is installed: {', '.join(missing)}" if missing else ""


class PrivatePostgresql:
    """A server with its data in this folder; who starts it may end it, too."""

    def __init__(self, folder: Path, *, options: tuple[str, ...], **environment: str) -> None:
        self._port = _free_port()
        self._folder = folder
        self._data = folder / "data"
        self._options = options
        self._environment = environment
        self._postmaster: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> dict[str, str | int]:
        """What of a connection's settings leads to it."""
        return {"HOST": "127.0.0.1", "PORT": self._port, "USER": "postgres", "NAME": "postgres"}

    def make(self) -> None:
        """Its files; no server runs yet."""
        terms = ("--auth=trust", "--username=postgres", "--no-sync")
        if self._begun("initdb", *terms, str(self._data)).wait(PATIENCE) != 0:
            raise RuntimeError(f"initdb failed:\n{self.log()}")

    def copy(self, primary: "PrivatePostgresql") -> None:
        """Another one's files, whose changes it follows when it runs, as a standby does."""
        place = ("-h", "127.0.0.1", "-p", str(primary._port), "-U", "postgres")
        terms = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        if self._begun("pg_basebackup", "-D", str(self._data), *place, *terms).wait(PATIENCE) != 0:
            raise RuntimeError(f"pg_basebackup failed:\n{self.log()}")

    def start(self) -> None:
        """Until it takes connections, after a crash with all that it had committed."""
        address = ("-p", str(self._port), "-h", "127.0.0.1", "-k", "")
        self._postmaster = self._begun(
            "postgres", "-D", str(self._data), *address, *self._options, **self._environment
        )
        _wait_until(self._is_ready)

    def stop(self) -> None:
        """Without a shutdown's care; nothing of it is left running."""
        if self._postmaster is not None and self._postmaster.poll() is None:
            self._postmaster.send_signal(signal.SIGQUIT)
            self._postmaster.wait(PATIENCE)

    def kill(self) -> None:
        """SIGKILL for every process of it, as Linux knows them, and wait until all are gone."""
        postmaster = self._running()
        postmaster.send_signal(signal.SIGSTOP)  # it shall not begin new ones meanwhile
        children = _children_of(postmaster.pid)
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        postmaster.kill()
        postmaster.wait(PATIENCE)
        _wait_until(lambda: not any(map(_runs, children)))

    def log(self) -> str:
        return Path(self._folder, "log").read_text("utf-8")

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._postmaster is None or self._postmaster.poll() is not None:
            raise RuntimeError(f"The server does not run:\n{self.log()}")
        return self._postmaster

    def _is_ready(self) -> bool:
        """As the server itself writes it down: its process first, its state last."""
        pid = self._running().pid
        try:
            words = (self._data / "postmaster.pid").read_text("utf-8").split()
        except FileNotFoundError:
            return False
        return bool(words) and (words[0], words[-1]) == (str(pid), "ready")

    def _begun(self, name: str, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        """One of PostgreSQL's programs; none of them runs as root."""
        with Path(self._folder, "log").open("ab") as log:
            return subprocess.Popen(
                [str(_program(name)), *arguments],
                cwd=self._folder,
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
                user="postgres" if os.geteuid() == 0 else None,
            )


@contextmanager
def private_postgresql(*options: str, **environment: str) -> Iterator[PrivatePostgresql]:
    """A new one that runs, with these options and this environment; nothing of it is left."""
    with _folder() as folder:
        server = PrivatePostgresql(folder, options=options, **environment)
        server.make()
        with _running(server):
            yield server


@contextmanager
def standby_of(primary: PrivatePostgresql) -> Iterator[PrivatePostgresql]:
    """A replica that runs, and takes nothing but reads; nothing of it is left."""
    with _folder() as folder:
        server = PrivatePostgresql(folder, options=())
        server.copy(primary)
        with _running(server):
            yield server


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        yield Path(folder)


@contextmanager
def _running(server: PrivatePostgresql) -> Iterator[None]:
    try:
        server.start()
        yield
    finally:
        server.stop()


def _program(name: str) -> str | None:
    found = sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return shutil.which(name) or (found[-1] if found else None)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _runs(pid: int) -> bool:
    """Whether the process is there and more than an entry that nobody has asked for yet."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(") ")[2][0] not in "ZX"


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came of it in {PATIENCE} s")
        Event().wait(LOOK)
