"""For how long may a publisher wait where results are kept in Redis?

Celery writes there what a chord needs before it sends the chord's last task, and listens for the
result of each task that it sends, and of each of a group. It tries to for minutes when that Redis
hangs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import redis
from celery.backends.redis import RedisBackend, ResultConsumer, SentinelBackend
from kombu.exceptions import OperationalError

from doc_priority.conf import settings
from doc_priority.contrib.celery import deadline, redis_connections
from doc_priority.contrib.celery.bounded_producer import SHARE, BoundedProducer


@contextmanager
def _in_time(errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """What a publisher gets from a broker that is down, it gets from a store that is."""
    # Celery makes a RuntimeError of it when it cannot connect once more.
    caught: tuple[type[Exception], ...] = (*errors, RuntimeError)
    try:
        with deadline.until(monotonic() + SHARE * settings.publish_timeout_ms / 1000):
            yield
    except caught as error:
        reason = error if isinstance(error, errors) else error.__cause__
        if not isinstance(reason, errors):
            raise
        raise OperationalError(str(reason) or repr(reason)) from error


class _ConsumerInTime(ResultConsumer):  # type: ignore[misc]  # Celery has no types
    """Begins to listen in time, or not at all; whoever waits for a result waits as before."""

    def consume_from(self, task_id: str) -> None:
        with _in_time(self._connection_errors):
            super().consume_from(task_id)


class _InTime:
    """What a publisher asks of the store keeps to PUBLISH_TIMEOUT_MS; workers wait as they did."""

    connparams: dict[str, Any]
    connection_errors: tuple[type[Exception], ...]

    ResultConsumer = _ConsumerInTime
    usual_connection: type = redis.Connection

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = self.connparams.get("connection_class", self.usual_connection)
        self.connparams["connection_class"] = redis_connections.connection(usual)

    def on_task_call(self, producer: Any, task_id: str) -> Any:
        """`get()` and `then()` listen anyway, and look at what is there already."""
        if isinstance(producer, BoundedProducer):
            return {}
        return super().on_task_call(producer, task_id)  # type: ignore[misc]  # put before its class

    def apply_chord(self, *args: Any, **kwargs: Any) -> Any:
        with _in_time(self.connection_errors):
            return super().apply_chord(*args, **kwargs)  # type: ignore[misc]

    def set_chord_size(self, *args: Any, **kwargs: Any) -> Any:
        with _in_time(self.connection_errors):
            return super().set_chord_size(*args, **kwargs)  # type: ignore[misc]

    def ensure(self, fun: Callable[..., Any], args: Any, **policy: Any) -> Any:
        """Within a limit there is one more attempt: a connection that was kept may have died."""
        if not deadline.is_set():
            return super().ensure(fun, args, **policy)  # type: ignore[misc]
        try:
            return fun(*args)
        except self.connection_errors:
            return fun(*args)


class RedisInTime(_InTime, RedisBackend):  # type: ignore[misc]  # Celery has no types
    """Celery's own, for `redis://` and `rediss://`."""


class SentinelInTime(_InTime, SentinelBackend):  # type: ignore[misc]
    """Celery's own, for `sentinel://`."""

    usual_connection = redis.sentinel.SentinelManagedConnection

    def _get_pool(self, **params: Any) -> Any:
        pool = super()._get_pool(**params)
        redis_connections.ask_sentinels_in_time(pool)
        return pool
