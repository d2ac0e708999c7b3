"""Customers in the admin: the live list, the page of a customer, and its form."""

from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import F, Value
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from doc_priority import services
from doc_priority.admin.base import SOURCE, Page, SavedByServices, address_of, is_number, scripts
from doc_priority.admin.charts import day_chart
from doc_priority.admin.corrections import (
    CorrectionPage,
    ForgetPage,
    PinPage,
    ResetPage,
    Selection,
    UnpinPage,
    gone_message,
)
from doc_priority.admin.dashboard import Dashboard, DashboardLive
from doc_priority.admin.events import MOST_WORDS, change_of, kind_and_change
from doc_priority.admin.explaining import RulePage
from doc_priority.admin.export import csv_response
from doc_priority.admin.filters import PolicyFilter, PriorityFilter, StateFilter
from doc_priority.admin.formatting import (
    badge,
    cells_of,
    name_of,
    time_of_day,
    to_the_minute,
    to_the_second,
)
from doc_priority.admin.forms import CustomerForm
from doc_priority.admin.live import LivePaginator, LiveRows, activity_of, live_cell
from doc_priority.conf import settings
from doc_priority.explanations import explain, numeral
from doc_priority.fields import MicrosecondField
from doc_priority.models import Customer, DocumentDecision, Event
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import WORST_FIRST, corrections_of, day_of, last_event, newer_events
from doc_priority.validation import is_key

LATEST = 10
"""Documents and events on the page of a customer."""


def priority_now(row: Any) -> dict[str, Any]:
    """What the part of a customer's page shows that the script refreshes."""
    return {
        **cells_of(row),
        "customer": row,
        "sentence": explain(row),
        "pinned_until": row.pinned_until and to_the_minute(row.pinned_until),
        "updated": time_of_day(row.read_at),
    }


class PriorityNow(Page):
    """The part of a customer's page that the script refreshes."""

    route = "<int:pk>/standing/"
    name = "doc_priority_customer_standing"

    def respond(self, request: HttpRequest, pk: int) -> HttpResponse:
        row = get_object_or_404(self.model_admin.get_queryset(request), pk=pk)
        context = priority_now(row)
        html = render_to_string("doc_priority/admin/_standing.html", context, request)
        return JsonResponse({"updated": context["updated"], "html": html})


