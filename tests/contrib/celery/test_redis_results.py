"""What a store of results in Redis does besides keeping to a time limit."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery

from doc_priority.contrib.celery.redis_results import RedisInTime
from tests.servers import REDIS_URL
from tests.contrib.celery.closing import closing

pytestmark = pytest.mark.redis


class BuggyError(RuntimeError):
    """Nothing about a connection."""


@pytest.fixture
def store() -> Iterator[RedisInTime]:
    with closing(Celery("store", set_as_current=False)) as app:
        yield RedisInTime(app=app, url=REDIS_URL)


class Buggy(list[str]):
    """Arguments that fail whoever looks at them."""

    def __getitem__(self, place: Any) -> Any:
        raise BuggyError


def test_an_error_that_is_no_connections_stays_what_it_is(store: RedisInTime) -> None:
    with pytest.raises(BuggyError):
        store.apply_chord(Buggy(), None)


def test_without_a_limit_it_tries_as_celery_does(store: RedisInTime) -> None:
    tried: list[str] = []

    def fail_twice(key: str) -> str:
        tried.append(key)
        if len(tried) < 3:
            raise store.connection_errors[0]
        return key

    policy = {"max_retries": 5, "interval_start": 0, "interval_step": 0, "interval_max": 0}
    assert store.ensure(fail_twice, ("key",), **policy) == "key"
    assert tried == ["key"] * 3
