"""Where a customer stands and why: what its page says above the form."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from doc_priority.admin import charts
from doc_priority.admin.badges import badge
from doc_priority.admin.changes import change_of
from doc_priority.admin.columns import (
    last_update_of,
    pending_documents_of,
    priority_of,
    resets_in,
)
from doc_priority.admin.moments import shown, shown_to_the_second, time_of
from doc_priority.admin.pages import Page
from doc_priority.explanations import explain
from doc_priority.models import DocumentDecision, Event
from doc_priority.numerals import numeral
from doc_priority.selectors import corrections_of, day_of
from doc_priority.services.transactions import alias_for_write

LAST = 10
TEMPLATE = "doc_priority/admin/_standing.html"


class StandingLive(Page):
    """The same once more, for the page's script."""

    route = "<int:pk>/standing/"
    name = "doc_priority_customer_standing"

    def respond(self, request: HttpRequest, pk: int) -> HttpResponse:
        row = get_object_or_404(self.model_admin.get_queryset(request), pk=pk)
        context = standing_context(row)
        html = render_to_string(TEMPLATE, context, request)
        return JsonResponse({"updated": context["updated"], "html": html})


def standing_context(row: Any) -> dict[str, Any]:
    """All that the part of the page shows that changes by itself."""
    return {
        "customer": row,
        "badge": priority_of(row),
        "sentence": explain(row, shown=shown),
        "pending_documents": pending_documents_of(row),
        "resets_in": resets_in(row),
        "last_update": last_update_of(row),
        "pinned": row.pinned,
        "pinned_until": row.pinned_until and shown(row.pinned_until),
        "updated": time_of(row.read_at),
    }


class ShownDocument(NamedTuple):
    """A line of the last documents."""

    when: str
    document: str
    badge: SafeString
    pending_documents: str


class ShownEvent(NamedTuple):
    """A line of the last events."""

    when: str
    what: str
    actor: str
    reason: str


def history_context(row: Any) -> dict[str, Any]:
    """What happened to the customer lately."""
    alias = alias_for_write()
    decisions = DocumentDecision.objects.using(alias).filter(customer=row.key)
    documents = decisions.order_by("-decided_at", "-pk")
    events = list(Event.objects.using(alias).filter(customer=row.key)[:LAST])
    day = day_of(row.key, now=row.read_at)
    return {
        "chart": charts.day_chart(day, corrections=corrections_of(row.key, day=day)),
        "documents": [_shown_document(one) for one in documents[:LAST]],
        "events": [_shown_event(one) for one in events],
    }


def _shown_document(one: DocumentDecision) -> ShownDocument:
    return ShownDocument(
        shown_to_the_second(one.decided_at),
        one.document,
        badge(one.priority, pinned=one.pinned),
        numeral(one.pending_documents),
    )


def _shown_event(one: Event) -> ShownEvent:
    what = ": ".join(filter(None, (one.get_kind_display(), change_of(one))))
    return ShownEvent(shown(one.created_at), what, one.actor, one.reason)


def buttons_of(model_admin: Any, request: HttpRequest) -> dict[str, bool]:
    """Which corrections this user may make."""
    may_pin = model_admin.has_pin_permission(request)
    return {
        "may_reset": model_admin.has_reset_permission(request),
        "may_pin": may_pin,
        "may_forget": model_admin.has_delete_permission(request),
    }
