"""The demo itself, started as `make demo` starts it."""

import json
import re
import shlex
import signal
import socket
import urllib.request
from base64 import b64encode
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.example.running_demo import (
    Visitor,
    address_in,
    demo,
    read_until,
    read_until_ready,
    refused,
    stop,
)


def test_it_starts_answers_and_stops(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        said = read_until_ready(process)
        address = address_in(said)
        assert "WARNING" not in said
        for login in ("admin ", "support ", "viewer ", "client ", "Password   demo"):
            assert login in said
        assert answer(f"{address}") == 200
        assert answer(f"{address}admin/login/") == 200
        assert answer(f"{address}static/admin/css/base.css") == 200
        assert answer(f"{address}static/portal/portal.css") == 200
        assert answer(f"{address}nothing/") == 404
        visitor = Visitor(address, "client")
        link = re.search(r'href="/(clients/[^"]+)"', visitor.start)[1]
        assert "Drop documents" in visitor.page(link)
        customers = f"{address}api/v1/customers/"
        assert answer(customers) == 401
        assert answer(customers, authorization=f"Token {token_as_told(said)}") == 200

        rest = stop(process, signal.SIGINT)

    assert process.returncode == 0
    assert rest.splitlines()[-1] == "Stopped."
    assert "Traceback" not in rest
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


def test_a_second_start_uses_the_data_and_a_fresh_one_does_not(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        assert "Inventing 300 clients" in read_until_ready(process)
        in_use = refused(tmp_path, 0, "--fresh")
        assert in_use.returncode == 1
        assert "Stop it first" in in_use.stderr
        assert stop(process, signal.SIGTERM).endswith("Stopped.\n")
    with demo(tmp_path) as process:
        assert "The data of the last start is used" in read_until_ready(process)
        stop(process, signal.SIGINT)
    with demo(tmp_path, "--fresh") as process:
        assert "Inventing 300 clients" in read_until_ready(process)
        stop(process, signal.SIGINT)

    assert process.returncode == 0


def test_stopped_while_it_fills_it_leaves_without_a_fuss(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        read_until(process, "Preparing the database")
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


def test_an_engine_nobody_knows_is_refused_with_those_there_are(tmp_path: Path) -> None:
    result = refused(tmp_path, 0, ENGINE="rabbit")

    assert result.returncode == 1
    assert "ENGINE=rabbit is no engine the portal knows. Choose tasks or celery" in result.stderr
    assert "Traceback" not in result.stderr


def test_celery_without_a_redis_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        url = f"redis://:secret@127.0.0.1:{nobody.getsockname()[1]}/0"
    result = refused(tmp_path, 0, ENGINE="celery", REDIS_URL=url)

    assert result.returncode == 1
    assert "ENGINE=celery needs Redis" in result.stderr
    assert "redis-server" in result.stderr
    assert "Without Redis: make demo" in result.stderr
    assert "secret" not in result.stderr
    assert "Traceback" not in result.stderr
