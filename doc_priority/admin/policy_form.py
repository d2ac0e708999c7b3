"""The form for a policy and its preview: the levels, and which priorities would change."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
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
from django.utils.translation import ngettext

from doc_priority.admin.base import Page
from doc_priority.admin.events import changed_terms
from doc_priority.admin.explaining import levels_of
from doc_priority.admin.forms import ReasonField, TextField
from doc_priority.explanations import numeral
from doc_priority.formats import duration
from doc_priority.models import Policy
from doc_priority.selectors import Move, moves_under
from doc_priority.types import (
    FLOOR,
    MAX_RESET_INTERVAL,
    MIN_RESET_INTERVAL,
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
    """Interval, recovery and thresholds as they are typed; saves nothing."""

    class Meta:
        model = Policy
        fields: ClassVar[tuple[str, ...]] = TERMS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (lowest, highest) in LIMITS.items():
            field = self.fields.get(name)
            if field is not None:  # Users who may only view a policy have no fields.
                field.validators += [MinValueValidator(lowest), MaxValueValidator(highest)]
                field.widget.attrs |= {"min": lowest, "max": highest}
        if "reset_interval" in self.fields:
            self.fields["reset_interval"].help_text = _(
                "In seconds, from %(lowest)s to %(highest)s."
            ) % {"lowest": numeral(MIN_RESET_INTERVAL), "highest": numeral(MAX_RESET_INTERVAL)}

    def clean(self) -> dict[str, Any]:
        super().clean()
        for upper, lower in pairwise(THRESHOLD_FIELDS):
            above, below = self.cleaned_data.get(upper), self.cleaned_data.get(lower)
            if above is not None and below is not None and below >= above:
                message = _("%(below)s must be less than %(above)s (“%(upper)s”).") % {
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
        """The terms of a form without errors."""
        given = self.cleaned_data
        thresholds = [given[name] for name in THRESHOLD_FIELDS]
        return terms_of(given["reset_interval"], given["recovery"], thresholds)


class PolicyForm(TermsForm):
    """A policy, and the reason for creating or changing it.

    Before a change is saved, the form can ask two questions: whether to overwrite what someone else
    has changed since the form was opened, and whether customers may change priority. Saving again
    confirms.
    """

    reason = ReasonField(required=False)
    refusal = ""
    """Why a service refused what was sent."""

    class Meta(TermsForm.Meta):
        fields = ("name", *TERMS)
        field_classes: ClassVar = {"name": TextField}

    moves = ""
    """Which priorities would change, in words; empty until the form is valid."""
    seen = ""
    """Hashes of the change and the moves that the page shows; a hidden field sends them back."""
    is_asked_again = False
    """Whether the page has shown the same change before, with other moves."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            return
        for name in set(TERMS) & self.fields.keys():
            # A hidden field sends back the initial value. If it was not sent, Django would take the
            # typed value as the initial one.
            was_sent = self.add_initial_prefix(name) in self.data
            self.fields[name].show_hidden_initial = was_sent or not self.is_bound

    def validate_unique(self) -> None:
        """Looks for the name on the primary; the model would ask a replica."""
        if self.instance.pk is not None:
            return
        same = Policy.objects.primary().filter(name=self.instance.name)
        if same.exists():
            self.add_error("name", self.instance.unique_error_message(Policy, ("name",)))

    def clean(self) -> dict[str, Any]:
        super().clean()
        if not self.errors and self.instance.pk is not None:
            self._require_confirmation()
        if self.refusal:
            self.add_error(None, self.refusal)
        return dict(self.cleaned_data)

    def _require_confirmation(self) -> None:
        stored, typed = self.instance.terms, self.terms
        moves = moves_under(self.instance, typed)
        self.moves = moves_in_words(moves)
        change, moves_hash = _hash(stored, typed), _hash(*moves)
        self.seen = f"{change} {moves_hash}"
        seen_change, _space, seen_moves = self.data.get("seen", "").partition(" ")

        opened = TermsForm(self.data, prefix="initial")
        is_outdated = opened.is_valid() and stored not in (opened.terms, typed)
        if is_outdated and seen_change != change:
            question = _(
                "Someone else has changed this policy since you opened the form: %(changes)s. "
                "Saving now would overwrite that. Not saved yet. Save again to confirm."
            ) % {"changes": "; ".join(changed_terms(asdict(opened.terms), asdict(stored)))}
            self.add_error(None, ValidationError(question, code="outdated"))

        if not moves:
            return
        if seen_change != change:
            question = _("%(moves)s Not saved yet. Save again to confirm.")
        else:
            self.is_asked_again = True
            if seen_moves == moves_hash or "moves_accepted" in self.data:
                return
            question = _(
                "The numbers have changed since you saw them. %(moves)s "
                "Not saved yet. Save again to confirm."
            )
        question %= {"moves": self.moves}
        self.add_error(None, ValidationError(question, code="unconfirmed"))

    def _post_clean(self) -> None:
        """The model would repeat the errors of the terms, in words for developers."""
        if not self.errors:
            super(TermsForm, self)._post_clean()  # type: ignore[misc]  # the stubs leave it out

    @cached_property
    def changed_data(self) -> list[str]:
        """The fields that differ from the policy as it is stored now."""
        return [
            name
            for name, field in self.fields.items()
            if field.has_changed(self.get_initial_for_field(field, name), self[name].data)
        ]

    @property
    def changed_terms(self) -> set[str]:
        """By their names in the services."""
        return {"thresholds" if name in THRESHOLD_FIELDS else name for name in self.changed_data}

    @property
    def preview(self) -> dict[str, Any]:
        """The preview of a page with a new form or a form with errors."""
        typed = {
            # Users who may only view a policy have no fields.
            name: self[name].value() if name in self.fields else getattr(self.instance, name)
            for name in TERMS
        }
        return preview_of(TermsForm(typed), moves=self.moves)


