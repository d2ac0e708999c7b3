"""The metrics of the services, and the observer that adds them up."""

from collections.abc import Mapping
from itertools import product

from prometheus_client import Counter, Histogram

from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Event
from doc_priority.observing import Call, Checked, Observer

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""From a check on the same host to the default LOCK_TIMEOUT_MS and beyond."""

MOST_SOURCES = 20
"""The maximum number of labels for sources, because a source may be any text of the portal.

The first sources of a process have a label of their own; all later ones are `other`.
"""
NO_SOURCE = "none"
OUR_SOURCES = (NO_SOURCE, "admin", "api", "command")

CHECKS = Counter(
    "doc_priority_checks_total",
    "Documents checked and committed, by result (first, counted, reset, repeated), by the "
    "priority given, and by whether a pin gave it (yes, no).",
    ("result", "priority", "pinned"),
)
CORRECTIONS = Counter(
    "doc_priority_corrections_total",
    "Events committed, by kind (reset, pin, unpin, policy, forget) and by source (none, "
    "admin, api, command, the portal's own); beyond 20 sources of a process it is 'other'.",
    ("kind", "source"),
)
ERRORS = Counter(
    "doc_priority_errors_total",
    "Calls of a service that raised, by service and by the error's code; database_error and "
    "unexpected_error are not the app's own.",
    ("service", "code"),
)
RETRIES = Counter(
    "doc_priority_retries_total",
    "Transactions begun again because the database gave them up for another one.",
)
SERVICE_SECONDS = Histogram(
    "doc_priority_service_seconds",
    "How long the calls of a service took, those that raised included.",
    ("service",),
    buckets=SECONDS,
)
LOCK_WAIT_SECONDS = Histogram(
    "doc_priority_lock_wait_seconds",
    "How long it took until the counters of a call were locked, or given up. Without others it is "
    "the time of one statement; what is above that is the wait for others.",
    buckets=SECONDS,
)

CHECK_SERVICES = ("check", "check_many")
CHECK_FAILURES = (CounterBusy.code, TransactionConflict.code, "database_error", "unexpected_error")
"""The errors of a check that are not its caller's fault."""


class Recorder(Observer):
    """Adds up in this process, or with PROMETHEUS_MULTIPROC_DIR across all of them."""

    def __init__(self) -> None:
        self._sources = {*OUR_SOURCES}
        # These begin at 0: without a sample before the first event there is no rate at that event,
        # and no alarm goes off.
        for kind, source in product(Event.Kind.values, OUR_SOURCES):
            CORRECTIONS.labels(kind, source)
        for service, code in product(CHECK_SERVICES, CHECK_FAILURES):
            ERRORS.labels(service, code)
            SERVICE_SECONDS.labels(service)

    def ended(self, call: Call, begun: None) -> None:
        SERVICE_SECONDS.labels(call.service).observe(call.seconds)
        if call.error:
            ERRORS.labels(call.service, call.error).inc()

    def checked(self, checks: Mapping[Checked, int]) -> None:
        for (result, priority, pinned), number in checks.items():
            CHECKS.labels(str(result), priority, "yes" if pinned else "no").inc(number)

    def corrected(self, kind: str, source: str, number: int) -> None:
        label = source or NO_SOURCE
        if len(self._sources) < MOST_SOURCES:
            self._sources.add(label)
        CORRECTIONS.labels(kind, label if label in self._sources else "other").inc(number)

    def waited(self, seconds: float) -> None:
        LOCK_WAIT_SECONDS.observe(seconds)

    def retried(self) -> None:
        RETRIES.inc()


recorder = Recorder()
"""The one of this process."""
