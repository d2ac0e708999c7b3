"""Corrections by hand: reset, pin, unpin and forget, of the customers that were ticked.

Each has a page that asks first, for a reason, and shows whom it is about. When it is sent, one
service does it, or refuses if somebody else corrected one of them since the page was opened.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from http import HTTPMethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import router
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from doc_priority import services
from doc_priority.admin import refusals
from doc_priority.admin.base import SOURCE, Page, is_number
from doc_priority.admin.events import change_of, headline
from doc_priority.admin.formatting import (
    badge,
    name_of,
    pending_documents_of,
    priority_of,
    to_the_minute,
)
from doc_priority.admin.forms import PinForm, ReasonForm
from doc_priority.admin.signed_out import opened_by, say_nothing_was_done, typed_before
from doc_priority.exceptions import CorrectedMeanwhile, DocPriorityError
from doc_priority.explanations import numeral
from doc_priority.models import Customer, Event
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import last_event

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

MOST = 1_000
"""Customers of one correction: as many as one can look over, and few enough to lock at once."""

MOST_IN_ADDRESS = 100


class Selection(NamedTuple):
    """Primary keys as they were ticked, and how many were ticked in all."""

    pks: tuple[int, ...]
    ticked: int

    @classmethod
    def of(cls, pks: Iterable[int], *, ticked: int | None = None) -> Self:
        once = tuple(dict.fromkeys(pks))
        return cls(once[:MOST], len(once) if ticked is None else ticked)

    @classmethod
    def of_action(cls, request: HttpRequest, customers: CustomerQuerySet) -> Self:
        """What was ticked in the list.

        Django narrows the action's queryset by the filters of the list, as they apply now: a
        customer that has moved on since would silently be left out. Only where everybody was
        ticked, on all pages, the queryset says who that is.
        """
        if request.POST.get("select_across") == "1":
            pks = customers.values_list("pk", flat=True)
            return cls.of(pks[:MOST], ticked=customers.order_by().count())
        return cls.read(request.POST.getlist(ACTION_CHECKBOX_NAME))

    @classmethod
    def read(cls, texts: Iterable[str]) -> Self:
        """Primary keys between commas, as an address or a page of ours has them."""
        numbers = (number for text in texts for number in text.split(","))
        return cls.of(int(number) for number in numbers if is_number(number))

    def __str__(self) -> str:
        return ",".join(map(str, self.pks))

    def rows(self, customers: Any) -> list[Any]:
        """Those that still exist, in the order they were ticked in."""
        found = customers.in_bulk(self.pks)
        return [found[pk] for pk in self.pks if pk in found]


class ShownRow(NamedTuple):
    """A line of the confirmation."""

    name: SafeString
    now: SafeString
    after: str
    pending_documents: str


class CorrectionPage(Page):
    """Posts to its own address, and to the customers that were ticked, wherever they are now."""

    methods = (HTTPMethod.GET, HTTPMethod.HEAD, HTTPMethod.POST)
    permission: ClassVar[str]
    """The method of the ModelAdmin that grants it."""
    title: ClassVar["StrPromise"]
    button: ClassVar["StrPromise"]
    action: ClassVar["StrPromise"]
    explanation: ClassVar["StrPromise"]
    done: ClassVar[Any]
    """In which `number` chooses the form and `count` is the number as people read it."""
    form: ClassVar[type[ReasonForm]] = ReasonForm
    log_flag: ClassVar[int] = CHANGE
    forgets: ClassVar[bool] = False
    correct: Callable[..., Mapping[str, Event]]
    """Calls the service for these keys; gives the event of each that changed, by its key."""

    def priority_after(self, row: Any) -> int | None:
        """The priority of a customer once it is corrected, where that is known before."""
        return None

    def is_permitted(self, request: HttpRequest) -> bool:
        permitted: bool = getattr(self.model_admin, self.permission)(request)
        return permitted and self.model_admin.has_view_permission(request)

    def respond(self, request: HttpRequest) -> HttpResponse:
        if request.method == HTTPMethod.POST:
            return self._submitted(request)
        typed = typed_before(request)
        if typed is None:
            selection = Selection.read(request.GET.getlist("customer"))
            return self.ask(request, selection, list_query=None)
        # The form as it was sent while signed out. What happened since is told when it is sent.
        selection, list_query = Selection.read(typed.getlist("customers")), typed.get("list")
        rows = selection.rows(self.model_admin.get_queryset(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        say_nothing_was_done(request)
        form = self.form(typed)
        return self._page(request, selection, rows, form, list_query, seen=_seen(typed))

    def ask(
        self, request: HttpRequest, selection: Selection, *, list_query: str | None
    ) -> HttpResponse:
        """The page as it is seen first; `list_query` is where to go back to in the list."""
        rows = selection.rows(self.model_admin.get_queryset(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        seen = last_event(row.key for row in rows)
        return self._page(request, selection, rows, self.form(), list_query, seen=seen)

    def _submitted(self, request: HttpRequest) -> HttpResponse:
        selection = Selection.read(request.POST.getlist("customers"))
        list_query = request.POST.get("list")
        rows = selection.rows(self.model_admin.get_queryset(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        form = self.form(request.POST)
        seen = _seen(request.POST)
        again = partial(self._page, request, selection, rows, form, list_query)
        if not form.is_valid():
            return again(seen=seen)
        try:
            events = self.correct(
                [row.key for row in rows],
                actor=request.user,
                source=SOURCE,
                unless_newer_than=seen,
                before_commit=partial(self._log, request, rows),
                **form.arguments,
            )
        except CorrectedMeanwhile as error:
            return again(seen=error.events[0].pk, meanwhile=error.events)
        except DocPriorityError as error:
            form.add_error(None, refusals.in_words(error))
            return again(seen=seen)
        self._report(request, selection, rows, changed=len(events))
        if self.forgets:
            return HttpResponseRedirect(self._list(list_query))
        return HttpResponseRedirect(self._back(selection, list_query))

    def _report(
        self, request: HttpRequest, selection: Selection, rows: list[Any], *, changed: int
    ) -> None:
        say = partial(self.model_admin.message_user, request)
        if changed:
            count = {"number": changed, "count": numeral(changed)}
            say(str(self.done % count), messages.SUCCESS)
        if left := len(rows) - changed:
            nothing_to_do = ngettext(
                "%(count)s customer had no pin: there was nothing to do.",
                "%(count)s customers had no pin: there was nothing to do.",
                left,
            )
            say(nothing_to_do % {"count": numeral(left)}, messages.WARNING)
        if gone := _gone(selection, rows):
            say(gone, messages.WARNING)

    def _log(self, request: HttpRequest, rows: Sequence[Any], events: Mapping[str, Event]) -> None:
        """The admin's own history, written in the transaction of the events."""
        user: Any = request.user
        content_type = ContentType.objects.get_for_model(Customer)
        LogEntry.objects.bulk_create(
            [
                LogEntry(
                    user_id=user.pk,
                    content_type_id=content_type.pk,
                    object_id=str(row.pk),
                    # Of a customer that is forgotten its name is not kept either.
                    object_repr=(row.key if self.forgets else str(row))[:200],
                    action_flag=self.log_flag,
                    change_message=_log_message(events[row.key]),
                )
                for row in rows
                if row.key in events
            ],
            batch_size=500,
        )

    def _nobody(
        self, request: HttpRequest, selection: Selection, list_query: str | None
    ) -> HttpResponse:
        if not selection.pks:
            said = _("No customer was chosen. Tick customers in the list and try again.")
        elif len(selection.pks) == 1:
            said = gone_message(request, selection.pks[0])
        else:
            said = _(
                "None of these customers exists any more. Tick customers in the list and try again."
            )
        self.model_admin.message_user(request, said, messages.ERROR)
        return HttpResponseRedirect(self._list(list_query))

    def _back(self, selection: Selection, list_query: str | None) -> str:
        """To the list, or to the customer whose page this began at."""
        if list_query is None and len(selection.pks) == 1:
            return self._reverse("doc_priority_customer_change", *selection.pks)
        return self._list(list_query)

    def _list(self, list_query: str | None) -> str:
        address = self._reverse("doc_priority_customer_changelist")
        return f"{address}?{list_query}" if list_query else address

    def _reverse(self, name: str, *arguments: Any) -> str:
        site = self.model_admin.admin_site.name
        return reverse(f"admin:{name}", args=arguments, current_app=site)

    def _page(
        self,
        request: HttpRequest,
        selection: Selection,
        rows: list[Any],
        form: ReasonForm,
        list_query: str | None,
        *,
        seen: int,
        meanwhile: Iterable[Event] = (),
    ) -> HttpResponse:
        there = Selection.of(row.pk for row in rows)
        address = self._reverse(self.name)
        if len(there.pks) <= MOST_IN_ADDRESS:
            # The login leads back by the address alone, so it has the customers, too.
            address = f"{address}?customer={there}"
        shown_rows = []
        for row in rows:
            after = self.priority_after(row)
            becomes = "" if after is None else badge(after, pinned=row.pinned)
            pending_documents = pending_documents_of(row)
            shown_rows.append(ShownRow(name_of(row), priority_of(row), becomes, pending_documents))
        left_over = ""
        if selection.ticked > len(selection.pks):
            left_over = _(
                "%(ticked)s customers were ticked; one page takes %(most)s. "
                "Only those listed here are meant: go on with the others afterwards."
            ) % {"ticked": numeral(selection.ticked), "most": numeral(len(selection.pks))}
        return self.rendered(
            request,
            "correcting",
            title=str(self.title),
            explanation=self.explanation,
            button=self.button,
            address=address,
            opened_by=opened_by(request),
            form=form,
            rows=shown_rows,
            row_count=numeral(len(rows)),
            selection=there,
            gone=_gone(selection, rows),
            left_over=left_over,
            # `10:06: reset by maria (asked on the phone)`
            meanwhile=[
                f"{to_the_minute(event.created_at)}: {headline(event)}" for event in meanwhile
            ],
            seen=seen,
            list_query=list_query,
            back=self._back(selection, list_query),
        )


