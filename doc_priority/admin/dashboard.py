"""The overview: the priorities of all customers on one page."""

from typing import Any

from django.forms import Media
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from doc_priority.admin.base import Page, address_of, rendered, scripts
from doc_priority.admin.charts import level_chart
from doc_priority.admin.events import change_of, customer_of
from doc_priority.admin.formatting import (
    cells_of,
    customer_link,
    long_text,
    short_text,
    time_of_day,
    to_the_minute,
)
from doc_priority.admin.live import activity_of
from doc_priority.conf import settings
from doc_priority.explanations import numeral
from doc_priority.models import Event
from doc_priority.selectors import LiveList, Overview, latest_resets, overview

MEDIA = Media(
    css={"all": ["doc_priority/charts.css"]},
    js=scripts("polling", "countdown", "matching", "dashboard"),
)


class Dashboard(Page):
    route = "dashboard/"
    name = "doc_priority_dashboard"

    def glance(self, request: HttpRequest) -> dict[str, Any]:
        """What the overview shows, and each of its refreshes."""
        moment = activity_of(request)
        customers: Any = self.model_admin.get_queryset(request)
        counted = overview(customers, at=moment.now)
        counting = LiveList(customers, moment).maybe_active.filter(counting=True)
        may_view_events = self.site.is_registered(Event) and request.user.has_perm(
            "doc_priority.view_event"
        )
        resets = latest_resets(most=10, customers=customers) if may_view_events else ()
        return {
            "overview": counted,
            "counts": counts_of(counted),
            "chart": level_chart(counted),
            "busiest": [
                {
                    "pk": row.pk,
                    "customer": customer_link(
                        row.pk, key=row.key, name=row.name, site=self.site.name
                    ),
                    **cells_of(row),
                }
                for row in counting.order_by("pending_documents", "key")[:10]
            ],
            "may_view_events": may_view_events,
            "resets": [
                {
                    "pk": event.pk,
                    "moment": to_the_minute(event.created_at),
                    "customer": customer_of(event, site=self.site.name),
                    "actor": short_text(event.actor),
                    "reason": long_text(event.reason),
                    "change": change_of(event) or "–",
                }
                for event in resets
            ],
            "updated": time_of_day(moment.now),
        }

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        return rendered(
            request,
            self.site,
            "dashboard",
            title=_("Overview"),
            media=MEDIA,
            live_url=address_of(self.site.name, DashboardLive.name),
            live_refresh_seconds=settings.live_refresh_seconds,
            **self.glance(request),
        )


class DashboardLive(Dashboard):
    """The content of the overview as it is now, for its script."""

    route = "dashboard/live/"
    name = "doc_priority_dashboard_live"

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        request.current_app = self.site.name
        glance = self.glance(request)
        html = render_to_string("doc_priority/admin/_dashboard.html", glance, request=request)
        return JsonResponse({"html": html, "updated": glance["updated"]})


def counts_of(overview: Overview) -> dict[str, str]:
    """The numbers above the chart, as people read them."""
    names = ("customers", "counting", "at_7_to_9", "pinned")
    return {name: numeral(getattr(overview, name)) for name in names}
