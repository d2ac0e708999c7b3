"""The demo, started as `make demo` starts it, and the day of a busy portal it is filled with."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event as Never
from zlib import crc32

import pytest
import requests
from django.contrib.auth.models import User
from django.db.models import Max, Min
from django_tasks_db.models import DBTaskResult
from redis import Redis

from doc_priority.models import Customer, DocumentDecision, Event
from example_project.demo.data import CONTRACT, FLOODING, VISITED, fill
from example_project.portal.models import Client, Document, Member
from example_project.portal.services import delete_client, queue_all_that_waits
from tests.servers import REDIS_URL
from tests.settings import BASE_DIR

Process = subprocess.Popen[str]


def program(folder: Path, *arguments: str, **extra: str) -> dict[str, object]:
    """How to start a demo of its own on any free port."""
    return {
        "args": [sys.executable, "-m", "example_project.demo", *arguments],
        "cwd": BASE_DIR,
        "env": {**os.environ, "EXAMPLE_PROJECT_VAR": str(folder), "PORT": "0", **extra},
        "text": True,
    }


@contextmanager
def demo(folder: Path, *arguments: str, **extra: str) -> Iterator[Process]:
    """Killed at the end if the test has not stopped it."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(**program(folder, *arguments, **extra), **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: Process, pattern: str) -> str:
    """What it says up to the first line with this in it."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if re.search(pattern, line):
            return said
    pytest.fail(f"The demo never said {pattern!r}:\n{said}")


def stop(process: Process, number: signal.Signals = signal.SIGINT) -> None:
    process.send_signal(number)
    rest, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert rest.endswith("Stopped.\n")
    assert "Traceback" not in rest


def test_it_starts_answers_and_stops_and_a_second_start_uses_the_data(tmp_path: Path) -> None:
    with demo(tmp_path) as process:
        said = read_until(process, "^Ctrl-C stops it all.")
        assert "WARNING" not in said
        assert "Inventing 300 customers" in said
        for login in ("admin ", "support ", "viewer ", "client ", "Password   demo"):
            assert login in said
        portal = re.search(r"Portal +(http://127\.0\.0\.1:\d+/)", said)[1]
        # Do what curl would do with the line that the demo prints.
        words = shlex.split(re.search(r"^ +(curl .+)$", said, re.MULTILINE)[1])
        assert words[:2] + words[3:4] == ["curl", "-X", "-u"]
        user, _, password = words[4].partition(":")
        answer = requests.request(words[2], words[5], auth=(user, password), timeout=10)
        headers = {"Authorization": f"Token {answer.json()['token']}"}
        api = f"{portal}api/v1/customers/"
        assert requests.get(api, headers=headers, timeout=10).status_code == 200
        assert requests.get(api, timeout=10).status_code == 401
        for path in ("", "admin/login/", "static/admin/css/base.css", "static/portal/portal.css"):
            assert requests.get(f"{portal}{path}", timeout=10).status_code == 200, path
        in_use = subprocess.run(
            **program(tmp_path, "--fresh"), capture_output=True, timeout=30, check=False
        )
        assert in_use.returncode == 1
        assert "Stop it first" in in_use.stderr
        stop(process)
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
    with demo(tmp_path) as process:
        assert "The data of the last start is used" in read_until(process, "^Ctrl-C stops")
        stop(process, signal.SIGTERM)
    with demo(tmp_path, "--fresh") as process:
        read_until(process, "Preparing the database")
        stop(process)


def test_what_cannot_be_is_refused_with_what_to_do(tmp_path: Path) -> None:
    def refused(folder: Path = tmp_path, **extra: str) -> str:
        """What it says and ends with."""
        command = program(folder, **extra)
        result = subprocess.run(**command, capture_output=True, timeout=30, check=False)
        assert result.returncode == 1
        assert "Traceback" not in result.stderr
        return result.stderr

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} cannot be used: Address already in use." in refused(PORT=str(port))
    for no_port in ("65536", "http"):
        assert f"Port {no_port} cannot be used: It is no number up to" in refused(PORT=no_port)
    assert "ENGINE=rabbit is no engine the portal knows. Choose tasks or celery" in refused(
        ENGINE="rabbit"
    )
    (tmp_path / "portal.sqlite3").write_bytes(b"no database at all, but some bytes" * 100)
    assert "Start anew: make demo-fresh" in refused()


@pytest.mark.parametrize("engine", ["tasks", pytest.param("celery", marks=pytest.mark.redis)])
def test_a_quiet_clients_document_overtakes_a_flood(tmp_path: Path, engine: str) -> None:
    """And a worker that dies is followed by another one, which does not outlive the demo."""
    browser = requests.Session()

    def until(condition: Callable[[], bool]) -> None:
        """Look again and again, for a minute at most."""
        ends = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < ends, "It never came true."
            Never().wait(0.1)

    def is_over(process: int) -> bool:
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"

    def page(path: str) -> str:
        return browser.get(f"{portal}{path}", timeout=10).text

    def fill_in(path: str, *, action: str = "", **fields: str) -> None:
        """Fill in the form on a page, with what is hidden in it, and send it."""
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]+)"', page(path)))
        browser.post(f"{portal}{action or path}", {**hidden, **fields}, timeout=10)

    with demo(tmp_path, ENGINE=engine, REDIS_URL=REDIS_URL) as process:
        said = read_until(process, "^Ctrl-C stops it all.")
        portal = re.search(r"Portal +(http://127\.0\.0\.1:\d+/)", said)[1]
        said += read_until(process, "Worker: .+, process")
        worker = int(re.search(r"Worker: .+, process (\d+)", said)[1])
        fill_in("login/", username="admin", password="demo")
        for key in ("flood", "quiet"):
            fill_in("new-client/", key=key, name=key)
        fill_in("clients/flood/", action="clients/flood/drop/", number="150")
        until(lambda: 'status done"' in page("clients/flood/?page=3"))

        fill_in("clients/quiet/", action="clients/quiet/drop/", names="hello.pdf")
        until(lambda: 'status done"' in page("clients/quiet/"))

        flood = page("clients/flood/")
        assert "in the queue." in flood
        assert flood.count('status queued"') == 50
        if engine == "celery":
            stop(process)
            queue = f"example-portal-{crc32(str(tmp_path / 'portal.sqlite3').encode()):08x}"
            with Redis.from_url(REDIS_URL) as redis:
                redis.delete(*redis.scan_iter(f"*{queue}*"))
        else:
            os.kill(worker, signal.SIGKILL)
            said = read_until(process, "Worker: .+, process")
            assert "Worker: it ended with code -9; another one starts in 1 s." in said
            worker = int(re.search(r"Worker: .+, process (\d+)", said)[1])
            process.kill()
    until(lambda: is_over(worker))


def test_it_is_filled_with_the_day_of_a_busy_portal(db: None) -> None:
    hour, now = timedelta(hours=1), datetime.now(UTC)

    fill(say=lambda text: None)

    days = Document.objects.aggregate(first=Min("dropped_at"), last=Max("dropped_at"))
    assert 22 * hour < now - days["first"] < 25 * hour
    assert now - days["last"] < hour / 10
    assert Client.objects.count() == Customer.objects.count() == 300
    assert Document.objects.count() == DocumentDecision.objects.count() > 2500
    live = Tally(Customer.objects.live().values_list("priority", flat=True))
    assert set(live) == set(range(1, 10))
    assert live[1] > 200
    assert 5 <= live[7] + live[8] + live[9] < 40
    waiting = Document.objects.filter(status="queued", client__key=FLOODING.key)
    assert waiting.filter(priority=9).count() > 200
    kinds = Tally(Event.objects.values_list("kind", flat=True))
    assert kinds == {"policy": 2, "reset": 3, "pin": 2}
    assert not Event.objects.filter(reason="").exists()
    assert Customer.objects.live().filter(pinned=True).count() == 2
    assert Customer.objects.filter(policy__name=CONTRACT).count() == 6
    assert Member.objects.get().client.key == VISITED.key

    queue_all_that_waits()
    queue_all_that_waits()

    queued = DBTaskResult.objects.ready().values_list("args_kwargs__kwargs__reference", flat=True)
    assert list(queued) == [document.reference for document in Document.objects.in_worker_order()]

    documents, heard = Document.objects.count(), []
    fill(say=heard.append)
    assert heard == [f"The data of the last start is used: {documents:,} documents."]
    assert Document.objects.count() == documents

    delete_client(Client.objects.get(key=VISITED.key))
    Document.objects.update(dropped_at=now - timedelta(days=2))
    documents = Document.objects.count()
    fill(say=heard.append)
    assert Document.objects.count() > documents + 2000
    assert (Client.objects.count(), User.objects.count()) == (299, 4)
