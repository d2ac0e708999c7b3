"""Can this process check documents now? For the page that a load balancer asks."""

from doc_priority.health import Item, Readiness, readiness

__all__ = ["Item", "Readiness", "readiness"]
