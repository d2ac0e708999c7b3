"""The extra `demo`: all that the example portal of the source distribution needs to run."""

import base64
import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.unpacking import unpack
from tests.wheel.portal import Portal

READY = "Ctrl-C stops it all."
PAGES = ("/login/", "/static/admin/css/base.css", "/static/doc_priority/admin.css")
TIMEOUT = 30


def try_it(portal: Portal) -> None:
    unpack_example(portal)
    with demo(portal) as process:
        said = read_until_ready(process)
        visit(address_in(said))
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, f"{said}{rest}"


def unpack_example(portal: Portal) -> None:
    """Without the package, which is to come from the wheel."""
    with TemporaryDirectory() as folder:
        unpacked = unpack(portal.sdist, Path(folder))
        for name in ("example_project", "templates"):
            shutil.copytree(unpacked / name, Path(portal.folder, name), dirs_exist_ok=True)


@contextmanager
def demo(portal: Portal) -> Iterator["subprocess.Popen[str]"]:
    """On any free port, killed at the end if it was not stopped."""
    with subprocess.Popen(
        (portal.environment.python, "-m", "example_project.demo"),
        cwd=portal.folder,
        env={**portal.variables, "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
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
        if line.startswith(READY):
            return "".join(lines)
    raise AssertionError(f"The demo ended before it was ready:\n{''.join(lines)}")


def address_in(said: str) -> str:
    found = re.search(r"Portal +http://(127\.0\.0\.1:\d+)/", said)
    assert found is not None, said
    return found[1]


def visit(address: str) -> None:
    """Pages of the portal, and a call of its REST API with a token."""
    for path in PAGES:
        answer(address, "GET", path)
    basic = base64.b64encode(b"support:demo").decode()
    token = json.loads(answer(address, "POST", "/api/token/", f"Basic {basic}"))["token"]
    customers = json.loads(answer(address, "GET", "/api/v1/customers/", f"Token {token}"))
    assert customers["results"], customers


def answer(address: str, method: str, path: str, authorization: str = "") -> bytes:
    connection = HTTPConnection(address, timeout=TIMEOUT)
    headers = {"Authorization": authorization} if authorization else {}
    connection.request(method, path, headers=headers)
    with connection.getresponse() as response:
        assert response.status == HTTPStatus.OK, f"{path}: {response.status}"
        return response.read()
