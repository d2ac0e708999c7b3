"""Events in the admin, to be read."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import CharField, Exists, IntegerField, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from doc_priority.admin.changes import change_of, facts_of
from doc_priority.admin.mentions import mentioned, named, written
from doc_priority.admin.moments import shown_to_the_second
from doc_priority.admin.titles import TitledAdmin
from doc_priority.folding import contains_folded
from doc_priority.models import Customer, Event
from doc_priority.selectors import with_customers
from doc_priority.validation import is_key

MOST_WORDS = 8
SOURCES = {
    "admin": _("admin pages"),
    "api": _("REST API"),
    "command": _("command line"),
}
"""Where our own parts say that an event came from; a portal's own word stays as it is."""


@admin.register(Event)
class EventAdmin(TitledAdmin):
    """Nobody adds, changes or deletes one; the services write them."""

    list_title = _("Events")
    page_title = _("Event")
    show_all = _("Show all events")
    offered: ClassVar = {
        "kind__exact": Event.Kind.choices,
        "customer": (),
        "customer__exact": (),
    }
    """What an address may name, with the values; of customers any key."""
    list_display = ("moment", "done", "concerned", "by", "why", "change", "through")
    list_filter = ("kind",)
    list_per_page = 50
    search_fields = ("customer", "actor", "reason")
    search_help_text = _("Key or name of a customer, actor or reason")
    sortable_by = ()
    actions = None
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    change_list_template = "doc_priority/admin/events_list.html"
    fields = ("moment", "done", "concerned", "by", "why", "facts", "through")
    readonly_fields = fields

    class Media:
        css: ClassVar = {"all": ["doc_priority/admin.css", "doc_priority/mentions.css"]}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """All events, whomever they are about; of a customer that one cannot reach only the key.

        Names and links are of the customers that the registered admin of customers shows.
        """
        events: QuerySet[Event] = super().get_queryset(request)
        if self._may_view_customers(request):
            customers = self.admin_site.get_model_admin(Customer).get_queryset(request)
            return with_customers(events, customers=customers)
        return events.annotate(
            customer_pk=Value(None, IntegerField()), customer_name=Value(None, CharField())
        )

    def _may_view_customers(self, request: HttpRequest) -> bool:
        return self.admin_site.is_registered(Customer) and self.admin_site.get_model_admin(
            Customer
        ).has_view_permission(request)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """The filter, and a customer's key for links from elsewhere."""
        if lookup == "kind__exact":
            return value in Event.Kind.values
        return lookup in self.offered and is_key(value)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Event], search_term: str
    ) -> tuple[QuerySet[Event], bool]:
        """Every word, whatever its case and accents, in what the list shows."""
        customers: QuerySet[Customer] = Customer.objects.none()
        if self._may_view_customers(request):
            customers = self.admin_site.get_model_admin(Customer).get_queryset(request).order_by()
        theirs = customers.filter(key=OuterRef("customer"))
        for word in search_term.split(None, MOST_WORDS - 1):
            queryset = queryset.filter(
                contains_folded(Lower("customer"), word)
                | contains_folded(Lower("actor"), word)
                | contains_folded(Lower("reason"), word)
                | Q(Exists(theirs.filter(contains_folded(Lower("name"), word))))
            )
        return queryset, False

    @admin.display(description=_("when"))
    def moment(self, event: Event) -> str:
        return shown_to_the_second(event.created_at)

    @admin.display(description=_("kind"))
    def done(self, event: Event) -> str:
        return event.get_kind_display()

    @admin.display(description=_("customer"))
    def concerned(self, event: Event) -> SafeString | str:
        return mentioned(event, site=self.admin_site.name)

    @admin.display(description=_("actor"))
    def by(self, event: Event) -> SafeString:
        return named(event.actor)

    @admin.display(description=_("reason"))
    def why(self, event: Event) -> SafeString:
        return written(event.reason)

    @admin.display(description=_("before → after"))
    def change(self, event: Event) -> str:
        return change_of(event) or "–"

    @admin.display(description=_("before → after"))
    def facts(self, event: Event) -> SafeString:
        return format_html_join("", "<div>{}: {}</div>", facts_of(event))

    @admin.display(description=_("source"))
    def through(self, event: Event) -> SafeString:
        return named(str(SOURCES.get(event.source, event.source)))
