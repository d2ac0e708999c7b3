"""What somebody fills in for a policy; each error stands at the field that is wrong."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from doc_priority.admin import policy_opened
from doc_priority.admin.policy_moves import Confirmation
from doc_priority.admin.typed_text import showable
from doc_priority.models import Policy
from doc_priority.numerals import numeral
from doc_priority.selectors import moves_under
from doc_priority.services.transactions import alias_for_write
from doc_priority.types import (
    FLOOR,
    MAX_RESET_INTERVAL,
    MIN_RESET_INTERVAL,
    POLICY_NAME_LENGTH,
    REASON_LENGTH,
    THRESHOLD_FIELDS,
    PolicyTerms,
)
from doc_priority.validation import terms_of

if TYPE_CHECKING:
    PolicyModelForm = forms.ModelForm[Policy]
else:
    PolicyModelForm = forms.ModelForm

TERMS = ("reset_interval", "recovery", *THRESHOLD_FIELDS)


class TermsForm(PolicyModelForm):
    """Interval, recovery and thresholds."""

    class Meta:
        model = Policy
        fields: ClassVar[tuple[str, ...]] = TERMS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit("reset_interval", MIN_RESET_INTERVAL, MAX_RESET_INTERVAL)
        for name in THRESHOLD_FIELDS:
            self._limit(name, FLOOR, 0)

    def _limit(self, name: str, lowest: int, highest: int) -> None:
        """Who may only look at a policy has no fields."""
        field = self.fields.get(name)
        if field is not None:
            field.validators += [MinValueValidator(lowest), MaxValueValidator(highest)]
            field.widget.attrs |= {"min": lowest, "max": highest}

    def clean(self) -> dict[str, Any]:
        super().clean()
        for upper, lower in pairwise(THRESHOLD_FIELDS):
            self._require_falling(upper, lower)
        return dict(self.cleaned_data)

    def _require_falling(self, upper: str, lower: str) -> None:
        above, below = self.cleaned_data.get(upper), self.cleaned_data.get(lower)
        if above is not None and below is not None and below >= above:
            message = _("%(below)s is not less than %(above)s (“%(upper)s”).") % {
                "below": numeral(below),
                "upper": self.fields[upper].label,
                "above": numeral(above),
            }
            self.add_error(lower, ValidationError(message, code="not_falling"))

    def _post_clean(self) -> None:
        """The model would say it again, in words for developers."""
        if not self.errors:
            super()._post_clean()  # type: ignore[misc]  # no public hook; the stubs leave it out

    @property
    def terms(self) -> PolicyTerms:
        """What a form without errors says."""
        given = self.cleaned_data
        thresholds = [given[name] for name in THRESHOLD_FIELDS]
        return terms_of(given["reset_interval"], given["recovery"], thresholds)


class TypedTerms(TermsForm):
    """Terms as they are being typed; they are put into no policy."""

    def _post_clean(self) -> None:
        pass


class PolicyForm(TermsForm):
    """A policy, and why it is made or changed; who would move must be confirmed."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Kept in the events, for whoever asks later."),
        max_length=REASON_LENGTH,
        required=False,
    )
    refusal = ""
    """Why the services refused what was filled in."""

    class Meta(TermsForm.Meta):
        fields = ("name", *TERMS)

    confirmation: Confirmation | None = None
    is_outdated = False
    """Whether the form says what others changed since it was opened."""

    def validate_unique(self) -> None:
        """A new name, where policies are written; the model would ask where reads go."""
        if self.instance.pk is not None:
            return
        same = Policy.objects.using(alias_for_write()).filter(name=self.instance.name)
        if same.exists():
            self.add_error("name", self.instance.unique_error_message(Policy, ("name",)))

    def clean_name(self) -> str:
        return showable(self.cleaned_data["name"], name="name", length=POLICY_NAME_LENGTH)

    def clean_reason(self) -> str:
        return showable(self.cleaned_data["reason"], name="reason", length=REASON_LENGTH)

    def clean(self) -> dict[str, Any]:
        super().clean()
        if not self.errors and self.instance.pk is not None:
            terms = self.terms
            self._require_seen(terms)
            self._require_confirmation(terms)
        if self.refusal:
            self.add_error(None, self.refusal)
        return dict(self.cleaned_data)

    def _require_seen(self, terms: PolicyTerms) -> None:
        """An old form must not undo unasked what others changed meanwhile."""
        stored, opened = self.instance.terms, self._opened
        if opened is not None and stored not in (opened, terms):
            self.is_outdated = True
            question = policy_opened.question(opened, stored)
            self.add_error(None, ValidationError(question, code="outdated"))

    @property
    def _opened(self) -> PolicyTerms | None:
        return policy_opened.from_text(self.data.get("terms_opened", ""))

    @property
    def terms_opened(self) -> str:
        """The stored terms that the form was filled from, or has told of; a new policy has none."""
        if self.instance.pk is None:
            return ""
        opened = None if self.is_outdated else self._opened
        return policy_opened.as_text(opened or self.instance.terms)

    def _require_confirmation(self, terms: PolicyTerms) -> None:
        self.confirmation = Confirmation(terms, moves_under(self.instance, terms))
        if not self.confirmation.is_given(self.data):
            question = self.confirmation.question(self.data)
            self.add_error(None, ValidationError(question, code="unconfirmed"))

    @property
    def is_asked_again(self) -> bool:
        return self.confirmation is not None and self.confirmation.is_repeated(self.data)

    @cached_property
    def changed_data(self) -> list[str]:
        """Of the policy: the reason is no part of it."""
        return [name for name in super().changed_data if name != "reason"]

    @property
    def changed_terms(self) -> set[str]:
        """By the names that the services have for them."""
        return {"thresholds" if name in THRESHOLD_FIELDS else name for name in self.changed_data}
