"""What somebody fills in for customers: their form, and why and how to correct them."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from doc_priority.admin.events import policy_name
from doc_priority.conf import settings
from doc_priority.counters.rows import peek_decision
from doc_priority.exceptions import InvalidText
from doc_priority.models import Customer, Policy
from doc_priority.selectors import stored_counter
from doc_priority.types import BEST_PRIORITY, NAME_LENGTH, REASON_LENGTH, WORST_PRIORITY
from doc_priority.validation import require_text

if TYPE_CHECKING:
    CustomerModelForm = forms.ModelForm[Customer]
else:
    CustomerModelForm = forms.ModelForm

LAST_YEAR = 9997
USUAL_PIN = timedelta(hours=1)
MOMENT_FORMAT = "%Y-%m-%dT%H:%M"


def clean_text(text: str, *, name: str, length: int) -> str:
    """The text as the services accept it; an error for its field where it could not be shown."""
    try:
        return require_text(text, name=name, length=length)
    except InvalidText as error:
        raise ValidationError(
            _("There are control characters or invisible marks in it; leave them out.")
        ) from error


class CustomerForm(CustomerModelForm):
    """Key, name and policy.

    Another policy needs a reason, and a second save after the page has shown its effect.
    """

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy(
            "Needed for another policy; kept in the events, for whoever asks later."
        ),
        max_length=REASON_LENGTH,
        required=False,
    )

    class Meta:
        model = Customer
        fields = ("key", "name", "policy")

    refusal = ""
    """Why a service refused what was sent."""

    policy_seen = ""
    """The policies before and after, as the page shows them; they come back with its form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """With what the form was opened with: only what its user changed is changed."""
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.show_hidden_initial = name != "reason"

    def validate_unique(self) -> None:
        """Left to the service: it knows whose key this user may be told of."""

    def _get_validation_exclusions(self) -> Any:
        """The field has looked the policy up where it is written; the model would ask a replica."""
        return super()._get_validation_exclusions() | {"policy"}  # type: ignore[misc]  # no public hook

    def clean(self) -> dict[str, Any] | None:
        if self.refusal:
            raise ValidationError(self.refusal)
        super().clean()
        is_changed = self.instance.pk is not None and "policy" in self.changed_data
        if is_changed and "policy" in self.cleaned_data:
            self._require_confirmation(self.cleaned_data["policy"])
        return self.cleaned_data

    def clean_name(self) -> str:
        return clean_text(self.cleaned_data["name"], name="name", length=NAME_LENGTH)

    def clean_reason(self) -> str:
        return clean_text(self.cleaned_data["reason"], name="reason", length=REASON_LENGTH)

    def _require_confirmation(self, policy: Policy | None) -> None:
        now = stored_counter(self.instance.key, at=None)
        terms = policy.named_terms if policy else settings.default_policy
        if now is None or now.policy.name == terms.name:
            # The customer is gone, which the service will say, or has this policy already.
            return
        if not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Another policy needs a reason."))
        self.policy_seen = f"{now.policy.name}|{terms.name}"
        if self.data.get("policy_seen") == self.policy_seen:
            return
        before, after = (
            peek_decision(self.instance.key, now.state, now.pin, one, now.now)
            for one in (now.policy, terms)
        )
        question = _(
            "Policy: %(policy_before)s → %(policy_after)s. "
            "Priority now: %(before)s → %(after)s. "
            "Nothing is saved yet: save again to confirm."
        ) % {
            "policy_before": policy_name(before.policy),
            "policy_after": policy_name(after.policy),
            "before": before.priority,
            "after": after.priority,
        }
        self.add_error(None, ValidationError(question, code="unconfirmed"))

    @property
    def changed_data(self) -> list[str]:
        """Of the customer: the reason is no part of it."""
        return [name for name in super().changed_data if name != "reason"]


# Corrections.


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
    """Why somebody corrects a customer; it is kept with the event."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Kept in the events, for whoever asks later."),
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off", "class": "dp-input"}),
    )

    def clean_reason(self) -> str:
        return clean_text(self.cleaned_data["reason"], name="reason", length=REASON_LENGTH)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the service is called with."""
        return {"reason": self.cleaned_data["reason"]}


class PinForm(ReasonForm):
    """Which priority, and until when.

    A pin has no end only where that is ticked. Then the time is not looked at: it was filled in
    when the page was opened, and may have passed.
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
