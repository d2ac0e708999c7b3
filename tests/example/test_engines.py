"""What the portal does when its queue is outside of the database, and is not there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest
from redis import Redis

from tests.brokers import REDIS_URL
from tests.example.running_demo import ROOT

NOBODY = "redis://127.0.0.1:1/0"


def drop_on_celery(folder: Path, redis: str) -> dict[str, object]:
    result = subprocess.run(
        [sys.executable, "-m", "tests.example.drop_on_celery"],
        cwd=ROOT,
        env={**os.environ, "EXAMPLE_PROJECT_VAR": str(folder), "REDIS_URL": redis},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(result.stdout)


@pytest.mark.redis
def test_a_drop_that_celery_does_not_take_is_none_and_sent_again_it_is_charged_once(
    tmp_path: Path,
) -> None:
    queue = f"example-portal-{crc32(str(tmp_path / 'portal.sqlite3').encode()):08x}"
    refused = drop_on_celery(tmp_path, NOBODY)
    taken = drop_on_celery(tmp_path, REDIS_URL)

    assert refused["status"] == 503
    assert "The queue does not answer; nothing was dropped. Send it again." in refused["text"]
    assert (refused["documents"], refused["decisions"]) == ([], 3)
    assert taken["status"] == 302
    assert (taken["documents"], taken["decisions"]) == ([1, 1, 1], 3)
    with Redis.from_url(REDIS_URL) as redis:
        assert redis.scard(f"_kombu.binding.{queue}") == 1
        names = list(redis.scan_iter(f"*{queue}*"))
        waiting = sum(redis.llen(name) for name in names if redis.type(name) == b"list")
        redis.delete(*names)
    assert waiting == 3