@admin.register(Customer)
class CustomerAdmin(SavedByServices):
    """All customers as they are now, worst priority first."""

    pages = (
        LiveRows,
        PriorityNow,
        ResetPage,
        PinPage,
        UnpinPage,
        ForgetPage,
        Dashboard,
        DashboardLive,
        RulePage,
    )
    list_title = gettext_lazy("Customers")
    page_title = gettext_lazy("Customer")
    new_title = gettext_lazy("New customer")
    show_all = gettext_lazy("Show all customers")
    offered: ClassVar = {"key": (), "key__exact": ()}
    change_list_template = "doc_priority/admin/customers.html"
    change_form_template = "doc_priority/admin/customer.html"
    list_display = ("customer", "priority", "pending_documents", "resets_in", "last_update")
    list_filter = (PriorityFilter, StateFilter, PolicyFilter)
    list_per_page = 100
    list_max_show_all = 100
    search_fields = ("key", "name")
    search_help_text = gettext_lazy("Search by customer name or ID")
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    actions = (
        "reset_priority",
        "pin_priority",
        "unpin_priority",
        "export_as_csv",
        "delete_selected",
    )
    form = CustomerForm
    fields = ("key", "name", "policy")

    class Media:
        css: ClassVar = {"all": ["doc_priority/charts.css"]}
        js: ClassVar = scripts("countdown", "polling", "matching", "live", "standing")

    def has_reset_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("doc_priority.reset_customer")

    def has_pin_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("doc_priority.pin_customer")

    # The list.

    def get_queryset(self, request: HttpRequest) -> CustomerQuerySet:
        now = activity_of(request).now
        customers: CustomerQuerySet = self.model._default_manager.primary()
        read: CustomerQuerySet = customers.live(now).annotate(
            read_at=Value(now, MicrosecondField())
        )
        return read.select_related("counter", "policy").order_by(*self.get_ordering(request))

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Not the attribute `ordering`: Django demands columns of the table there."""
        return WORST_FIRST

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        themed: Any = super().get_changelist(request, **kwargs)

        class WorstFirst(themed):  # type: ignore[misc]
            def _get_default_ordering(self) -> tuple[str, ...]:
                """So the header shows the order by priority; Django has no public hook for it."""
                return WORST_FIRST[:1]

        return WorstFirst

    def get_paginator(
        self, request: HttpRequest, queryset: Any, per_page: int, *args: Any, **kwargs: Any
    ) -> LivePaginator:
        return LivePaginator(queryset, per_page, activity=activity_of(request))

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[Any, bool]:
        """Every word must be in the key or the name."""
        for word in search_term.split(None, MOST_WORDS - 1):
            queryset = queryset.search(word)
        return queryset, False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """The filters, and the customer's key, which links from other pages use."""
        if lookup in self.offered:
            return is_key(value)
        return lookup in {getattr(offered, "parameter_name", None) for offered in self.list_filter}

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        context = {
            "live_url": address_of(self.admin_site.name, LiveRows.name),
            "live_refresh_seconds": settings.live_refresh_seconds,
            "updated": time_of_day(activity_of(request).now),
        }
        return super().changelist_view(request, {**context, **(extra_context or {})})

    @admin.display(description=gettext_lazy("customer"), ordering="key")
    def customer(self, row: Any) -> SafeString:
        return name_of(row)

    @admin.display(description=gettext_lazy("priority"), ordering="priority")
    def priority(self, row: Any) -> SafeString:
        return live_cell(row, "priority")

    @admin.display(description=gettext_lazy("pending documents"), ordering="pending_documents")
    def pending_documents(self, row: Any) -> SafeString:
        return live_cell(row, "pending_documents")

    @admin.display(
        description=gettext_lazy("back at 0 in"), ordering=F("resets_at").asc(nulls_last=True)
    )
    def resets_in(self, row: Any) -> SafeString:
        return live_cell(row, "resets_in")

    @admin.display(description=gettext_lazy("last change"), ordering="counter__updated_at")
    def last_update(self, row: Any) -> SafeString:
        return live_cell(row, "last_update")

    # The actions of the list.

    def response_to_unreadable_ticks(self, request: HttpRequest) -> HttpResponse:
        message = _("Your selection could not be read. Select the customers again.")
        self.message_user(request, message, messages.ERROR)
        return HttpResponseRedirect(request.get_full_path())

    @admin.action(description=ResetPage.action, permissions=["reset"])
    def reset_priority(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        return self._confirm(ResetPage, request, queryset)

    @admin.action(description=PinPage.action, permissions=["pin"])
    def pin_priority(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        return self._confirm(PinPage, request, queryset)

    @admin.action(description=UnpinPage.action, permissions=["pin"])
    def unpin_priority(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        return self._confirm(UnpinPage, request, queryset)

    @admin.action(description=ForgetPage.action, permissions=["delete"])
    def delete_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        """Replaces Django's own action of this name, which asks for no reason."""
        return self._confirm(ForgetPage, request, queryset)

    def _confirm(
        self, page: type[CorrectionPage], request: HttpRequest, queryset: Any
    ) -> HttpResponse:
        selection = Selection.of_action(request, queryset)
        return page(self).ask(request, selection, list_query=request.GET.urlencode())

    @admin.action(description=gettext_lazy("Export as CSV"), permissions=["view"])
    def export_as_csv(self, request: HttpRequest, queryset: Any) -> Any:
        if request.POST.get("select_across") == "1":
            return csv_response(queryset)
        ticked = Selection.of_action(request, queryset)
        return csv_response(self.get_queryset(request).filter(pk__in=ticked.pks))

    # The page of one customer.

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        row = kwargs.get("obj")
        if row is not None:
            if context["adminform"].form.is_bound:
                # A form with errors has put unsaved values into its row: read the row again.
                row = self.get_queryset(request).filter(pk=row.pk).first() or row
            context |= priority_now(row) | self._history(row)
            context |= {
                "may_reset": self.has_reset_permission(request),
                "may_pin": self.has_pin_permission(request),
                "live_url": address_of(self.admin_site.name, PriorityNow.name, row.pk),
                "live_refresh_seconds": settings.live_refresh_seconds,
            }
        return super().render_change_form(request, context, *args, **kwargs)

    def _history(self, row: Any) -> dict[str, Any]:
        """The last 24 hours, documents and events."""
        decisions = DocumentDecision.objects.primary().filter(customer=row.key)
        events = list(Event.objects.primary().filter(customer=row.key)[:LATEST])
        day = day_of(row.key, now=row.read_at)
        return {
            "chart": day_chart(day, corrections=corrections_of(row.key, day=day)),
            "documents": [
                {
                    "when": to_the_second(decision.decided_at),
                    "document": decision.document,
                    "badge": badge(decision.priority, pinned=decision.pinned),
                    "pending_documents": numeral(decision.pending_documents),
                }
                for decision in decisions.order_by("-decided_at", "-pk")[:LATEST]
            ],
            "events": [
                {
                    "when": to_the_minute(event.created_at),
                    "what": kind_and_change(event),
                    "actor": event.actor,
                    "reason": event.reason,
                }
                for event in events
            ],
        }

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> HttpResponse:
        """For a customer that no longer exists; Django has no public hook for it."""
        pk = int(object_id) if is_number(object_id) else 0
        self.message_user(request, gone_message(request, pk), messages.WARNING)
        customers = address_of(self.admin_site.name, "doc_priority_customer_changelist")
        return HttpResponseRedirect(customers)

    # The form.

    def get_readonly_fields(self, request: HttpRequest, obj: Customer | None = None) -> Any:
        return () if obj is None else ("key",)

    def get_fields(self, request: HttpRequest, obj: Customer | None = None) -> Any:
        """With a reason for users who may give the customer another policy."""
        fields = super().get_fields(request, obj)
        is_asked = obj is not None and self.has_change_permission(request, obj)
        return (*fields, "reason") if is_asked else fields

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Only fields that were changed in the form, of a customer that this user can see."""
        policy = obj.policy.name if obj.policy else ""
        among = self.get_queryset(request)
        if not change:
            made = services.create_customer(
                obj.key, name=obj.name, policy=policy or None, among=among
            )
            obj.pk, obj._state.adding = made.pk, False
            return
        changed = {"name": obj.name, "policy": policy}
        last = last_event([obj.key])
        services.change_customer(
            obj.key,
            actor=request.user,
            reason=form.cleaned_data["reason"],
            source=SOURCE,
            among=among,
            **{name: value for name, value in changed.items() if name in form.changed_data},
        )
        for event in newer_events(last, [obj.key]).filter(kind=Event.Kind.POLICY)[:1]:
            self.message_user(
                request, _("Policy change: %(change)s") % {"change": change_of(event)}
            )
            # Django's next step gets the request only.
            request._doc_priority_policy_changed = True  # type: ignore[attr-defined]

    def response_post_save_change(
        self, request: HttpRequest, obj: Customer
    ) -> HttpResponseRedirect:
        """After a change of policy the page is shown again, with its effect."""
        if hasattr(request, "_doc_priority_policy_changed"):
            return HttpResponseRedirect(request.get_full_path())
        return super().response_post_save_change(request, obj)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """The correction page deletes the customer, because it asks for a reason."""
        if not self.has_delete_permission(request):
            raise PermissionDenied
        address = address_of(self.admin_site.name, ForgetPage.name)
        return HttpResponseRedirect(f"{address}?{urlencode({'customer': object_id})}")
