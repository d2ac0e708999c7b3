"""What somebody fills in to put a customer right."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from doc_priority.admin.typed_text import showable
from doc_priority.types import BEST_PRIORITY, REASON_LENGTH, WORST_PRIORITY

LAST_YEAR = 9997
USUAL_PIN = timedelta(hours=1)
MOMENT_FORMAT = "%Y-%m-%dT%H:%M"


def comes_once(naive: datetime) -> bool:
    """Whether the portal's clocks show this time once: not never, and not twice."""
    zone = timezone.get_current_timezone()
    return zone.utcoffset(naive.replace(fold=0)) == zone.utcoffset(naive.replace(fold=1))


def usual_end() -> datetime:
    """An hour ahead, or later in the night in which the clocks are set back."""
    end = datetime.now(UTC) + USUAL_PIN
    while not comes_once(timezone.localtime(end).replace(tzinfo=None)):
        end += USUAL_PIN
    return timezone.localtime(end)


class ReasonForm(forms.Form):
    """Why; it is kept with the event, so that the next one knows."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Kept in the events, for whoever asks later."),
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off", "class": "dp-input"}),
    )

    def clean_reason(self) -> str:
        return showable(self.cleaned_data["reason"], name="reason", length=REASON_LENGTH)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the service is called with."""
        return {"reason": self.cleaned_data["reason"]}


class PinForm(ReasonForm):
    """Which priority, and how long.

    Only who ticks it gets a pin without an end. What stands in the field for the time is then left
    aside: it was filled in when the page was opened, and may have passed meanwhile.
    """

    priority = forms.TypedChoiceField(
        label=gettext_lazy("Priority"),
        choices=[
            ("", "–"),
            *((level, level) for level in range(BEST_PRIORITY, WORST_PRIORITY + 1)),
        ],
        coerce=int,
        help_text=gettext_lazy("1 is processed first, 9 last."),
        widget=forms.Select(attrs={"class": "dp-input"}),
    )
    until = forms.DateTimeField(
        label=gettext_lazy("Until"),
        required=False,
        input_formats=[MOMENT_FORMAT, f"{MOMENT_FORMAT}:%S"],
        widget=forms.DateTimeInput(
            attrs={"type": "datetime-local", "class": "dp-input"}, format=MOMENT_FORMAT
        ),
    )
    without_end = forms.BooleanField(
        label=gettext_lazy("Without an end"),
        required=False,
        help_text=gettext_lazy("It holds until somebody unpins it, whatever the time above says."),
    )
    field_order = ("priority", "until", "without_end", "reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = timezone.get_current_timezone_name()
        self.fields["until"].help_text = _("In the time zone %(zone)s.") % {"zone": zone}
        self.fields["until"].initial = usual_end()

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data["without_end"]:
            self.errors.pop("until", None)
            self.cleaned_data["until"] = None
        return self.cleaned_data

    def clean_until(self) -> datetime:
        until: datetime | None = self.cleaned_data["until"]
        if until is None:
            raise ValidationError(self.fields["until"].error_messages["required"], "required")
        if timezone.is_naive(until):
            if not comes_once(until):
                raise ValidationError(_("In this night the clocks change; choose another time."))
            until = timezone.make_aware(until)
        if until <= datetime.now(UTC):
            raise ValidationError(_("This time has passed; choose a later one."))
        if until.year > LAST_YEAR:
            raise ValidationError(_("This time is too far ahead; choose an earlier one."))
        return until

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            **super().arguments,
            "priority": self.cleaned_data["priority"],
            "until": self.cleaned_data["until"],
        }
