"""The page that Prometheus scrapes."""

from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import choose_encoder

from doc_priority.contrib.prometheus.scraping import may_scrape, registry


@login_not_required
@transaction.non_atomic_requests
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics, in the format that the scraper asks for.

    It asks for its own token, and answers also while the database is away.
    """
    if not may_scrape(request):
        return _refused()
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry()), content_type=content_type)


def _refused() -> HttpResponse:
    """The same whether a token was missing, wrong, or is not used here at all."""
    return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
