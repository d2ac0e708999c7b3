"""Events in the admin, read-only: their list, their page, and their changes in words."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from doc_priority.admin.base import BaseAdmin
from doc_priority.admin.formatting import customer_link, long_text, short_text, to_the_second
from doc_priority.explanations import numeral
from doc_priority.formats import UNTIL, short_duration
from doc_priority.models import Customer, Event, Policy
from doc_priority.search import contains_folded
from doc_priority.selectors import with_customers
from doc_priority.types import Recovery
from doc_priority.validation import is_key

MOST_WORDS = 8
SOURCES = {
    "admin": _("admin pages"),
    "api": _("REST API"),
    "command": _("command line"),
}
"""The sources that doc_priority writes; any other source is shown as it is."""


@admin.register(Event)
class EventAdmin(BaseAdmin):
    """Nobody adds, changes or deletes an event here; the services write them."""

    list_title = _("Events")
    page_title = _("Event")
    show_all = _("Show all events")
    offered: ClassVar = {
        "kind__exact": Event.Kind.choices,
        "customer": (),
        "customer__exact": (),
    }
    list_display = ("moment", "done", "concerned", "by", "why", "change", "through")
    list_filter = ("kind",)
    list_per_page = 50
    search_fields = ("customer", "actor", "reason")
    search_help_text = _("Search by customer, person or reason")
    sortable_by = ()
    actions = None
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    change_list_template = "doc_priority/admin/events_list.html"
    fields = ("moment", "done", "concerned", "by", "why", "facts", "through")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Event | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """All events; with names and links of the customers that this user may view."""
        return with_customers(super().get_queryset(request), customers=self._customers(request))

    def _customers(self, request: HttpRequest) -> QuerySet[Customer]:
        customers: QuerySet[Customer] = Customer.objects.none()
        if self.may_view_customers(request):
            customers = self.admin_site.get_model_admin(Customer).get_queryset(request)
        return customers

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """The filter, and the customer's key, which links from other pages use."""
        if lookup == "kind__exact":
            return value in Event.Kind.values
        return lookup in self.offered and is_key(value)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Event], search_term: str
    ) -> tuple[QuerySet[Event], bool]:
        """Events that have every word in what the list shows, whatever its case and accents."""
        theirs = self._customers(request).order_by().filter(key=OuterRef("customer"))
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
        return to_the_second(event.created_at)

    @admin.display(description=_("type"))
    def done(self, event: Event) -> str:
        """The model's own field would make the list sortable by an address."""
        return event.get_kind_display()

    @admin.display(description=_("customer"))
    def concerned(self, event: Event) -> SafeString | str:
        return customer_of(event, site=self.admin_site.name)

    @admin.display(description=_("who"))
    def by(self, event: Event) -> SafeString:
        return short_text(event.actor)

    @admin.display(description=_("reason"))
    def why(self, event: Event) -> SafeString:
        return long_text(event.reason)

    @admin.display(description=_("before → after"))
    def change(self, event: Event) -> str:
        return change_of(event) or "–"

    @admin.display(description=_("before → after"))
    def facts(self, event: Event) -> SafeString:
        return format_html_join("", "<div>{}: {}</div>", facts_of(event))

    @admin.display(description=_("via"))
    def through(self, event: Event) -> SafeString:
        return short_text(str(SOURCES.get(event.source, event.source)))


# What an event says in words.


def customer_of(event: Any, *, site: str) -> SafeString | str:
    """The customer of an event, with a link while the customer exists.

    The event was read by `selectors.with_customers`; `site` is the name of the admin.
    """
    if not event.customer:
        name = event.after.get("policy") or event.before.get("policy", "")
        return gettext("all customers with the policy “%(policy)s”") % {"policy": name}
    if event.customer_pk is None:
        return long_text(event.customer)
    return customer_link(event.customer_pk, key=event.customer, name=event.customer_name, site=site)


def headline(event: Event) -> str:
    """What was done, by whom and why: `reset by maria (asked on the phone)`."""
    done = event.get_kind_display()
    if event.actor:
        done = gettext("%(kind)s by %(actor)s") % {"kind": done, "actor": event.actor}
    return f"{done} ({event.reason})" if event.reason else done


