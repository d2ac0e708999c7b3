"""The folder in which a page's files lie and its commands run."""

import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.docs.console import said_already
from tests.docs.reading import ROOT

SECONDS = 60
"""One command may take no longer, nor may a background process to be ready."""

KEPT = ("LANG", "LD_LIBRARY_PATH", "TMPDIR", "TZ")
"""Nothing of pytest, coverage or the tests' own databases reaches a page's commands."""

GO_ON = """\
set -o pipefail
[ -e "$STATE" ] && . "$STATE"
"""
RUN = f"""{GO_ON}
trap 'code=$?; {{ export -p; printf "cd %q\\n" "$PWD"; }} >"$STATE"; exit $code' EXIT
eval "$1"
"""
"""What `cd`, `export` and `activate` did holds for the next command."""

APART = f'{GO_ON} trap : TERM; eval "$1"'
"""Changes nothing for the commands it runs beside, and waits for what it has started to end."""

ENDED = (0, -signal.SIGTERM, 128 + signal.SIGTERM)
"""How a background process may end when it is told to."""


@dataclass(frozen=True)
class Result:
    code: int
    output: str


@dataclass(frozen=True)
class Background:
    text: str
    process: "subprocess.Popen[bytes]"
    output: Path

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")


class Project:
    """A folder of its own, and a port that takes the place of 8000 where a page runs a server."""

    def __init__(self, folder: Path, *, served: bool = False) -> None:
        self.folder = folder / "portal"
        self.home = folder / "home"
        self.packages = folder / "packages"
        for path in (self.folder, self.home, self.packages):
            path.mkdir()
        (self.packages / "doc_priority").symlink_to(ROOT / "doc_priority")
        self.port = free_port()
        self.served = served
        self.running: list[Background] = []
        self.environment = self.new_environment()

    def new_environment(self) -> dict[str, str]:
        """Packages are named as well, so that a virtual environment a page makes has them."""
        site = sysconfig.get_path("purelib")
        return {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PORT": str(self.port),
            "PYTHONPATH": f"{self.packages}{os.pathsep}{site}",
            "PYTHONUNBUFFERED": "1",
            "STATE": str(self.home / ".state"),
        }

    def start_portal(self) -> None:
        subprocess.run(
            [sys.executable, "-m", "django", "startproject", "portal", "."],
            cwd=self.folder,
            env=self.environment,
            check=True,
            timeout=SECONDS,
        )

    def write(self, name: str, text: str) -> Path:
        path = self.inside(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.placed(text), encoding="utf-8")
        return path

    def append(self, name: str, text: str) -> Path:
        """To a file that exists."""
        before = self.inside(name).read_text(encoding="utf-8").rstrip("\n")
        return self.write(name, f"{before}\n\n{text}")

    def inside(self, name: str) -> Path:
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder.resolve()):
            raise ValueError(f"{name} lies outside the page's folder")
        return path

    def placed(self, text: str) -> str:
        """With the page's own port."""
        return re.sub(r"(?<![\d.])8000(?![\d.])", str(self.port), text) if self.served else text

    def run(self, text: str, *, seconds: float = SECONDS) -> Result:
        """Whatever it leaves running is ended with it."""
        output = self.home / ".output"
        process = self.start(RUN, text, output)
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        finally:
            end(process, signal.SIGKILL)
        said = output.read_text(encoding="utf-8", errors="replace")
        return Result(
            code, said if code != -signal.SIGKILL else f"{said}\nStopped after {seconds} s"
        )

    def start(self, how: str, text: str, output: Path) -> "subprocess.Popen[bytes]":
        with output.open("wb") as file:
            return subprocess.Popen(
                ["bash", "-c", how, "page", offline(self.placed(text), self.port)],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def start_in_background(self, text: str, expected: str) -> Background:
        """Comes back when it has printed what is expected, and answers at the page's port."""
        output = self.home / f".background-{len(self.running)}"
        started = Background(text, self.start(APART, text, output), output)
        self.running.append(started)
        if expected:
            self.wait(started, lambda: said_already(started.said(), self.placed(expected)))
        if str(self.port) in offline(self.placed(text), self.port):
            self.wait(started, lambda: answers(self.port))
        return started

    def wait(self, started: Background, ready: Callable[[], bool]) -> None:
        until = time.monotonic() + SECONDS
        while not ready():
            if started.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"{started.text} is not ready:\n{started.said()}")
            try:
                started.process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue

    def stop(self) -> list[Background]:
        """End all that runs in the background; answers with what has failed."""
        for started in reversed(self.running):
            end(started.process, signal.SIGTERM)
        failed = [each for each in self.running if each.process.returncode not in ENDED]
        self.running.clear()
        return failed


def offline(text: str, port: int) -> str:
    """pip takes what is installed, make says what it would do, and a server takes its port."""
    text = re.sub(r"\bpip install\b", "pip install --no-index", text)
    text = re.sub(r"(^|[;&|]\s*|\w=\S* )make\b", rf"\1make --dry-run -C {ROOT}", text)
    return re.sub(r"\brunserver\b(?! +[\d:\[a-z])", f"runserver {port}", text)


def end(process: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    """The process and all that it started, politely if asked to, and in the end for certain."""
    for each in dict.fromkeys((how, signal.SIGKILL)):
        try:
            os.killpg(process.pid, each)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            continue


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0