def _hash(*shown: object) -> str:
    """A hash that is the same in every process."""
    return hashlib.sha256(repr(shown).encode()).hexdigest()


def moves_in_words(moves: Sequence[Move]) -> str:
    """`3 customers change priority: 7 → 5 (2), 4 → 3 (1).`"""
    if not moves:
        return _("No priority changes.")
    customers = sum(move.customers for move in moves)
    changes = [f"{move.before} → {move.after}" for move in moves]
    if len(moves) > 1:
        changes = [
            f"{change} ({numeral(move.customers)})"
            for change, move in zip(changes, moves, strict=True)
        ]
    return ngettext(
        "%(count)s customer changes priority: %(moves)s.",
        "%(count)s customers change priority: %(moves)s.",
        customers,
    ) % {"count": numeral(customers), "moves": ", ".join(changes)}


# The preview.


def preview_of(typed: TermsForm, *, moves: str) -> dict[str, Any]:
    """What `policy_levels.html` shows: the levels and `moves`, or each wrong field."""
    if not typed.is_valid():
        mistakes = [(typed.fields[name].label, errors) for name, errors in typed.errors.items()]
        return {"mistakes": mistakes, "moves": ""}
    return {
        "interval": duration(timedelta(seconds=typed.terms.reset_interval)),
        "levels": levels_of(typed.terms.thresholds),
        "moves": moves,
    }


class PolicyPreview(Page):
    """The preview while a user types, for users who may save the policy."""

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
        moves = _("No customer uses it yet.")
        if policy is not None and typed.is_valid():
            moves = moves_in_words(moves_under(policy, typed.terms))
        preview = preview_of(typed, moves=moves)
        levels = render_to_string(
            "doc_priority/admin/policy_levels.html", {"preview": preview}, request
        )
        return JsonResponse({"levels": levels, "moves": preview["moves"]})
