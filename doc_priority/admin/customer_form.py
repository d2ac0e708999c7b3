"""What can be typed for a customer: key, name and policy, and why the policy changes."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from doc_priority.admin.changes import policy_name
from doc_priority.admin.typed_text import showable
from doc_priority.conf import settings
from doc_priority.models import Customer, Policy
from doc_priority.selectors import standing
from doc_priority.services.deciding import standing_of
from doc_priority.types import NAME_LENGTH, REASON_LENGTH

if TYPE_CHECKING:
    CustomerModelForm = forms.ModelForm[Customer]
else:
    CustomerModelForm = forms.ModelForm


class CustomerForm(CustomerModelForm):
    """Refuses what the services would refuse, beside the field.

    Another policy must have a reason, and is saved when its effect has been shown.
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
    """What a service said the last time this was sent."""

    policy_seen = ""
    """The policies before and after, as the page shows them; they come back with its form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps what was shown: only what somebody changed is changed, whoever was here since."""
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.show_hidden_initial = name != "reason"

    def validate_unique(self) -> None:
        """Left to the service: it knows whose key this user may be told of."""

    def _get_validation_exclusions(self) -> Any:
        """The policy was looked up where it is written; the model would ask where reads go."""
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
        return showable(self.cleaned_data["name"], name="name", length=NAME_LENGTH)

    def clean_reason(self) -> str:
        return showable(self.cleaned_data["reason"], name="reason", length=REASON_LENGTH)

    def _require_confirmation(self, policy: Policy | None) -> None:
        now = standing(self.instance.key, at=None)
        terms = policy.named_terms if policy else settings.default_policy
        if now is None or now.policy.name == terms.name:
            return  # Somebody forgot the customer, which the service tells, or was faster.
        if not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Another policy needs a reason."))
        self.policy_seen = f"{now.policy.name}|{terms.name}"
        if self.data.get("policy_seen") == self.policy_seen:
            return
        before, after = (
            standing_of(self.instance.key, now.state, now.pin, one, now.now)
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
