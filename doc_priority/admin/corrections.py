"""What can be done by hand to customers: its permission, its words, its service."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.admin.models import CHANGE, DELETION
from django.utils.translation import gettext_lazy, ngettext_lazy

from doc_priority import services
from doc_priority.admin.forms import PinForm, ReasonForm
from doc_priority.services.transactions import together

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

    Words = str | StrPromise
else:
    Words = Any


@dataclass(frozen=True, slots=True)
class Correction:
    """One kind of correction; `permission` names the method of the ModelAdmin that grants it."""

    permission: str
    title: Words
    button: Words
    action: Words
    explanation: Words
    done: Any
    """In which `number` chooses the form and `count` is the number as people read it."""
    form: type[ReasonForm]
    service: Callable[..., Any]
    after: Callable[[Any], int | None]
    log_flag: int = CHANGE


def after_reset(row: Any) -> int | None:
    """A pin outlives a reset."""
    priority: int = row.priority
    return priority if row.pinned else 1


def not_known(row: Any) -> int | None:
    return None


def forget_many(customers: Sequence[str], **author: Any) -> None:
    """Forget each of them, or none."""

    def forget_each() -> None:
        for customer in customers:
            services.forget(customer, **author)

    together(forget_each)


RESET = Correction(
    permission="has_reset_permission",
    title=gettext_lazy("Reset priority?"),
    button=gettext_lazy("Reset priority"),
    action=gettext_lazy("Reset priority…"),
    explanation=gettext_lazy(
        "The counter starts again at 0, as if the interval had passed. "
        "Documents that already have a priority keep it."
    ),
    done=ngettext_lazy(
        "%(count)s customer was reset.", "%(count)s customers were reset.", "number"
    ),
    form=ReasonForm,
    service=services.reset_many,
    after=after_reset,
)
PIN = Correction(
    permission="has_pin_permission",
    title=gettext_lazy("Pin priority?"),
    button=gettext_lazy("Pin priority"),
    action=gettext_lazy("Pin priority…"),
    explanation=gettext_lazy(
        "Every new document gets this priority until the pin ends, whatever the counter says. "
        "The counter goes on counting."
    ),
    done=ngettext_lazy(
        "%(count)s customer was pinned.", "%(count)s customers were pinned.", "number"
    ),
    form=PinForm,
    service=services.pin_many,
    after=not_known,
)
UNPIN = Correction(
    permission="has_pin_permission",
    title=gettext_lazy("Unpin priority?"),
    button=gettext_lazy("Unpin priority"),
    action=gettext_lazy("Unpin priority…"),
    explanation=gettext_lazy("From now on the counter decides again."),
    done=ngettext_lazy(
        "%(count)s customer was unpinned.", "%(count)s customers were unpinned.", "number"
    ),
    form=ReasonForm,
    service=services.unpin_many,
    after=not_known,
)
FORGET = Correction(
    permission="has_delete_permission",
    title=gettext_lazy("Forget customer?"),
    button=gettext_lazy("Forget customer"),
    action=gettext_lazy("Forget customer…"),
    explanation=gettext_lazy(
        "Counter, documents and events of the customer are erased for good. One event stays: it "
        "has the key and says who did this and why. The next document makes a new customer."
    ),
    done=ngettext_lazy(
        "%(count)s customer was forgotten.", "%(count)s customers were forgotten.", "number"
    ),
    form=ReasonForm,
    service=forget_many,
    after=not_known,
    log_flag=DELETION,
)
