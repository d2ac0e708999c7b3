"""Corrections by hand: reset, pin, unpin and delete the customers that were selected.

Each correction has a page that shows its customers and asks for a reason. When the form is sent,
one service makes the change, or refuses it if someone else has corrected one of the customers
since the page was opened.
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
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from doc_priority import services
from doc_priority.admin import refusals
from doc_priority.admin.base import SOURCE, Page, address_of, is_number, rendered
from doc_priority.admin.events import headline, kind_and_change
from doc_priority.admin.formatting import badge, cells_of, name_of, to_the_minute
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
"""Customers of one correction: a list that people can still check, and few enough locks."""

MOST_IN_ADDRESS = 100


class Selection(NamedTuple):
    """The primary keys of the selected customers, and how many were selected in all."""

    pks: tuple[int, ...]
    ticked: int

    @classmethod
    def of(cls, pks: Iterable[int], *, ticked: int | None = None) -> Self:
        once = tuple(dict.fromkeys(pks))
        return cls(once[:MOST], len(once) if ticked is None else ticked)

    @classmethod
    def of_action(cls, request: HttpRequest, customers: CustomerQuerySet) -> Self:
        """The customers selected in the list.

        Django applies the list's filters to the action's queryset again: a customer that no longer
        matches them would silently be skipped. So the keys are read from the request; the queryset
        is used only where all customers on all pages were selected.
        """
        if request.POST.get("select_across") == "1":
            pks = customers.values_list("pk", flat=True)
            return cls.of(pks[:MOST], ticked=customers.order_by().count())
        return cls.read(request.POST.getlist(ACTION_CHECKBOX_NAME))

    @classmethod
    def read(cls, texts: Iterable[str]) -> Self:
        """Primary keys separated by commas, as in our addresses and pages."""
        numbers = (number for text in texts for number in text.split(","))
        return cls.of(int(number) for number in numbers if is_number(number))

    def __str__(self) -> str:
        return ",".join(map(str, self.pks))

    def rows(self, customers: Any) -> list[Any]:
        """Those that still exist, in the order in which they were selected."""
        found = customers.in_bulk(self.pks)
        return [found[pk] for pk in self.pks if pk in found]


class CorrectionPage(Page):
    """A page that asks for a reason and changes exactly the selected customers.

    They are changed even if they no longer match the filters of the list.
    """

    methods = (HTTPMethod.GET, HTTPMethod.HEAD, HTTPMethod.POST)
    permission: ClassVar[str]
    """The method of the ModelAdmin that grants it."""
    title: ClassVar["StrPromise"]
    button: ClassVar["StrPromise"]
    action: ClassVar["StrPromise"]
    explanation: ClassVar["StrPromise"]
    done: ClassVar[Any]
    """Said of several customers: `number` chooses the plural, `count` is the number as text."""
    done_for_one: ClassVar["StrPromise | None"] = None
    """Said of a single customer by name, where the name may be kept."""
    form: ClassVar[type[ReasonForm]] = ReasonForm
    forgets: ClassVar[bool] = False
    correct: Callable[..., Mapping[str, Event]]
    """Calls the service for these keys; gives the event of each that changed, by its key."""

    def after(self, row: Any) -> str:
        """The customer's priority after the correction, if that is known now."""
        return ""

    def is_permitted(self, request: HttpRequest) -> bool:
        permitted: bool = getattr(self.model_admin, self.permission)(request)
        return permitted and self.model_admin.has_view_permission(request)

    def respond(self, request: HttpRequest) -> HttpResponse:
        typed = typed_before(request)
        if request.method != HTTPMethod.POST and typed is None:
            selection = Selection.read(request.GET.getlist("customer"))
            return self.ask(request, selection, list_query=None)
        fields = request.POST if typed is None else typed
        selection, list_query = Selection.read(fields.getlist("customers")), fields.get("list")
        rows = selection.rows(self.model_admin.get_queryset(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        form = self.form(fields)
        # The newest event that the page knew; 0 where the form does not say.
        number = fields.get("seen", "")
        seen = int(number) if is_number(number) else 0
        meanwhile: Sequence[Event] = ()
        if typed is not None:
            # The form as it was sent while signed out. Sending it again reports newer corrections.
            say_nothing_was_done(request)
        elif form.is_valid():
            try:
                events = self.correct(
                    [row.key for row in rows],
                    actor=request.user,
                    source=SOURCE,
                    unless_newer_than=seen,
                    before_commit=partial(self._log, request, rows),
                    **form.cleaned_data,
                )
            except CorrectedMeanwhile as error:
                meanwhile = error.events
                seen = meanwhile[0].pk
            except DocPriorityError as error:
                form.add_error(None, refusals.in_words(error))
            else:
                self._report(request, selection, rows, events)
                back = self._back(selection, list_query)
                return HttpResponseRedirect(self._list(list_query) if self.forgets else back)
        return self._page(
            request, selection, rows, form, list_query, seen=seen, meanwhile=meanwhile
        )

    def ask(
        self, request: HttpRequest, selection: Selection, *, list_query: str | None
    ) -> HttpResponse:
        """The page before anything is sent; `list_query` leads back to the list as it was."""
        rows = selection.rows(self.model_admin.get_queryset(request))
        if not rows:
            return self._nobody(request, selection, list_query)
        seen = last_event(row.key for row in rows)
        return self._page(request, selection, rows, self.form(), list_query, seen=seen)

    def _report(
        self,
        request: HttpRequest,
        selection: Selection,
        rows: list[Any],
        events: Mapping[str, Event],
    ) -> None:
        say = partial(self.model_admin.message_user, request)
        changed = [row for row in rows if row.key in events]
        if len(changed) == 1 and self.done_for_one is not None:
            say(self.done_for_one % {"customer": changed[0]}, messages.SUCCESS)
        elif changed:
            count = {"number": len(changed), "count": numeral(len(changed))}
            say(str(self.done % count), messages.SUCCESS)
        if left := len(rows) - len(changed):
            unchanged = ngettext(
                "%(count)s customer was not pinned, so nothing changed.",
                "%(count)s customers were not pinned, so nothing changed.",
                left,
            )
            say(unchanged % {"count": numeral(left)}, messages.WARNING)
        if gone := _gone(selection, rows):
            say(gone, messages.WARNING)

    def _log(self, request: HttpRequest, rows: Sequence[Any], events: Mapping[str, Event]) -> None:
        """Writes the admin's own history, in the transaction of the events."""
        user: Any = request.user
        content_type = ContentType.objects.get_for_model(Customer)
        LogEntry.objects.bulk_create(
            [
                LogEntry(
                    user_id=user.pk,
                    content_type_id=content_type.pk,
                    object_id=str(row.pk),
                    # Deleting a customer deletes the name, too: the history keeps the key only.
                    object_repr=(row.key if self.forgets else str(row))[:200],
                    action_flag=DELETION if self.forgets else CHANGE,
                    # `reset: 7 → 1 (asked on the phone)`
                    change_message=f"{kind_and_change(event)} ({event.reason})",
                )
                for row in rows
                if (event := events.get(row.key))
            ],
            batch_size=500,
        )

    def _nobody(
        self, request: HttpRequest, selection: Selection, list_query: str | None
    ) -> HttpResponse:
        if not selection.pks:
            said = _("No customers selected. Select customers in the list and try again.")
        elif len(selection.pks) == 1:
            said = gone_message(request, selection.pks[0])
        else:
            said = _("These customers no longer exist. Select customers in the list and try again.")
        self.model_admin.message_user(request, said, messages.ERROR)
        return HttpResponseRedirect(self._list(list_query))

    def _back(self, selection: Selection, list_query: str | None) -> str:
        """The list, or the page of the customer if the correction was started there."""
        if list_query is None and len(selection.pks) == 1:
            return address_of(self.site.name, "doc_priority_customer_change", *selection.pks)
        return self._list(list_query)

    def _list(self, list_query: str | None) -> str:
        address = address_of(self.site.name, "doc_priority_customer_changelist")
        return f"{address}?{list_query}" if list_query else address

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
        address = address_of(self.site.name, self.name)
        if len(there.pks) <= MOST_IN_ADDRESS:
            # After a login the browser comes back to this address, so it names the customers.
            address = f"{address}?customer={there}"
        left_over = ""
        if selection.ticked > len(selection.pks):
            left_over = _(
                "You selected %(ticked)s customers; the limit is %(most)s at a time. "
                "Only those listed here will be changed. Select the others afterwards."
            ) % {"ticked": numeral(selection.ticked), "most": numeral(len(selection.pks))}
        return rendered(
            request,
            self.site,
            "correcting",
            title=self.title,
            explanation=self.explanation,
            button=self.button,
            address=address,
            opened_by=opened_by(request),
            form=form,
            rows=[
                {"name": name_of(row), "after": self.after(row), **cells_of(row)} for row in rows
            ],
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
    title = gettext_lazy("Reset counter?")
    button = gettext_lazy("Reset counter")
    action = gettext_lazy("Reset counter…")
    explanation = gettext_lazy(
        "The counter goes back to 0. Documents already waiting keep their priority."
    )
    done = ngettext_lazy(
        "%(count)s customer: counter reset to 0.",
        "%(count)s customers: counters reset to 0.",
        "number",
    )
    # Translators: not the name first; Django turns the first letter of a message into a capital.
    done_for_one = gettext_lazy("Counter of %(customer)s reset to 0.")

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.reset_many(keys, **arguments).events

    def after(self, row: Any) -> str:
        """A pinned priority stays after a reset."""
        return badge(row.priority if row.pinned else 1, pinned=row.pinned)


class PinPage(CorrectionPage):
    route = "pin/"
    name = "doc_priority_customer_pin"
    permission = "has_pin_permission"
    title = gettext_lazy("Pin priority?")
    button = gettext_lazy("Pin priority")
    action = gettext_lazy("Pin priority…")
    explanation = gettext_lazy(
        "Until the pin ends, every new document gets this priority, whatever the counter says. "
        "The counter keeps counting."
    )
    done = ngettext_lazy(
        "Priority of %(count)s customer pinned.",
        "Priority of %(count)s customers pinned.",
        "number",
    )
    # Translators: not the name first; Django turns the first letter of a message into a capital.
    done_for_one = gettext_lazy("Priority of %(customer)s pinned.")
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
    explanation = gettext_lazy("From now on, the counter decides the priority again.")
    done = ngettext_lazy(
        "Pin of %(count)s customer removed.", "Pins of %(count)s customers removed.", "number"
    )
    # Translators: not the name first; Django turns the first letter of a message into a capital.
    done_for_one = gettext_lazy("Pin of %(customer)s removed.")

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.unpin_many(keys, **arguments).events


class ForgetPage(CorrectionPage):
    route = "forget/"
    name = "doc_priority_customer_forget"
    permission = "has_delete_permission"
    title = gettext_lazy("Delete customer and all data?")
    button = gettext_lazy("Delete customer")
    action = gettext_lazy("Delete customer…")
    explanation = gettext_lazy(
        "The customer's counter, documents and events will be deleted permanently. One event "
        "remains: it records the ID, who deleted the customer and why. If another document "
        "arrives, the customer is created again."
    )
    done = ngettext_lazy(
        "%(count)s customer was deleted.", "%(count)s customers were deleted.", "number"
    )
    forgets = True

    def correct(self, keys: Sequence[str], **arguments: Any) -> Mapping[str, Event]:
        return services.forget_many(keys, **arguments)


@receiver(post_delete, sender=Customer)
def forget_history(instance: Customer, **kwargs: Any) -> None:
    """Delete what the admin's own history kept of a deleted customer: names and reasons.

    This runs whether the admin, REST or a command deletes the customer.
    """
    alias = router.db_for_write(LogEntry)
    content_type = ContentType.objects.db_manager(alias).get_for_model(Customer)
    LogEntry.objects.using(alias).filter(
        content_type=content_type, object_id=str(instance.pk)
    ).delete()


def gone_message(request: HttpRequest, pk: int) -> str:
    """What is said when someone opens the page of a customer that does not exist.

    It names the key if the admin's history has it and this user may see all keys.
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
        return _("This customer does not exist. It may have been deleted.")
    return _("The customer “%(customer)s” has been deleted.") % {"customer": key}


def _gone(selection: Selection, rows: list[Any]) -> str:
    gone = len(selection.pks) - len(rows)
    if not gone:
        return ""
    return ngettext(
        "%(count)s customer no longer exists and was skipped.",
        "%(count)s customers no longer exist and were skipped.",
        gone,
    ) % {"count": numeral(gone)}
