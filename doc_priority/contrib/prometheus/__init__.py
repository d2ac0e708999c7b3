"""Metrics for Prometheus, of an app that needs no other configuration than its name."""

from doc_priority.extras import require

require("prometheus", "prometheus_client")
