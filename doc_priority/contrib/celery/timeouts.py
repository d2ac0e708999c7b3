"""How long sending waits for a broker that does not answer, and how often it tries again.

Each wait for the broker, and for results in Redis, ends after PUBLISH_TIMEOUT_MS; a message has one
second attempt. The caller then gets kombu's OperationalError, see `sending`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from doc_priority.conf import DEFAULTS, settings
from doc_priority.contrib.celery.broker import broker_urls

_WAITS = (
    "broker_connection_timeout",
    "broker_pool_acquire_timeout",
    "redis_socket_timeout",
    "redis_socket_connect_timeout",
)


def timeouts(app: Any, source: Any) -> dict[str, Any]:
    """Celery's settings with which no wait is longer than PUBLISH_TIMEOUT_MS."""
    try:
        seconds = settings.publish_timeout_ms / 1000
    except ImproperlyConfigured:  # the check E017 says so
        seconds = DEFAULTS["PUBLISH_TIMEOUT_MS"] / 1000
    addresses = len(broker_urls(app))
    # A kept connection may have died, so a message has a second attempt; each address has one.
    attempts = {"max_retries": max(addresses - 1, 1)}
    attempts |= dict.fromkeys(("interval_start", "interval_step", "interval_max"), 0)
    waits = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), seconds)
    limits = {**waits, **attempts, "connect_retries_timeout": addresses * seconds}
    options = source.broker_transport_options or {}
    limited = {
        "on_open": WaitLimit(seconds),
        **_at_most(options, limits),
        "sentinel_kwargs": {"retry": None, **_at_most(options.get("sentinel_kwargs"), waits)},
        "retry_on_timeout": False,
        "confirm_publish": True,  # else a RabbitMQ that hangs swallows what it is sent
    }
    given = {name: source.get(name) for name in _WAITS}
    return {
        "broker_transport_options": limited,
        "task_publish_retry_policy": _at_most(source.task_publish_retry_policy, attempts),
        **_at_most(given, dict.fromkeys(_WAITS, seconds)),
    }


def _at_most(given: Mapping[str, Any] | None, limits: Mapping[str, float]) -> dict[str, Any]:
    """The given values, each at most its limit; None is no limit."""
    given = given or {}
    own = {name: given[name] for name in limits if given.get(name) is not None}
    return {**given, **{name: min(own.get(name, most), most) for name, most in limits.items()}}


@dataclass(frozen=True, slots=True)
class WaitLimit:
    """Limits the waits of a connection to RabbitMQ; py-amqp calls it with each new one."""

    seconds: float

    def __call__(self, connection: Any) -> None:
        connection.sock.settimeout(self.seconds)

    def __json__(self) -> str:
        """For `celery inspect stats`, which sends the options of a worker's connection as JSON."""
        return repr(self)
