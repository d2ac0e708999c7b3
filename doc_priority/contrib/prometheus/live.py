"""The gauges that are read from the database: customers per live priority, and who waits."""

import logging
import time
from collections.abc import Iterable
from functools import partial
from threading import Lock

from django.db import Error, connections
from django.utils import timezone
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from doc_priority import selectors
from doc_priority.conf import settings
from doc_priority.contrib import waiting
from doc_priority.health import bounded_reads
from doc_priority.models import Customer
from doc_priority.querysets import alias_for_write

logger = logging.getLogger("doc_priority")

KEPT_SECONDS = 10
"""A process asks the database at most once in this time, however often it is scraped."""

LIVE_UP = partial(
    GaugeMetricFamily,
    "doc_priority_live_up",
    "1 if the gauges below could be read from the database; 0 if not, and then they are left out.",
)
LIVE_CUSTOMERS = partial(
    GaugeMetricFamily,
    "doc_priority_live_customers",
    "Customers that stand at this priority now; idle customers stand at 1.",
    labels=("priority",),
)
COUNTING_CUSTOMERS = partial(
    GaugeMetricFamily,
    "doc_priority_counting_customers",
    "Customers whose counter is below 0 or whose interval is running, and who are not pinned.",
)
PINNED_CUSTOMERS = partial(
    GaugeMetricFamily,
    "doc_priority_pinned_customers",
    "Customers whose priority is pinned now.",
)
OLDEST_WAITING_SECONDS = partial(
    GaugeMetricFamily,
    "doc_priority_oldest_waiting_seconds",
    "How long the oldest document in the engine's queue has been waiting; 0 if none waits. For "
    "django-tasks and procrastinate only.",
    labels=("engine",),
)
LIVE = (LIVE_UP, LIVE_CUSTOMERS, COUNTING_CUSTOMERS, PINNED_CUSTOMERS, OLDEST_WAITING_SECONDS)


class LiveCollector(Collector):
    """Gauges that are read, not added up: every process of a portal reads the same.

    A scrape waits at most LOCK_TIMEOUT_MS for the database, and as long for another scrape.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._read_at: float | None = None
        self._families: list[Metric] = []

    def describe(self) -> Iterable[Metric]:
        """The names alone, so that registering asks no database."""
        return [family() for family in LIVE]

    def collect(self) -> Iterable[Metric]:
        if not self._lock.acquire(timeout=settings.conditions.lock_timeout_ms / 1000):
            return self._families or [LIVE_UP(value=0)]
        try:
            now = time.monotonic()
            if self._read_at is None or now - self._read_at >= KEPT_SECONDS:
                self._families = _read()
                self._read_at = now
            return self._families
        finally:
            self._lock.release()

    def expire(self) -> None:
        """Let the next scrape ask the database, however soon it comes."""
        self._read_at = None


def _read() -> list[Metric]:
    alias = alias_for_write()
    try:
        with bounded_reads(connections[alias]):
            overview = selectors.overview(Customer.objects.using(alias))
    except Error:
        logger.exception("The gauges cannot be read", extra={"action": "gauges_unreadable"})
        return [LIVE_UP(value=0)]
    customers = LIVE_CUSTOMERS()
    for priority, number in overview.priorities.items():
        customers.add_metric([str(priority)], number)
    oldest = OLDEST_WAITING_SECONDS()
    for engine, oldest_of in waiting.engines.items():
        try:
            with bounded_reads(connections[alias]):
                since = oldest_of()
        except Error:
            logger.exception(
                "The engine %s cannot be asked",
                engine,
                extra={"action": "engine_unreadable", "engine": engine},
            )
            # What Django does around requests; a scrape need not be one, and the engine's tables
            # may be in another database than ours. Transactions are the host's.
            for connection in connections.all(initialized_only=True):
                if connection.errors_occurred and connection.autocommit:
                    connection.close_if_unusable_or_obsolete()
        else:
            waited = 0.0 if since is None else (timezone.now() - since).total_seconds()
            oldest.add_metric([engine], max(0.0, waited))
    return [
        LIVE_UP(value=1),
        customers,
        COUNTING_CUSTOMERS(value=overview.counting),
        PINNED_CUSTOMERS(value=overview.pinned),
        oldest,
    ]


live = LiveCollector()
"""The one of this process, in Prometheus's own registry like every other metric."""

REGISTRY.register(live)
