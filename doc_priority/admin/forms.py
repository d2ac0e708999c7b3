"""The forms for customers: the customer itself, and the corrections with their reasons."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

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
from doc_priority.types import BEST_PRIORITY, REASON_LENGTH, WORST_PRIORITY
from doc_priority.validation import require_text

if TYPE_CHECKING:
    CustomerModelForm = forms.ModelForm[Customer]
else:
    CustomerModelForm = forms.ModelForm

LAST_YEAR = 9997
USUAL_PIN = timedelta(hours=1)
MOMENT_FORMAT = "%Y-%m-%dT%H:%M"


class TextField(forms.CharField):
    """A text as the services accept it."""

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        try:
            return require_text(text, name="text", length=len(text))
        except InvalidText as error:
            raise ValidationError(_("Remove the control or invisible characters.")) from error


class ReasonField(TextField):
    """The reason of a change."""

    def __init__(self, **kwargs: Any) -> None:
        usual: dict[str, Any] = {
            "label": gettext_lazy("Reason"),
            "help_text": gettext_lazy("Saved with the event, so others can see why."),
            "max_length": REASON_LENGTH,
        }
        super().__init__(**(usual | kwargs))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """A reason alone changes nothing."""
        return False


class CustomerForm(CustomerModelForm):
    """Key, name and policy.

    Another policy needs a reason, and a second save after the page has shown its effect.
    """

    reason = ReasonField(
        help_text=gettext_lazy(
            "Required if you change the policy. Saved with the event, so others can see why."
        ),
        required=False,
    )

    class Meta:
        model = Customer
        fields = ("key", "name", "policy")
        field_classes: ClassVar = {"name": TextField}

    refusal = ""
    """Why a service refused what was sent."""

    policy_seen = ""
    """The policies before and after as the page showed them; a hidden field sends them back."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """With hidden initial values, so that only fields the user changed are saved."""
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.show_hidden_initial = name != "reason"

    def validate_unique(self) -> None:
        """Left to the service, which knows which existing keys this user may learn of."""

    def _get_validation_exclusions(self) -> Any:
        """The field has read the policy from the primary; the model would ask a replica."""
        return super()._get_validation_exclusions() | {"policy"}  # type: ignore[misc]  # no public hook

    def clean(self) -> dict[str, Any] | None:
        if self.refusal:
            raise ValidationError(self.refusal)
        super().clean()
        is_changed = self.instance.pk is not None and "policy" in self.changed_data
        if is_changed and "policy" in self.cleaned_data:
            self._require_confirmation(self.cleaned_data["policy"])
        return self.cleaned_data

    def _require_confirmation(self, policy: Policy | None) -> None:
        now = stored_counter(self.instance.key, at=None)
        terms = policy.named_terms if policy else settings.default_policy
        if now is None or now.policy.name == terms.name:
            # The customer was deleted, which the service reports, or has this policy already.
            return
        if not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Enter a reason for the change of policy."))
        self.policy_seen = f"{now.policy.name}|{terms.name}"
        if self.data.get("policy_seen") == self.policy_seen:
            return
        before, after = (
            peek_decision(self.instance.key, now.state, now.pin, policy_terms, now.now)
            for policy_terms in (now.policy, terms)
        )
        question = _(
            "Policy: %(policy_before)s → %(policy_after)s. "
            "Priority now: %(before)s → %(after)s. "
            "Not saved yet. Save again to confirm."
        ) % {
            "policy_before": policy_name(before.policy),
            "policy_after": policy_name(after.policy),
            "before": before.priority,
            "after": after.priority,
        }
        self.add_error(None, ValidationError(question, code="unconfirmed"))


# Corrections.


def comes_once(naive: datetime) -> bool:
    """Whether this local time exists exactly once; at a clock change it can be never or twice."""
    zone = timezone.get_current_timezone()
    return zone.utcoffset(naive.replace(fold=0)) == zone.utcoffset(naive.replace(fold=1))


def usual_end() -> datetime:
    """In an hour, or later if the clocks show that time twice."""
    end = datetime.now(UTC) + USUAL_PIN
    while not comes_once(timezone.localtime(end).replace(tzinfo=None)):
        end += USUAL_PIN
    return timezone.localtime(end)


class ReasonForm(forms.Form):
    """The reason of a correction. Its cleaned data are what the service is called with."""

    reason = ReasonField(widget=forms.TextInput({"autocomplete": "off", "class": "dp-input"}))


class PinForm(ReasonForm):
    """The pinned priority and its end.

    A pin has no end only where that is ticked. Then the time is ignored: it was filled in when the
    page was opened, and may be in the past.
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
        help_text=gettext_lazy(
            "The pin holds until someone removes it, whatever the time above says."
        ),
    )
    field_order = ("priority", "until", "without_end", "reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = timezone.get_current_timezone_name()
        self.fields["until"].help_text = _("Time zone: %(zone)s") % {"zone": zone}
        self.fields["until"].initial = usual_end()

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.pop("without_end"):
            self.errors.pop("until", None)
            self.cleaned_data["until"] = None
        return self.cleaned_data

    def clean_until(self) -> datetime:
        until: datetime | None = self.cleaned_data["until"]
        if until is None:
            raise ValidationError(self.fields["until"].error_messages["required"], "required")
        if timezone.is_naive(until):
            if not comes_once(until):
                raise ValidationError(
                    _(
                        "The clocks change that night, and this time does not exist or occurs "
                        "twice. Choose another time."
                    )
                )
            until = timezone.make_aware(until)
        if until <= datetime.now(UTC):
            raise ValidationError(_("This time is in the past. Choose a later one."))
        if until.year > LAST_YEAR:
            raise ValidationError(_("This time is too far in the future. Choose an earlier one."))
        return until
