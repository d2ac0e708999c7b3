"""The observer that adds up what the services tell."""

from collections.abc import Mapping
from itertools import product

from prometheus_client import Counter, Histogram

from doc_priority.contrib.prometheus import metrics
from doc_priority.contrib.prometheus.metrics import Metric
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Event
from doc_priority.observing import Call, Checked, Observer

NO_SOURCE = "none"
OURS = (NO_SOURCE, "admin", "api", "command")
"""The sources that the app itself gives."""

CHECKS = ("check", "check_many")
FAILURES = (CounterBusy.code, TransactionConflict.code, "database_error", "unexpected_error")
"""What may become of a check through no fault of its caller's."""

MOST_SOURCES = 20
"""A source may be the portal's own text; so many of them become labels."""


class Bounded:
    """The first texts of a process, so many; those that come later are all the same one."""

    def __init__(self, *known: str, most: int, other: str = "other") -> None:
        self._known = {*known}
        self._most = most
        self._other = other

    def __call__(self, text: str) -> str:
        if len(self._known) < self._most:
            self._known.add(text)
        return text if text in self._known else self._other


class Recorder(Observer):
    """Adds up in this process, or with PROMETHEUS_MULTIPROC_DIR across all of them."""

    def __init__(self) -> None:
        self._source = Bounded(*OURS, most=MOST_SOURCES)
        self._checks = _counter(metrics.CHECKS)
        self._corrections = _counter(metrics.CORRECTIONS)
        self._errors = _counter(metrics.ERRORS)
        self._retries = _counter(metrics.RETRIES)
        self._service_seconds = _histogram(metrics.SERVICE_SECONDS)
        self._lock_wait_seconds = _histogram(metrics.LOCK_WAIT_SECONDS)
        self._begin_at_0()

    def ended(self, call: Call, begun: None) -> None:
        self._service_seconds.labels(call.service).observe(call.seconds)
        if call.error:
            self._errors.labels(call.service, call.error).inc()

    def checked(self, checks: Mapping[Checked, int]) -> None:
        for (result, priority, pinned), number in checks.items():
            self._checks.labels(str(result), priority, "yes" if pinned else "no").inc(number)

    def corrected(self, kind: str, source: str, number: int) -> None:
        self._corrections.labels(kind, self._source(source or NO_SOURCE)).inc(number)

    def waited(self, seconds: float) -> None:
        self._lock_wait_seconds.observe(seconds)

    def retried(self) -> None:
        self._retries.inc()

    def _begin_at_0(self) -> None:
        """What has no sample before its first event has no rate at it, and alarms nobody."""
        for kind, source in product(Event.Kind.values, OURS):
            self._corrections.labels(kind, source)
        for service, code in product(CHECKS, FAILURES):
            self._errors.labels(service, code)
        for service in CHECKS:
            self._service_seconds.labels(service)


def _counter(metric: Metric) -> Counter:
    return Counter(metric.name, metric.documentation, metric.labels)


def _histogram(metric: Metric) -> Histogram:
    return Histogram(metric.name, metric.documentation, metric.labels, buckets=metric.buckets)


recorder = Recorder()
"""The one of this process; Prometheus keeps each metric once."""
