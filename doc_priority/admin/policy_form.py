"""What somebody fills in for a policy, and what it would mean: its levels, and who would move."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from doc_priority.admin.base import Page
from doc_priority.admin.events import changed_terms
from doc_priority.admin.explaining import levels_of
from doc_priority.admin.formatting import span_in_words
from doc_priority.admin.forms import clean_text
from doc_priority.explanations import numeral
from doc_priority.models import Policy
from doc_priority.selectors import Move, moves_under
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
LIMITS = {
    "reset_interval": (MIN_RESET_INTERVAL, MAX_RESET_INTERVAL),
    **dict.fromkeys(THRESHOLD_FIELDS, (FLOOR, 0)),
}


class TermsForm(PolicyModelForm):
    """Interval, recovery and thresholds as they are typed; it puts them into no policy."""

    class Meta:
        model = Policy
        fields: ClassVar[tuple[str, ...]] = TERMS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (lowest, highest) in LIMITS.items():
            field = self.fields.get(name)
            if field is not None:  # Whoever may only look at a policy has no fields.
                field.validators += [MinValueValidator(lowest), MaxValueValidator(highest)]
                field.widget.attrs |= {"min": lowest, "max": highest}

    def clean(self) -> dict[str, Any]:
        super().clean()
        for upper, lower in pairwise(THRESHOLD_FIELDS):
            above, below = self.cleaned_data.get(upper), self.cleaned_data.get(lower)
            if above is not None and below is not None and below >= above:
                message = _("%(below)s is not less than %(above)s (“%(upper)s”).") % {
                    "below": numeral(below),
                    "upper": self.fields[upper].label,
                    "above": numeral(above),
                }
                self.add_error(lower, ValidationError(message, code="not_falling"))
        return dict(self.cleaned_data)

    def _post_clean(self) -> None:
        """Skips the validation by the model, for which there is no public hook."""

    @property
    def terms(self) -> PolicyTerms:
        """What a form without errors says."""
        given = self.cleaned_data
        thresholds = [given[name] for name in THRESHOLD_FIELDS]
        return terms_of(given["reset_interval"], given["recovery"], thresholds)


class PolicyForm(TermsForm):
    """A policy, and why it is made or changed.

    Two questions are asked before a change is saved: whether to replace what somebody else has
    changed since the form was opened, and whether to move customers. Saving again confirms.
    """

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Kept in the events, for whoever asks later."),
        max_length=REASON_LENGTH,
        required=False,
    )
    refusal = ""
    """Why a service refused what was sent."""

    class Meta(TermsForm.Meta):
        fields = ("name", *TERMS)

    moves: Sequence[Move] | None = None
    """Who would move; None until the form is found right."""
    seen = ""
    """The hash of the change and of the moves that the page shows; it comes back with the form."""
    is_asked_again = False
    """Whether the same change was shown before, with other moves."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            return
        for name in set(TERMS) & self.fields.keys():
            # What the form was opened with comes back with it. Where it was not sent, Django would
            # put what is typed in its place.
            was_sent = self.add_initial_prefix(name) in self.data
            self.fields[name].show_hidden_initial = was_sent or not self.is_bound

    def validate_unique(self) -> None:
        """A new name, where policies are written; the model would ask where reads go."""
        if self.instance.pk is not None:
            return
        same = Policy.objects.primary().filter(name=self.instance.name)
        if same.exists():
            self.add_error("name", self.instance.unique_error_message(Policy, ("name",)))

    def clean_name(self) -> str:
        return clean_text(self.cleaned_data["name"], name="name", length=POLICY_NAME_LENGTH)

    def clean_reason(self) -> str:
        return clean_text(self.cleaned_data["reason"], name="reason", length=REASON_LENGTH)

    def clean(self) -> dict[str, Any]:
        super().clean()
        if not self.errors and self.instance.pk is not None:
            self._require_confirmation()
        if self.refusal:
            self.add_error(None, self.refusal)
        return dict(self.cleaned_data)

    def _require_confirmation(self) -> None:
        stored, typed = self.instance.terms, self.terms
        self.moves = moves_under(self.instance, typed)
        change, moves = _hash(stored, typed), _hash(*self.moves)
        self.seen = f"{change} {moves}"
        seen_change, _space, seen_moves = self.data.get("seen", "").partition(" ")

        opened = TermsForm(self.data, prefix="initial")
        is_outdated = opened.is_valid() and stored not in (opened.terms, typed)
        if is_outdated and seen_change != change:
            question = _(
                "Somebody else has changed this policy since the form was opened: %(changes)s. "
                "What stands in the form would replace that. "
                "Nothing is saved yet: save again to confirm."
            ) % {"changes": "; ".join(changed_terms(_as_dict(opened.terms), _as_dict(stored)))}
            self.add_error(None, ValidationError(question, code="outdated"))

        if not self.moves:
            return
        if seen_change != change:
            question = _("%(moves)s Nothing is saved yet: save again to confirm.")
        else:
            self.is_asked_again = True
            if seen_moves == moves or "moves_accepted" in self.data:
                return
            question = _(
                "The numbers have changed since they were shown. %(moves)s "
                "Nothing is saved yet: save again to confirm."
            )
        question %= {"moves": moves_in_words(self.moves)}
        self.add_error(None, ValidationError(question, code="unconfirmed"))

    def _post_clean(self) -> None:
        """The model would say the errors of the terms again, in words for developers."""
        if not self.errors:
            super(TermsForm, self)._post_clean()  # type: ignore[misc]  # the stubs leave it out

    @cached_property
    def changed_data(self) -> list[str]:
        """What differs from the policy as it is stored now; the reason is no part of it."""
        return [
            name
            for name, field in self.fields.items()
            if name != "reason"
            and field.has_changed(self.get_initial_for_field(field, name), self[name].data)
        ]

    @property
    def changed_terms(self) -> set[str]:
        """By the names that the services have for them."""
        return {"thresholds" if name in THRESHOLD_FIELDS else name for name in self.changed_data}

    @property
    def preview(self) -> dict[str, Any]:
        """What the page shows before anything is typed, or when the form comes back."""
        if not set(TERMS) <= self.fields.keys():
            return preview_of(self.instance.terms)
        typed = TermsForm({name: self[name].value() for name in TERMS})
        if not typed.is_valid():
            return mistakes_in(typed)
        return preview_of(
            typed.terms, moves="" if self.moves is None else moves_in_words(self.moves)
        )