class ResetPage(CorrectionPage):
    route = "reset/"
    name = "doc_priority_customer_reset"
    permission = "has_reset_permission"
    title = gettext_lazy("Reset priority?")
    button = gettext_lazy("Reset priority")
    action = gettext_lazy("Reset priority…")
    explanation = gettext_lazy(
        "The counter starts again at 0, as if the interval had passed. "
        "Documents that already have a priority keep it."
    )
    done = ngettext_lazy(
        "%(count)s customer was reset.", "%(count)s customers were reset.", "number"
    )

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.reset_many(keys, **arguments).events

    def priority_after(self, row: Any) -> int:
        """A pin outlives a reset."""
        priority: int = row.priority
        return priority if row.pinned else 1


class PinPage(CorrectionPage):
    route = "pin/"
    name = "doc_priority_customer_pin"
    permission = "has_pin_permission"
    title = gettext_lazy("Pin priority?")
    button = gettext_lazy("Pin priority")
    action = gettext_lazy("Pin priority…")
    explanation = gettext_lazy(
        "Every new document gets this priority until the pin ends, whatever the counter says. "
        "The counter goes on counting."
    )
    done = ngettext_lazy(
        "%(count)s customer was pinned.", "%(count)s customers were pinned.", "number"
    )
    form = PinForm

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.pin_many(keys, **arguments).events


