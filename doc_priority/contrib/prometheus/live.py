"""What the database says when it is asked: customers per live priority, and who waits."""

import logging
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from threading import Lock

from django.db import DatabaseError, InterfaceError, connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from doc_priority import selectors
from doc_priority.conf import settings
from doc_priority.contrib import waiting
from doc_priority.contrib.prometheus import metrics
from doc_priority.health import bounded_reads
from doc_priority.models import Counter, Customer

logger = logging.getLogger("doc_priority")

KEPT_SECONDS = 10
"""However often and by however many it is scraped, a process asks the database no oftener."""

UNREADABLE = (DatabaseError, InterfaceError)


class LiveCollector(Collector):
    """Gauges that are read, not added up; in a portal of many processes any one will do.

    Whoever scrapes waits for LOCK_TIMEOUT_MS at most, for the database as for another scrape.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._read_at: float | None = None
        self._families: list[Metric] = []

    def describe(self) -> Iterable[Metric]:
        """The names alone, so that registering asks no database."""
        return [_family(metric) for metric in metrics.LIVE]

    def collect(self) -> Iterable[Metric]:
        if not self._lock.acquire(timeout=settings.conditions.lock_timeout_ms / 1000):
            return self._families or _unread()
        try:
            return self._fresh()
        finally:
            self._lock.release()

    def forget(self) -> None:
        """Ask the database at the next scrape, whenever that is."""
        self._read_at = None

    def _fresh(self) -> list[Metric]:
        now = time.monotonic()
        if self._read_at is None or now - self._read_at >= KEPT_SECONDS:
            self._families = _read()
            self._read_at = now
        return self._families


def _read() -> list[Metric]:
    try:
        with bounded_reads(_connection()):
            customers = list(_customers())
    except UNREADABLE:
        logger.exception("The gauges cannot be read", extra={"action": "gauges_unreadable"})
        _close_what_was_lost()
        return _unread()
    return [_gauge(metrics.LIVE_UP, 1), *customers, _oldest()]


def _unread() -> list[Metric]:
    return [_gauge(metrics.LIVE_UP, 0)]


def _connection() -> BaseDatabaseWrapper:
    return connections[router.db_for_write(Counter)]


def _close_what_was_lost() -> None:
    """As Django does around requests; a scrape need not be one. Transactions are the host's."""
    for connection in connections.all(initialized_only=True):
        if connection.errors_occurred and connection.autocommit:
            connection.close_if_unusable_or_obsolete()


def _customers() -> Iterator[Metric]:
    overview = selectors.overview(Customer.objects.using(_connection().alias))
    family = _family(metrics.LIVE_CUSTOMERS)
    for priority, number in overview.priorities.items():
        family.add_metric([str(priority)], number)
    yield family
    yield _gauge(metrics.COUNTING_CUSTOMERS, overview.counting)
    yield _gauge(metrics.PINNED_CUSTOMERS, overview.pinned)


def _oldest() -> Metric:
    family = _family(metrics.OLDEST_WAITING_SECONDS)
    for engine, oldest in waiting.engines.items():
        try:
            with bounded_reads(_connection()):
                since = oldest()
        except UNREADABLE:
            logger.exception(
                "The engine %s cannot be asked",
                engine,
                extra={"action": "engine_unreadable", "engine": engine},
            )
            _close_what_was_lost()
        else:
            family.add_metric([engine], _seconds_since(since))
    return family


def _seconds_since(moment: datetime | None) -> float:
    return 0.0 if moment is None else max(0.0, (timezone.now() - moment).total_seconds())


def _gauge(metric: metrics.Metric, value: float) -> Metric:
    family = _family(metric)
    family.add_metric([], value)
    return family


def _family(metric: metrics.Metric) -> GaugeMetricFamily:
    return GaugeMetricFamily(metric.name, metric.documentation, labels=metric.labels)


live = LiveCollector()
"""The one of this process, in Prometheus's own registry like every other metric."""

REGISTRY.register(live)
