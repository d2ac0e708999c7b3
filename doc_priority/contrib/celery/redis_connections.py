"""How does a connection to Redis keep to a deadline, as a broker or as a result store?

The classes are made of whatever class the portal uses, be it for TLS, Sentinels or a path instead
of an address.
"""

from functools import cache
from typing import Any

from redis.backoff import NoBackoff
from redis.retry import Retry

from doc_priority.contrib.celery import deadline

_NO_MORE = Retry(NoBackoff(), 0)


class _ConnectionInTime:
    """Redis-py's; put before its class."""

    socket_connect_timeout: float | None
    socket_timeout: float | None

    @property
    def retry(self) -> Any:
        """Within a limit nothing sleeps between attempts; who set the limit tries again."""
        return _NO_MORE if deadline.is_set() else self._usual_retry

    @retry.setter
    def retry(self, usual: Any) -> None:
        self._usual_retry = usual

    def _connect(self) -> Any:
        """TLS shakes hands here, too, with the time limit of later waits."""
        given = self.socket_connect_timeout, self.socket_timeout
        self.socket_connect_timeout, self.socket_timeout = map(deadline.wait, given)
        try:
            made = deadline.PatientSocket(super()._connect())  # type: ignore[misc]
        finally:
            self.socket_connect_timeout, self.socket_timeout = given
        made.settimeout(self.socket_timeout)
        return made


class _ChannelInTime:
    """Kombu's; put before its class."""

    def _connparams(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super()._connparams(*args, **kwargs)  # type: ignore[misc]
        return {**found, "connection_class": connection(found["connection_class"])}

    def _sentinel_managed_pool(self, *args: Any, **kwargs: Any) -> Any:
        pool = super()._sentinel_managed_pool(*args, **kwargs)  # type: ignore[misc]
        ask_sentinels_in_time(pool)
        return pool


@cache
def transport(usual: Any) -> type:
    """The same transport of kombu's, whose waits end in time."""
    channel = type(f"{usual.Channel.__name__}InTime", (_ChannelInTime, usual.Channel), {})
    return type(f"{usual.__name__}InTime", (usual,), {"Channel": channel})


@cache
def connection(usual: type) -> type:
    """The same kind of a connection, whose waits end in time."""
    return type(f"{usual.__name__}InTime", (_ConnectionInTime, usual), {})


def ask_sentinels_in_time(pool: Any) -> None:
    """The Sentinels behind this pool have clients of their own, each with a pool."""
    for sentinel in pool.sentinel_manager.sentinels:
        asked = sentinel.connection_pool
        asked.connection_class = connection(asked.connection_class)
