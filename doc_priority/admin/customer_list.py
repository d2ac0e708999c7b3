"""The live list: its columns, order, filters, search and actions."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import F, Value
from django.forms import Script
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from doc_priority.admin import columns
from doc_priority.admin.activity import activity_of
from doc_priority.admin.corrections import (
    CorrectionPage,
    ForgetPage,
    PinPage,
    ResetPage,
    Selection,
    UnpinPage,
)
from doc_priority.admin.exporting import csv_response
from doc_priority.admin.filters import PolicyFilter, PriorityFilter, StateFilter
from doc_priority.admin.moments import time_of
from doc_priority.admin.paging import WORST_FIRST, LivePaginator
from doc_priority.admin.strictness import is_ticked_right
from doc_priority.admin.titles import TitledAdmin
from doc_priority.conf import settings
from doc_priority.fields import MicrosecondField
from doc_priority.querysets import CustomerQuerySet
from doc_priority.services.transactions import alias_for_write
from doc_priority.validation import is_key

MOST_WORDS = 8


def worst_first(changelist: type[ChangeList]) -> type[ChangeList]:
    """The same kind of list, whose header shows that it comes by priority."""
    shown = {"_get_default_ordering": lambda self: WORST_FIRST[:1]}
    return type(changelist.__name__, (changelist,), shown)


class CustomerList(TitledAdmin):
    """All customers as they stand now, worst priority first."""

    list_title = gettext_lazy("Customers")
    page_title = gettext_lazy("Customer")
    new_title = gettext_lazy("New customer")
    show_all = gettext_lazy("Show all customers")
    offered: ClassVar = {"key": (), "key__exact": ()}
    change_list_template = "doc_priority/admin/customers.html"
    list_display = ("customer", "priority", "pending_documents", "resets_in", "last_update")
    list_filter = (PriorityFilter, StateFilter, PolicyFilter)
    list_per_page = 100
    list_max_show_all = 100
    search_fields = ("key", "name")
    search_help_text = gettext_lazy("Key or name of a customer")
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    actions = (
        "reset_priority",
        "pin_priority",
        "unpin_priority",
        "export_as_csv",
        "delete_selected",
    )

    class Media:
        css: ClassVar = {"all": ["doc_priority/admin.css", "doc_priority/charts.css"]}
        js: ClassVar = [
            Script("doc_priority/countdown.js", defer=True),
            Script("doc_priority/polling.js", defer=True),
            Script("doc_priority/matching.js", defer=True),
            Script("doc_priority/live.js", defer=True),
            Script("doc_priority/standing.js", defer=True),
        ]

    def get_queryset(self, request: HttpRequest) -> CustomerQuerySet:
        now = activity_of(request).now
        customers: CustomerQuerySet = self.model._default_manager.using(alias_for_write())
        read: CustomerQuerySet = customers.live(now).annotate(
            read_at=Value(now, MicrosecondField())
        )
        return read.select_related("counter", "policy").order_by(*self.get_ordering(request))

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Not as the attribute, of which Django demands columns of the table."""
        return WORST_FIRST

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return worst_first(super().get_changelist(request, **kwargs))

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

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        site = self.admin_site.name
        return super().changelist_view(
            request,
            {
                "live_url": reverse("admin:doc_priority_customer_live", current_app=site),
                "live_refresh_seconds": settings.live_refresh_seconds,
                "updated": time_of(activity_of(request).now),
                **(extra_context or {}),
            },
        )

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """An address may name a key, for links from elsewhere; all else are the filters."""
        if lookup in self.offered:
            return is_key(value)
        return lookup in {getattr(one, "parameter_name", None) for one in self.list_filter}

    @admin.display(description=gettext_lazy("customer"), ordering="key")
    def customer(self, row: Any) -> SafeString:
        return columns.name_of(row)

    @admin.display(description=gettext_lazy("priority"), ordering="priority")
    def priority(self, row: Any) -> SafeString:
        return columns.live_cell(row, "priority", columns.priority_of(row))

    @admin.display(description=gettext_lazy("pending documents"), ordering="pending_documents")
    def pending_documents(self, row: Any) -> SafeString:
        return columns.live_cell(row, "pending_documents", columns.pending_documents_of(row))

    @admin.display(
        description=gettext_lazy("resets in"), ordering=F("resets_at").asc(nulls_last=True)
    )
    def resets_in(self, row: Any) -> SafeString:
        return columns.live_cell(row, "resets_in", columns.resets_in(row))

    @admin.display(description=gettext_lazy("last update"), ordering="counter__updated_at")
    def last_update(self, row: Any) -> SafeString:
        return columns.live_cell(row, "last_update", columns.last_update_of(row))

    def has_reset_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("doc_priority.reset_customer")

    def has_pin_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("doc_priority.pin_customer")

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not is_ticked_right(request):
            said = _("What was ticked cannot be read. Tick the customers again.")
            self.message_user(request, said, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        return super().response_action(request, *args, **kwargs)

    @admin.action(description=ResetPage.action, permissions=["reset"])
    def reset_priority(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        return self._ask(ResetPage(self), request, queryset)

    @admin.action(description=PinPage.action, permissions=["pin"])
    def pin_priority(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        return self._ask(PinPage(self), request, queryset)

    @admin.action(description=UnpinPage.action, permissions=["pin"])
    def unpin_priority(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        return self._ask(UnpinPage(self), request, queryset)

    @admin.action(description=ForgetPage.action, permissions=["delete"])
    def delete_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse:
        """By this name it takes the place of Django's own, which asks for no reason."""
        return self._ask(ForgetPage(self), request, queryset)

    @admin.action(description=gettext_lazy("Export as CSV"), permissions=["view"])
    def export_as_csv(self, request: HttpRequest, queryset: Any) -> Any:
        if request.POST.get("select_across") == "1":
            return csv_response(queryset)
        ticked = Selection.of_action(request, queryset)
        return csv_response(self.get_queryset(request).filter(pk__in=ticked.pks))

    def _ask(self, page: CorrectionPage, request: HttpRequest, queryset: Any) -> HttpResponse:
        selection = Selection.of_action(request, queryset)
        return page.ask(request, selection, list_query=request.GET.urlencode())