def _hash(*shown: object) -> str:
    """The same for the same values in every process."""
    return hashlib.sha256(repr(shown).encode()).hexdigest()


def _as_dict(terms: PolicyTerms) -> dict[str, Any]:
    """The terms as an event keeps them."""
    return {
        "reset_interval": terms.reset_interval,
        "recovery": terms.recovery.value,
        "thresholds": list(terms.thresholds),
    }


def moves_in_words(moves: Sequence[Move]) -> str:
    """`3 customers move: 7 → 5: 2, 4 → 3: 1.`"""
    if not moves:
        return _("Nobody moves.")
    customers = sum(move.customers for move in moves)
    return ngettext(
        "%(count)s customer moves: %(moves)s.", "%(count)s customers move: %(moves)s.", customers
    ) % {
        "count": numeral(customers),
        "moves": ", ".join(
            f"{move.before} → {move.after}: {numeral(move.customers)}" for move in moves
        ),
    }


# The preview.


def preview_of(terms: PolicyTerms, *, moves: str = "") -> dict[str, Any]:
    """What `policy_levels.html` shows of a policy, and in words who moves."""
    interval = span_in_words(timedelta(seconds=terms.reset_interval))
    return {"interval": interval, "levels": levels_of(terms.thresholds), "moves": moves}


def mistakes_in(typed: TermsForm) -> dict[str, Any]:
    """The same of what is no policy yet: each field that is wrong, with its errors."""
    mistakes = [(typed.fields[name].label, errors) for name, errors in typed.errors.items()]
    return {"mistakes": mistakes, "moves": ""}


class PolicyPreview(Page):
    """Asked while somebody types, by those who may save it."""

    route = "preview/"
    name = "doc_priority_policy_preview"

    def is_permitted(self, request: HttpRequest) -> bool:
        admin = self.model_admin
        return admin.has_add_permission(request) or admin.has_change_permission(request)

    def respond(self, request: HttpRequest) -> HttpResponse:
        key = request.GET.get("policy", "")
        policy = self.model_admin.get_object(request, key) if key else None
        if key and policy is None:
            raise Http404
        typed = TermsForm(request.GET)
        if not typed.is_valid():
            preview = mistakes_in(typed)
        elif policy is None:
            preview = preview_of(typed.terms, moves=_("A new policy moves nobody."))
        else:
            preview = preview_of(
                typed.terms, moves=moves_in_words(moves_under(policy, typed.terms))
            )
        levels = render_to_string(
            "doc_priority/admin/policy_levels.html", {"preview": preview}, request
        )
        return JsonResponse({"levels": levels, "moves": preview["moves"]})
