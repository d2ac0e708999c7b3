"""How does a message leave within a time limit, whatever the broker does?"""

from time import monotonic
from typing import Any

from amqp.exceptions import AMQPError, PreconditionFailed
from kombu import Producer
from kombu.exceptions import OperationalError

from doc_priority.contrib.celery import maxima
from doc_priority.contrib.celery.connections import ConnectionInTime
from doc_priority.contrib.celery.deadline import until
from doc_priority.contrib.levels import Engine

SHARE = 0.95
"""Of the time limit that the network gets; the rest is for everything around it."""


class BoundedProducer(Producer):  # type: ignore[misc]  # kombu has no types
    """Publishes until a moment, however often the broker is waited for, and then fails.

    A connection that was kept may have died meanwhile, so it may fail once and is replaced; a new
    one has one chance at each of the broker's addresses.
    """

    ends = 0.0

    def __init__(self, connection: Any) -> None:
        returns = connection.transport.driver_type == "amqp"
        super().__init__(connection, on_return=self._note_return if returns else None)
        self._returned: AMQPError | None = None

    def publish(self, body: Any, **options: Any) -> Any:
        if self.on_return:
            maxima.warn_of_queues_without(options.get("declare") or ())
        try:
            return self._publish_in_time(body, **options)
        except AMQPError as error:
            # One for which trying again is of no use, and of which kombu makes none of its own.
            raise OperationalError(_told(error, options.get("declare"))) from error

    def _publish_in_time(self, body: Any, **options: Any) -> Any:
        retry = options.pop("retry", True)
        options.pop("retry_policy", None)
        connection = self.connection
        chances = _chances(connection) if retry else 1
        while True:
            chances -= 1
            begins = monotonic()
            try:
                with until(begins + (self.ends - begins) / (chances + 1)):
                    connection.ensure_connection(max_retries=0, reraise_as_library_errors=False)
                    return self._publish_to_a_queue(body, **options)
            except connection.recoverable_connection_errors:
                self.start_anew()
                connection.maybe_switch_next()
                if chances <= 0 or monotonic() >= self.ends:
                    raise

    def _publish_to_a_queue(self, body: Any, **options: Any) -> Any:
        """RabbitMQ drops what goes nowhere, and confirms it; a queue may have been deleted since.

        A connection declares a queue once. So it is declared anew before the second attempt.
        """
        published = self._publish_once(body, **options)
        if self._returned is not None:
            self.connection.declared_entities.clear()
            published = self._publish_once(body, **options)
        if self._returned is not None:
            raise self._returned
        return published

    def _publish_once(self, body: Any, **options: Any) -> Any:
        self._returned = None
        return super().publish(body, **{"mandatory": True, **options})

    def _note_return(self, error: AMQPError, *message: Any) -> None:
        self._returned = error

    def start_anew(self) -> None:
        """Drop the connection, without a word to a broker that may not listen."""
        self.connection.collect()
        self.revive(self.connection)


_NO_ROUTE = 312


def _told(error: AMQPError, declared: Any) -> str:
    names = ", ".join(repr(one.name) for one in declared or ())
    if isinstance(error, PreconditionFailed):
        return (
            f"The queue {names} exists with other arguments, such as no maximum priority, so "
            f"RabbitMQ refuses to send there: {error}. Give documents a queue with a new name, or "
            "delete this one when it is empty."
        )
    if error.reply_code == _NO_ROUTE:
        return f"The message went into no queue, although {names or 'none'} was declared: {error}."
    return str(error)


def _chances(connection: Any) -> int:
    """Once more where a connection was kept; that one shares the time with a new one."""
    addresses = max(len(connection.alt), 1)
    return addresses + 1 if connection.connected else addresses


def connection_of(app: Any, *, engine: Engine, seconds: float) -> Any:
    """A connection to where the app publishes; no single wait for the broker exceeds its share."""
    usual = app.connection_for_write()
    wait = SHARE * seconds / _waits(usual)
    options = {**usual.transport_options, **_OPTIONS[engine]}
    if engine is Engine.CELERY_REDIS:
        options |= _redis_options(app.conf.broker_transport_options, wait=wait)
    given = dict(usual._info(resolve=False), transport_options=options, connect_timeout=wait)
    return ConnectionInTime(**given)


_TIMEOUTS = ("socket_timeout", "socket_connect_timeout")
_OPTIONS: dict[Engine, dict[str, Any]] = {
    Engine.CELERY_REDIS: {"retry_on_timeout": False},
    # Without a confirmation a RabbitMQ that hangs swallows what it is sent.
    Engine.CELERY_RABBITMQ: {"confirm_publish": True},
}


def _redis_options(given: dict[str, Any], *, wait: float) -> dict[str, Any]:
    """Sentinels are asked by clients of their own, which try again and again by default."""
    limits = {name: _shorter(given.get(name), wait) for name in _TIMEOUTS}
    sentinels = {**(given.get("sentinel_kwargs") or {}), **limits, "retry": None}
    return {**limits, "sentinel_kwargs": sentinels}


def _waits(connection: Any) -> int:
    """How often a broker that hangs may be waited for: once more than it has addresses.

    A Sentinel client asks all of them by itself, and the master in the end, each time.
    """
    addresses = max(len(connection.alt), 1)
    return 2 * (addresses + 1) if connection.transport_cls == "sentinel" else addresses + 1


def _shorter(given: float | None, wait: float) -> float:
    return wait if given is None else min(float(given), wait)
