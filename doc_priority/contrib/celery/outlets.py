"""Through which connections do prioritised tasks leave?

Connections of their own, kept and used again: those of the app wait for ever on a broker that
hangs, and workers that wait for the next document need that.
"""

import os
from threading import BoundedSemaphore, Lock
from time import monotonic
from types import TracebackType
from typing import Any

from kombu.exceptions import OperationalError

from doc_priority.conf import settings
from doc_priority.contrib.celery import broker
from doc_priority.contrib.celery.bounded_producer import SHARE, BoundedProducer, connection_of

_inherited: list[Any] = []
"""Outlets of the process this one was forked from; closing them would close the other's."""


class Outlet:
    """Producers of one process, of which at most broker_pool_limit are in use at a time."""

    def __init__(self, app: Any, *, seconds: float) -> None:
        self.engine = broker.engine_of(app)
        self.seconds = seconds
        self.process = os.getpid()
        self._connection = connection_of(app, engine=self.engine, seconds=seconds)
        self._keeps = bool(app.conf.broker_pool_limit)
        self._free = BoundedSemaphore(app.conf.broker_pool_limit) if self._keeps else None
        self._idle: list[BoundedProducer] = []

    def take(self) -> BoundedProducer:
        """One that publishes until this outlet's time has passed from now on, and then fails."""
        ends = monotonic() + SHARE * self.seconds
        if self._free is not None and not self._free.acquire(timeout=self.seconds):
            raise OperationalError(
                f"No connection to the broker became free within {self.seconds:g} s; all of "
                "broker_pool_limit are in use."
            )
        try:
            producer = self._idle.pop()
        except IndexError:
            producer = BoundedProducer(self._connection.clone())
        producer.ends = ends
        return producer

    def give_back(self, producer: BoundedProducer) -> None:
        if self._free is None:
            producer.connection.release()
            return
        self._idle.append(producer)
        self._free.release()


class Lease:
    """A producer for the time of a `with`; one that failed has a new connection next time."""

    __slots__ = ("_outlet", "_producer")

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet

    def __enter__(self) -> BoundedProducer:
        self._producer = self._outlet.take()
        return self._producer

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._producer.start_anew()
        self._outlet.give_back(self._producer)


class Outlets:
    """The outlet of one app in this process."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._lock = Lock()
        self._outlet: Outlet | None = None

    def current(self) -> Outlet:
        """Made at the first call, and anew after a fork or when PUBLISH_TIMEOUT_MS has changed."""
        outlet = self._outlet
        seconds = settings.publish_timeout_ms / 1000
        if outlet is None or outlet.seconds != seconds or outlet.process != os.getpid():
            with self._lock:
                outlet = self._outlet = self._renewed(seconds)
        return outlet

    def _renewed(self, seconds: float) -> Outlet:
        if self._outlet is not None and self._outlet.process != os.getpid():
            _inherited.append(self._outlet)
        return Outlet(self._app, seconds=seconds)
