"""The page that asks before a correction, with a reason, and then has it done."""

from collections.abc import Iterable
from functools import partial
from http import HTTPMethod
from typing import Any, ClassVar, NamedTuple

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from doc_priority.admin import refusals
from doc_priority.admin.base import Page, is_number
from doc_priority.admin.carrying_out import CorrectedMeanwhileError, carry_out
from doc_priority.admin.corrections import FORGET, PIN, RESET, UNPIN, Correction
from doc_priority.admin.events import headline
from doc_priority.admin.formatting import (
    badge,
    name_of,
    pending_documents_of,
    priority_of,
    to_the_minute,
)
from doc_priority.admin.gone import told_as_gone
from doc_priority.admin.selection import Selection
from doc_priority.admin.signed_out import opened_by, say_nothing_was_done, typed_before
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Event
from doc_priority.numerals import numeral
from doc_priority.selectors import last_event, newer_events

MOST_TOLD = 10
MOST_IN_ADDRESS = 100


class CorrectionPage(Page):
    """Posts to its own address, and to the customers that were ticked, wherever they are now."""

    correction: ClassVar[Correction]
    methods = (HTTPMethod.GET, HTTPMethod.HEAD, HTTPMethod.POST)

    def is_permitted(self, request: HttpRequest) -> bool:
        permitted: bool = getattr(self.model_admin, self.correction.permission)(request)
        return permitted and self.model_admin.has_view_permission(request)

    def respond(self, request: HttpRequest) -> HttpResponse:
        if request.method == HTTPMethod.POST:
            return self._submitted(request, Selection.read(request.POST.getlist("customers")))
        typed = typed_before(request)
        if typed is not None:
            return self._ask_again(request, typed)
        return self.ask(request, Selection.read(request.GET.getlist("customer")), list_query=None)

    def ask(
        self, request: HttpRequest, selection: Selection, *, list_query: str | None
    ) -> HttpResponse:
        """The page as it is seen first; `list_query` is where to go back to in the list."""
        rows = selection.rows(self._customers(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        seen = last_event(row.key for row in rows)
        return self._page(request, selection, rows, self.correction.form(), list_query, seen=seen)

    def _ask_again(self, request: HttpRequest, typed: QueryDict) -> HttpResponse:
        """The page as it was sent while signed out: what happened since is told when it is sent."""
        selection, list_query = Selection.read(typed.getlist("customers")), typed.get("list")
        rows = selection.rows(self._customers(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        say_nothing_was_done(request)
        form = self.correction.form(typed)
        return self._page(request, selection, rows, form, list_query, seen=_seen(typed))

    def _submitted(self, request: HttpRequest, selection: Selection) -> HttpResponse:
        list_query = request.POST.get("list")
        rows = selection.rows(self._customers(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        form = self.correction.form(request.POST)
        seen = _seen(request.POST)
        again = partial(self._page, request, selection, rows, form, list_query)
        if not form.is_valid():
            return again(seen=seen)
        try:
            events = carry_out(
                self.correction, rows, seen=seen, user=request.user, arguments=form.arguments
            )
        except CorrectedMeanwhileError:
            meanwhile = list(newer_events(seen, (row.key for row in rows))[:MOST_TOLD])
            return again(seen=max((one.pk for one in meanwhile), default=seen), meanwhile=meanwhile)
        except DocPriorityError as error:
            form.add_error(None, refusals.in_words(error))
            return again(seen=seen)
        self._report(request, selection, rows, events)
        return HttpResponseRedirect(self._back(selection, list_query, forgotten=self._forgets))

    def _customers(self, request: HttpRequest) -> Any:
        return self.model_admin.get_queryset(request)

    def _report(
        self, request: HttpRequest, selection: Selection, rows: list[Any], events: list[Event]
    ) -> None:
        """Only what happened: an unpin of somebody who has no pin is none."""
        say = partial(self.model_admin.message_user, request)
        if events:
            say(self._done(len(events)), messages.SUCCESS)
        if left := len(rows) - len(events):
            say(_nothing_to_do(left), messages.WARNING)
        if gone := _gone(selection, rows):
            say(gone, messages.WARNING)

    def _done(self, count: int) -> str:
        return str(self.correction.done % {"number": count, "count": numeral(count)})

    def _nobody(
        self, request: HttpRequest, selection: Selection, list_query: str | None
    ) -> HttpResponse:
        if not selection.pks:
            said = _("No customer was chosen. Tick customers in the list and try again.")
        elif len(selection.pks) == 1:
            said = told_as_gone(request, selection.pks[0])
        else:
            said = _(
                "None of these customers exists any more. Tick customers in the list and try again."
            )
        self.model_admin.message_user(request, said, messages.ERROR)
        return HttpResponseRedirect(self._list(list_query))

    @property
    def _forgets(self) -> bool:
        return self.correction is FORGET

    def _back(self, selection: Selection, list_query: str | None, *, forgotten: bool) -> str:
        """To the list, or to the customer whose page this began at."""
        if list_query is None and len(selection.pks) == 1 and not forgotten:
            return reverse(
                "admin:doc_priority_customer_change",
                args=selection.pks,
                current_app=self.model_admin.admin_site.name,
            )
        return self._list(list_query)

    def _list(self, list_query: str | None) -> str:
        address = reverse(
            "admin:doc_priority_customer_changelist", current_app=self.model_admin.admin_site.name
        )
        return f"{address}?{list_query}" if list_query else address

    def _address(self, selection: Selection) -> str:
        """With its customers, as the login leads back by the address alone; it stays short."""
        address = reverse(f"admin:{self.name}", current_app=self.model_admin.admin_site.name)
        if len(selection.pks) > MOST_IN_ADDRESS:
            return address
        return f"{address}?customer={selection}"

    def _shown(self, row: Any) -> "ShownRow":
        after = self.correction.after(row)
        return ShownRow(
            name_of(row),
            priority_of(row),
            "" if after is None else badge(after, pinned=row.pinned),
            pending_documents_of(row),
        )

    def _page(
        self,
        request: HttpRequest,
        selection: Selection,
        rows: list[Any],
        form: Form,
        list_query: str | None,
        *,
        seen: int,
        meanwhile: Iterable[Event] = (),
    ) -> HttpResponse:
        return self.rendered(
            request,
            "correcting",
            title=str(self.correction.title),
            correction=self.correction,
            address=self._address(Selection.of(row.pk for row in rows)),
            opened_by=opened_by(request),
            form=form,
            rows=[self._shown(row) for row in rows],
            row_count=numeral(len(rows)),
            selection=Selection.of(row.pk for row in rows),
            gone=_gone(selection, rows),
            left_over=_left_over(selection),
            meanwhile=[_told(event) for event in meanwhile],
            seen=seen,
            list_query=list_query,
            back=self._back(selection, list_query, forgotten=False),
        )


class ShownRow(NamedTuple):
    """A line of the confirmation."""

    name: SafeString
    now: SafeString
    after: str
    pending_documents: str


class ResetPage(CorrectionPage):
    route = "reset/"
    name = "doc_priority_customer_reset"
    correction = RESET


class PinPage(CorrectionPage):
    route = "pin/"
    name = "doc_priority_customer_pin"
    correction = PIN


class UnpinPage(CorrectionPage):
    route = "unpin/"
    name = "doc_priority_customer_unpin"
    correction = UNPIN


class ForgetPage(CorrectionPage):
    route = "forget/"
    name = "doc_priority_customer_forget"
    correction = FORGET


def _told(event: Event) -> str:
    """`10:06: reset by maria (asked on the phone)`."""
    return f"{to_the_minute(event.created_at)}: {headline(event)}"


def _seen(fields: QueryDict) -> int:
    """The newest event that the page had; without it every event is news."""
    seen = fields.get("seen", "")
    return int(seen) if is_number(seen) else 0


def _gone(selection: Selection, rows: list[Any]) -> str:
    gone = len(selection.pks) - len(rows)
    if not gone:
        return ""
    return ngettext(
        "%(count)s customer no longer exists and is left out.",
        "%(count)s customers no longer exist and are left out.",
        gone,
    ) % {"count": numeral(gone)}


def _nothing_to_do(count: int) -> str:
    return ngettext(
        "%(count)s customer had no pin: there was nothing to do.",
        "%(count)s customers had no pin: there was nothing to do.",
        count,
    ) % {"count": numeral(count)}


def _left_over(selection: Selection) -> str:
    if not selection.left_over:
        return ""
    return _(
        "%(ticked)s customers were ticked; one page takes %(most)s. "
        "Only those listed here are meant: go on with the others afterwards."
    ) % {"ticked": numeral(selection.ticked), "most": numeral(len(selection.pks))}
