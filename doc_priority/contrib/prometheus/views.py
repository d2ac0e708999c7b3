"""The page that Prometheus scrapes, and who may read it."""

import hmac
import os
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

from doc_priority.contrib.prometheus.live import live

SETTING = "DOC_PRIORITY_METRICS_TOKEN"
PERMISSION = "doc_priority.view_customer"
MULTIPLE_PROCESSES = "PROMETHEUS_MULTIPROC_DIR"


@login_not_required
@transaction.non_atomic_requests
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics of the portal, in the format that the scraper asks for.

    The page asks for a token or a login by itself, and it answers while the database is away.
    """
    if not (_has_token(request) or _is_staff(request)):
        # The same whether a token was missing, wrong, or is not used here at all.
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    registry = REGISTRY
    if MULTIPLE_PROCESSES in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # as Prometheus has it
        registry.register(live)
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type=content_type)


def token() -> Any:
    """What a scraper shows; without a token only users can read."""
    return getattr(settings, SETTING, None)


def _has_token(request: HttpRequest) -> bool:
    wanted = token()
    scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
    if not wanted or not isinstance(wanted, str) or scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(shown.strip().encode(), wanted.encode())


def _is_staff(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)
    return user is not None and user.is_active and user.is_staff and user.has_perm(PERMISSION)
