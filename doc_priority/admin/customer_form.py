"""What can be typed for a customer: key, name and policy."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from doc_priority.admin.typed_text import showable
from doc_priority.models import Customer
from doc_priority.types import NAME_LENGTH

if TYPE_CHECKING:
    CustomerModelForm = forms.ModelForm[Customer]
else:
    CustomerModelForm = forms.ModelForm


class CustomerForm(CustomerModelForm):
    """Refuses what the services would refuse, beside the field."""

    class Meta:
        model = Customer
        fields = ("key", "name", "policy")

    refusal = ""
    """What a service said the last time this was sent."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps what was shown: only what somebody changed is changed, whoever was here since."""
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.show_hidden_initial = True

    def validate_unique(self) -> None:
        """Left to the service: it knows whose key this user may be told of."""

    def _get_validation_exclusions(self) -> Any:
        """The policy was looked up where it is written; the model would ask where reads go."""
        return super()._get_validation_exclusions() | {"policy"}  # type: ignore[misc]  # no public hook

    def clean(self) -> dict[str, Any] | None:
        if self.refusal:
            raise ValidationError(self.refusal)
        return super().clean()

    def clean_name(self) -> str:
        return showable(self.cleaned_data["name"], name="name", length=NAME_LENGTH)
