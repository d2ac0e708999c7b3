"""How all customers stand, at a glance."""

from collections.abc import Iterable
from typing import Any

from django.forms import Media, Script
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from doc_priority.admin.activity import activity_of
from doc_priority.admin.changes import change_of
from doc_priority.admin.charts import level_chart
from doc_priority.admin.columns import pending_documents_of, priority_of, resets_in
from doc_priority.admin.mentions import linked, mentioned, named, written
from doc_priority.admin.moments import shown, time_of
from doc_priority.admin.pages import Page
from doc_priority.conf import settings
from doc_priority.models import Event
from doc_priority.numerals import numeral
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import Overview, latest_resets, overview

STYLES = ["doc_priority/charts.css", "doc_priority/mentions.css"]
SCRIPTS: list[Any] = [
    Script(f"doc_priority/{name}.js", defer=True)
    for name in ("polling", "countdown", "matching", "dashboard")
]
COUNTS = ("customers", "counting", "waiting", "pinned")
BUSIEST = 10
RESETS = 10


class Glance(Page):
    """What the page shows and its refresh brings again."""

    def glance(self, request: HttpRequest) -> dict[str, Any]:
        now = activity_of(request).now
        site = self.model_admin.admin_site.name
        customers: Any = self.model_admin.get_queryset(request)
        counted = overview(customers, at=now)
        return {
            "overview": counted,
            "counts": counts_of(counted),
            "chart": level_chart(counted),
            "busiest": [_busy(row, site) for row in self._busiest(request)],
            "may_view_events": self._may_view_events(request),
            "resets": [_reset(event, site) for event in self._resets(request)],
            "updated": time_of(now),
        }

    def _busiest(self, request: HttpRequest) -> Iterable[Any]:
        """The customers with the lowest counts, of those whose interval runs."""
        moment = activity_of(request)
        customers: Any = self.model_admin.get_queryset(request)
        moving: CustomerQuerySet = customers.moving(now=moment.now, since=moment.since)
        return moving.filter(counting=True).order_by("pending_documents", "key")[:BUSIEST]

    def _may_view_events(self, request: HttpRequest) -> bool:
        return self.model_admin.admin_site.is_registered(Event) and request.user.has_perm(
            "doc_priority.view_event"
        )

    def _resets(self, request: HttpRequest) -> Iterable[Event]:
        if not self._may_view_events(request):
            return ()
        return latest_resets(most=RESETS, customers=self.model_admin.get_queryset(request))


class Dashboard(Glance):
    route = "dashboard/"
    name = "doc_priority_dashboard"

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        site = self.model_admin.admin_site.name
        return self.rendered(
            request,
            "dashboard",
            title=_("Dashboard"),
            live_url=reverse(f"admin:{DashboardLive.name}", current_app=site),
            live_refresh_seconds=settings.live_refresh_seconds,
            **self.glance(request),
        )

    @property
    def media(self) -> Media:
        return Media(css={"all": STYLES}, js=SCRIPTS)


class DashboardLive(Glance):
    """The content of the dashboard as it is now, for its script."""

    route = "dashboard/live/"
    name = "doc_priority_dashboard_live"

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        request.current_app = self.model_admin.admin_site.name
        shown_now = self.glance(request)
        html = render_to_string("doc_priority/admin/_dashboard.html", shown_now, request=request)
        return JsonResponse({"html": html, "updated": shown_now["updated"]})


def counts_of(overview: Overview) -> dict[str, str]:
    """The numbers above the chart, as people read them."""
    return {name: numeral(getattr(overview, name)) for name in COUNTS}


def _busy(row: Any, site: str) -> dict[str, Any]:
    return {
        "pk": row.pk,
        "customer": linked(row.pk, key=row.key, name=row.name, site=site),
        "priority": priority_of(row),
        "pending_documents": pending_documents_of(row),
        "resets_in": resets_in(row),
    }


def _reset(event: Event, site: str) -> dict[str, Any]:
    return {
        "pk": event.pk,
        "moment": shown(event.created_at),
        "customer": mentioned(event, site=site),
        "actor": named(event.actor),
        "reason": written(event.reason),
        "change": change_of(event) or "–",
    }
