"""Who may read the metrics, and what is read."""

import hmac
import os
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from doc_priority.contrib.prometheus.live import live

SETTING = "DOC_PRIORITY_METRICS_TOKEN"
PERMISSION = "doc_priority.view_customer"
MULTIPLE_PROCESSES = "PROMETHEUS_MULTIPROC_DIR"


def token() -> Any:
    """What a scraper shows; without one only users can read."""
    return getattr(settings, SETTING, None)


def may_scrape(request: HttpRequest) -> bool:
    """Whoever shows the token, or is a member of staff who may see customers."""
    return _shows_token(request) or _is_staff(request)


def registry() -> CollectorRegistry:
    """All metrics of the portal: of this process, or of all of them."""
    if MULTIPLE_PROCESSES not in os.environ:
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # as Prometheus has it
    together.register(live)
    return together


def _shows_token(request: HttpRequest) -> bool:
    wanted = token()
    scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
    if not wanted or not isinstance(wanted, str) or scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(shown.strip().encode(), wanted.encode())


def _is_staff(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)
    return user is not None and user.is_active and user.is_staff and user.has_perm(PERMISSION)