class UnpinPage(CorrectionPage):
    route = "unpin/"
    name = "doc_priority_customer_unpin"
    permission = "has_pin_permission"
    title = gettext_lazy("Unpin priority?")
    button = gettext_lazy("Unpin priority")
    action = gettext_lazy("Unpin priority…")
    explanation = gettext_lazy("From now on the counter decides again.")
    done = ngettext_lazy(
        "%(count)s customer was unpinned.", "%(count)s customers were unpinned.", "number"
    )

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.unpin_many(keys, **arguments).events


class ForgetPage(CorrectionPage):
    route = "forget/"
    name = "doc_priority_customer_forget"
    permission = "has_delete_permission"
    title = gettext_lazy("Forget customer?")
    button = gettext_lazy("Forget customer")
    action = gettext_lazy("Forget customer…")
    explanation = gettext_lazy(
        "Counter, documents and events of the customer are erased for good. One event stays: it "
        "has the key and says who did this and why. The next document makes a new customer."
    )
    done = ngettext_lazy(
        "%(count)s customer was forgotten.", "%(count)s customers were forgotten.", "number"
    )
    log_flag = DELETION
    forgets = True

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.forget_many(keys, **arguments)


@receiver(post_delete, sender=Customer)
def forget_history(instance: Customer, **kwargs: Any) -> None:
    """A customer takes along what the admin's own history kept of it: names and reasons.

    Whoever forgets it: the admin, REST, a command.
    """
    alias = router.db_for_write(LogEntry)
    content_type = ContentType.objects.db_manager(alias).get_for_model(Customer)
    LogEntry.objects.using(alias).filter(
        content_type=content_type, object_id=str(instance.pk)
    ).delete()


def gone_message(request: HttpRequest, pk: int) -> str:
    """For whoever asks for the page of a customer that does not exist.

    It has its key where the admin's history knows it, and this user may see the keys of everybody.
    """
    key: str | None = None
    if request.user.has_perm("doc_priority.view_event"):
        deletions = LogEntry.objects.filter(
            content_type=ContentType.objects.get_for_model(Customer),
            object_id=str(pk),
            action_flag=DELETION,
        )
        key = deletions.values_list("object_repr", flat=True).first()
    if not key:
        return _("There is no such customer; perhaps somebody deleted it.")
    return _("The customer “%(customer)s” no longer exists: somebody deleted it.") % {
        "customer": key
    }


def _log_message(event: Event) -> str:
    """`reset: 7 → 1 (asked on the phone)`"""
    return f"{event.get_kind_display()}: {change_of(event)} ({event.reason})"


def _seen(fields: Mapping[str, str]) -> int:
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
