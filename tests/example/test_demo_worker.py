"""The demo's worker: a process that processes documents by their priority, and is looked after."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from zlib import crc32

import pytest
from redis import Redis

from tests.brokers import REDIS_URL
from tests.example.running_demo import Visitor, address_in, demo, read_until, read_until_ready, stop

FLOOD = 150
SECONDS = 60


def until(condition: Callable[[], bool]) -> None:
    """Wait for it, not for ever."""
    ends = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < ends, "It never came true."
        Event().wait(0.1)


def is_alive(process: int) -> bool:
    """A dead process that nobody asked about is none, even where nobody ever will."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def worker_in(said: str) -> int:
    return int(re.search(r"Worker: .+, process (\d+)", said)[1])


@pytest.fixture
def redis_of(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The Redis of the tests, without the queue of this demo afterwards."""
    yield REDIS_URL
    if request.node.get_closest_marker("redis") is None:
        return
    queue = f"example-portal-{crc32(str(tmp_path / 'portal.sqlite3').encode()):08x}"
    with Redis.from_url(REDIS_URL) as redis:
        for key in redis.scan_iter(f"*{queue}*"):
            redis.delete(key)


@pytest.mark.parametrize("engine", ["tasks", pytest.param("celery", marks=pytest.mark.redis)])
def test_a_quiet_clients_document_overtakes_a_flood(
    tmp_path: Path, redis_of: str, engine: str
) -> None:
    with demo(tmp_path, ENGINE=engine, REDIS_URL=redis_of) as process:
        admin = Visitor(address_in(read_until_ready(process)), "admin")
        worker = worker_in(read_until(process, "Worker: .+, process"))
        for key in ("flood", "quiet"):
            admin.fill_in("new-client/", key=key, name=key)
        admin.fill_in("clients/flood/", action="clients/flood/drop/", number=str(FLOOD))
        until(lambda: 'status done"' in admin.page("clients/flood/?page=3"))

        admin.fill_in("clients/quiet/", action="clients/quiet/drop/", names="hello.pdf")
        until(lambda: 'status done"' in admin.page("clients/quiet/"))

        flood = admin.page("clients/flood/")
        assert "No document waits." in admin.page("clients/quiet/")
        assert "of the whole queue." in flood
        assert flood.count('status queued"') == 50
        rest = stop(process, signal.SIGINT)

    assert not is_alive(worker)
    assert process.returncode == 0
    assert rest.endswith("Stopped.\n")


def test_a_worker_that_dies_is_followed_by_another_one_and_none_outlives_the_demo(
    tmp_path: Path,
) -> None:
    with demo(tmp_path) as process:
        first = worker_in(read_until(process, "Worker: .+, process"))
        os.kill(first, signal.SIGKILL)

        said = read_until(process, "Worker: .+, process")

        assert "Worker: it ended with code -9; another one starts in 1 s." in said
        assert f"{tmp_path / 'worker.log'}" in said
        second = worker_in(said)
        assert is_alive(second)

        process.kill()

        until(lambda: not is_alive(second))
