"""What a policy means as it is typed: its nine levels, and who would move."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from doc_priority.admin import policy_spans
from doc_priority.admin.pages import Page
from doc_priority.admin.policy_form import TERMS, PolicyForm, TypedTerms
from doc_priority.admin.policy_levels import Level, levels_of
from doc_priority.admin.policy_moves import in_words
from doc_priority.models import Policy
from doc_priority.selectors import moves_under
from doc_priority.types import PolicyTerms


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, and in which field."""

    field: str
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """The interval and levels of a policy, or else the mistakes; and in words who moves."""

    interval: str = ""
    levels: tuple[Level, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    moves: str = ""


def preview_of(form: PolicyForm) -> Preview:
    """What the form shows before anything is typed, or when it comes back."""
    if not set(TERMS) <= form.fields.keys():
        return _preview(form.instance.terms)
    typed = TypedTerms({name: form[name].value() for name in TERMS})
    if not typed.is_valid():
        return Preview(mistakes=_mistakes(typed))
    moves = in_words(form.confirmation.moves) if form.confirmation else ""
    return _preview(typed.terms, moves=moves)


def typed_preview(policy: Policy | None, data: Mapping[str, Any]) -> Preview:
    """What is typed into the form of this policy, or of a new one, would bring."""
    typed = TypedTerms(data)
    if not typed.is_valid():
        return Preview(mistakes=_mistakes(typed))
    if policy is None:
        return _preview(typed.terms, moves=_("A new policy moves nobody."))
    moves = in_words(moves_under(policy, typed.terms))
    return _preview(typed.terms, moves=moves)


def _preview(terms: PolicyTerms, *, moves: str = "") -> Preview:
    interval = policy_spans.in_words(timedelta(seconds=terms.reset_interval))
    return Preview(interval=interval, levels=tuple(levels_of(terms.thresholds)), moves=moves)


def _mistakes(typed: TypedTerms) -> tuple[Mistake, ...]:
    return tuple(
        Mistake(str(typed.fields[name].label), tuple(map(str, errors)))
        for name, errors in typed.errors.items()
    )


class PolicyPreview(Page):
    """Asked while somebody types, by those who may save it."""

    route = "preview/"
    name = "doc_priority_policy_preview"

    def is_permitted(self, request: HttpRequest) -> bool:
        admin = self.model_admin
        return admin.has_add_permission(request) or admin.has_change_permission(request)

    def respond(self, request: HttpRequest) -> HttpResponse:
        preview = typed_preview(self._policy(request), request.GET)
        levels = render_to_string(
            "doc_priority/admin/policy_levels.html", {"preview": preview}, request
        )
        return JsonResponse({"levels": levels, "moves": preview.moves})

    def _policy(self, request: HttpRequest) -> Policy | None:
        key = request.GET.get("policy", "")
        policy = self.model_admin.get_object(request, key) if key else None
        if key and policy is None:
            raise Http404
        return policy
