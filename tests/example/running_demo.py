"""The demo started as `make demo` starts it, and somebody who visits it."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAST_LINE = "Ctrl-C stops it all."
TIMEOUT = 10


def environment(folder: Path, port: int | str, extra: dict[str, str]) -> dict[str, str]:
    return {**os.environ, "EXAMPLE_PROJECT_VAR": str(folder), "PORT": str(port), **extra}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "example_project.demo", *arguments]


@contextmanager
def demo(folder: Path, *arguments: str, **extra: str) -> Iterator["subprocess.Popen[str]"]:
    """A demo on any free port, killed at the end if the test has not stopped it."""
    with subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        env=environment(folder, 0, extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: "subprocess.Popen[str]", pattern: str) -> str:
    """What it says up to the first line with this in it."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if re.search(pattern, line):
            return "".join(lines)
    pytest.fail(f"The demo never said {pattern!r}:\n{''.join(lines)}")


def read_until_ready(process: "subprocess.Popen[str]") -> str:
    return read_until(process, f"^{LAST_LINE}")


def address_in(said: str) -> str:
    found = re.search(r"Portal +(http://127\.0\.0\.1:\d+/)", said)
    assert found is not None
    return found[1]


def stop(process: "subprocess.Popen[str]", number: signal.Signals) -> str:
    process.send_signal(number)
    rest, _ = process.communicate(timeout=TIMEOUT)
    return rest


def refused(
    folder: Path, port: int | str, *arguments: str, **extra: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*arguments),
        cwd=ROOT,
        env=environment(folder, port, extra),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


class Visitor:
    """Somebody with a browser of their own, signed in."""

    def __init__(self, address: str, username: str) -> None:
        self.address = address
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self.browser = urllib.request.build_opener(cookies)
        self.start = self.fill_in("login/", username=username, password="demo")

    def page(self, path: str) -> str:
        with self.browser.open(f"{self.address}{path}", timeout=TIMEOUT) as response:
            return response.read().decode()

    def fill_in(self, path: str, *, action: str = "", **fields: str) -> str:
        """Fill in the form on a page, with what is hidden in it, and send it."""
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]+)"', self.page(path)))
        form = urlencode({**hidden, **fields}).encode()
        with self.browser.open(f"{self.address}{action or path}", form, timeout=TIMEOUT) as answer:
            return answer.read().decode()