def change_of(event: Event) -> str:
    """Before → after in a line: `7 → 2; pinned until 10:06`."""
    before, after = _sides(event)
    if event.kind == Event.Kind.FORGET:
        return _deleted(before)
    if event.kind == Event.Kind.POLICY and not event.customer:
        if not before:
            return gettext("created")
        if not after:
            return gettext("deleted")
        return "; ".join(changed_terms(before, after))
    changes = []
    if before.get("policy") != after.get("policy"):
        changes.append(_before_and_after("policy", before, after))
    if "priority" in before or "priority" in after:
        changes.append(f"{_text('priority', before)} → {_text('priority', after)}")
    if "pin" in after:
        changes.append(_pinned(*after["pin"]))
    return "; ".join(changes)


def kind_and_change(event: Event) -> str:
    """`reset: 7 → 1`"""
    return ": ".join(filter(None, (event.get_kind_display(), change_of(event))))


def _pinned(_priority: int, until: str | None) -> str:
    if until is None:
        return gettext("pinned without an end")
    # Translators: `until` is "until 20:00" or "until Nov. 18, 2026, 20:00".
    return gettext("pinned %(until)s") % {"until": _until(until)}


def _deleted(before: dict[str, Any]) -> str:
    documents, events = before.get("documents", 0), before.get("events", 0)
    return gettext("deleted at priority %(priority)s, with %(documents)s and %(events)s") % {
        "priority": _text("priority", before),
        "documents": ngettext("%(count)s document", "%(count)s documents", documents)
        % {"count": numeral(documents)},
        "events": ngettext("%(count)s event", "%(count)s events", events)
        % {"count": numeral(events)},
    }


def changed_terms(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Each of a policy's terms that differs, with its value before and after."""
    for name in ("reset_interval", "recovery", "thresholds"):
        if before.get(name) != after.get(name):
            yield f"{_FACTS[name][0]}: {_before_and_after(name, before, after)}"


def facts_of(event: Event) -> list[tuple[str, str]]:
    """All values of the event with their labels; a value that did not change appears once."""
    before, after = _sides(event)
    return [
        # An event about something created or deleted has one side only.
        (str(label), _before_and_after(name, before or after, after or before))
        for name, (label, _text_of) in _FACTS.items()
        if name in before or name in after
    ]


def policy_name(name: str) -> str:
    """The policy as a sentence names it; the default policy has no name."""
    return gettext("“%(policy)s”") % {"policy": name} if name else gettext("the default policy")


def _sides(event: Event) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values before and after; the two values of a pin become one."""
    sides = dict(event.before), dict(event.after)
    for side in sides:
        if "pinned_priority" in side:
            side["pin"] = (side.pop("pinned_priority"), side.pop("pinned_until"))
    return sides


def _before_and_after(name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    old, new = _text(name, before), _text(name, after)
    return old if old == new else f"{old} → {new}"


def _text(name: str, side: dict[str, Any]) -> str:
    if name not in side:
        return "–"
    _label, text = _FACTS[name]
    return text(side[name])


def _seconds(value: int) -> str:
    return short_duration(timedelta(seconds=value))


def _recovery(value: str) -> str:
    choices: dict[str, Any] = dict(Policy._meta.get_field("recovery").flatchoices)
    return str(choices[Recovery(value)])


def _thresholds(value: list[int]) -> str:
    return ", ".join(map(numeral, value))


def _pin(value: tuple[int, str | None]) -> str:
    priority, until = value
    if until is None:
        return gettext("%(priority)s without an end") % {"priority": priority}
    # Translators: a pinned priority; `until` is "until 20:00" or "until Nov. 18, 2026, 20:00".
    return gettext("%(priority)s %(until)s") % {"priority": priority, "until": _until(until)}


def _until(text: str) -> str:
    return UNTIL.of(datetime.fromisoformat(text))


_FACTS: dict[str, tuple[str | Promise, Callable[[Any], str]]] = {
    "policy": (_("policy"), policy_name),
    "priority": (_("priority"), numeral),
    "pin": (_("pinned priority"), _pin),
    "pending_documents": (_("pending documents"), numeral),
    "reset_interval": (_("reset interval"), _seconds),
    "recovery": (_("recovery"), _recovery),
    "thresholds": (_("thresholds"), _thresholds),
    "documents": (_("documents"), numeral),
    "events": (_("events"), numeral),
}
"""The values an event can have: label and text, in the order in which its page shows them."""
