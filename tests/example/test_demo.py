"""The demo itself, started as `make demo` starts it."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAST_LINE = "Ctrl-C stops it all."

Demo = Callable[..., "subprocess.Popen[str]"]


def environment(folder: Path, port: int | str) -> dict[str, str]:
    return {**os.environ, "EXAMPLE_PROJECT_VAR": str(folder), "PORT": str(port)}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "example_project.demo", *arguments]


@contextmanager
def demo(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A demo on any free port, killed at the end if the test has not stopped it."""
    with subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        env=environment(folder, 0),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until_ready(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith(LAST_LINE):
            return "".join(lines)
    pytest.fail(f"The demo did not get ready:\n{''.join(lines)}")


def stop(process: "subprocess.Popen[str]", number: signal.Signals) -> str:
    process.send_signal(number)
    rest, _ = process.communicate(timeout=5)
    return rest


def refused(folder: Path, port: int | str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*arguments),
        cwd=ROOT,
        env=environment(folder, port),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_it_starts_answers_and_stops(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        said = read_until_ready(process)
        address = re.search(r"Portal +(http://127\.0\.0\.1:\d+/)", said)[1]
        for login in ("admin ", "support ", "viewer ", "client ", "Password   demo"):
            assert login in said
        assert answer(f"{address}") == 200
        assert answer(f"{address}admin/login/") == 200
        assert answer(f"{address}static/admin/css/base.css") == 200
        assert answer(f"{address}static/portal/portal.css") == 200
        assert answer(f"{address}nothing/") == 404
        assert "Drop documents" in page_of_the_client(address)
        customers = f"{address}api/v1/customers/"
        assert answer(customers) == 401
        assert answer(customers, authorization=f"Token {token_as_told(said)}") == 200

        rest = stop(process, signal.SIGINT)

    assert process.returncode == 0
    assert rest.strip() == "Stopped."
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def answer(address: str, *, authorization: str = "") -> int:
    request = urllib.request.Request(address, headers={"Authorization": authorization})  # noqa: S310 - our own
    try:
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310 - our own
            return response.status
    except HTTPError as error:
        with error:
            return error.code


def token_as_told(said: str) -> str:
    """Do what curl would do with the line that the demo prints."""
    line = re.search(r"^ +(curl .+)$", said, re.MULTILINE)[1]
    program, dash_x, method, dash_u, credentials, address = shlex.split(line)
    assert (program, dash_x, dash_u) == ("curl", "-X", "-u")
    basic = {"Authorization": f"Basic {b64encode(credentials.encode()).decode()}"}
    request = urllib.request.Request(address, method=method, headers=basic)  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310 - our own
        return json.load(response)["token"]


def page_of_the_client(address: str) -> str:
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with browser.open(f"{address}login/", timeout=10) as response:
        token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', response.read().decode())[1]
    form = {"csrfmiddlewaretoken": token, "username": "client", "password": "demo"}
    with browser.open(f"{address}login/", urlencode(form).encode(), timeout=10) as response:
        link = re.search(r'href="/(clients/[^"]+)"', response.read().decode())[1]
    with browser.open(f"{address}{link}", timeout=10) as response:
        return response.read().decode()


def test_a_second_start_uses_the_data_and_a_fresh_one_does_not(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        assert "Inventing 300 clients" in read_until_ready(process)
        in_use = refused(tmp_path, 0, "--fresh")
        assert in_use.returncode == 1
        assert "Stop it first" in in_use.stderr
        assert stop(process, signal.SIGTERM).strip() == "Stopped."
    with demo(tmp_path) as process:
        assert "The data of the last start is used" in read_until_ready(process)
        stop(process, signal.SIGINT)
    with demo(tmp_path, "--fresh") as process:
        assert "Inventing 300 clients" in read_until_ready(process)
        stop(process, signal.SIGINT)

    assert process.returncode == 0


def test_stopped_while_it_fills_it_leaves_without_a_fuss(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Preparing the database")
        rest = stop(process, signal.SIGINT)

    assert process.returncode == 0
    assert rest.endswith("Stopped.\n")
    assert "Traceback" not in rest


def test_a_taken_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = refused(tmp_path, port)

    assert result.returncode == 1
    assert f"Port {port} is taken by another program." in result.stderr
    assert " make demo" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("port", ["eighty", "-1", "65536", "80.5"])
def test_a_port_that_is_none_is_refused(tmp_path: Path, port: str) -> None:
    result = refused(tmp_path, port)

    assert result.returncode == 1
    assert f"PORT={port} is no port." in result.stderr


def test_data_of_another_version_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "portal.sqlite3").write_bytes(b"no database at all, but some bytes" * 100)

    result = refused(tmp_path, 0)

    assert result.returncode == 1
    assert "Start anew: make demo-fresh" in result.stderr
    assert "Traceback" not in result.stderr
