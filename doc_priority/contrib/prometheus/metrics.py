"""Every metric there is: its name, its labels, and what it says."""

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    COUNTER = "counter"
    HISTOGRAM = "histogram"
    GAUGE = "gauge"


class Metric(NamedTuple):
    """One metric as it is scraped."""

    name: str
    kind: Kind
    documentation: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""From a check on the same host to the default LOCK_TIMEOUT_MS and beyond."""

CHECKS = Metric(
    "doc_priority_checks_total",
    Kind.COUNTER,
    "Documents checked and committed, by result (first, counted, reset, repeated), by the "
    "priority given, and by whether a pin gave it (yes, no).",
    ("result", "priority", "pinned"),
)
CORRECTIONS = Metric(
    "doc_priority_corrections_total",
    Kind.COUNTER,
    "Events committed, by kind (reset, pin, unpin, policy, forget) and by source (none, "
    "admin, api, command, the portal's own); beyond 20 sources of a process it is 'other'.",
    ("kind", "source"),
)
ERRORS = Metric(
    "doc_priority_errors_total",
    Kind.COUNTER,
    "Calls of a service that raised, by service and by the error's code; database_error and "
    "unexpected_error are not the app's own.",
    ("service", "code"),
)
RETRIES = Metric(
    "doc_priority_retries_total",
    Kind.COUNTER,
    "Transactions begun again because the database gave them up for another one.",
)
SERVICE_SECONDS = Metric(
    "doc_priority_service_seconds",
    Kind.HISTOGRAM,
    "How long the calls of a service took, those that raised included.",
    ("service",),
    SECONDS,
)
LOCK_WAIT_SECONDS = Metric(
    "doc_priority_lock_wait_seconds",
    Kind.HISTOGRAM,
    "How long it took until the counters of a call were locked, or given up. Alone this is one "
    "statement; what is above it is the wait for others.",
    (),
    SECONDS,
)
LIVE_UP = Metric(
    "doc_priority_live_up",
    Kind.GAUGE,
    "1 if the database told the gauges below, 0 if it could not be asked; they are left out then.",
)
LIVE_CUSTOMERS = Metric(
    "doc_priority_live_customers",
    Kind.GAUGE,
    "Customers that stand at this priority now; those at rest stand at 1.",
    ("priority",),
)
COUNTING_CUSTOMERS = Metric(
    "doc_priority_counting_customers",
    Kind.GAUGE,
    "Customers whose counter is below 0 or whose interval is running, and who are not pinned.",
)
PINNED_CUSTOMERS = Metric(
    "doc_priority_pinned_customers", Kind.GAUGE, "Customers whose priority is pinned now."
)
OLDEST_WAITING_SECONDS = Metric(
    "doc_priority_oldest_waiting_seconds",
    Kind.GAUGE,
    "How long the oldest document in the engine's queue has been waiting, 0 if none is. Only "
    "engines that can tell: django-tasks, procrastinate.",
    ("engine",),
)

RECORDED = (CHECKS, CORRECTIONS, ERRORS, RETRIES, SERVICE_SECONDS, LOCK_WAIT_SECONDS)
"""What each process adds up."""

LIVE = (
    LIVE_UP,
    LIVE_CUSTOMERS,
    COUNTING_CUSTOMERS,
    PINNED_CUSTOMERS,
    OLDEST_WAITING_SECONDS,
)
"""What is read from the database when it is asked for."""

METRICS = RECORDED + LIVE
