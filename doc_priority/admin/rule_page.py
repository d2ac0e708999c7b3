"""What the company tells its customers about the rule, under the policies in force here."""

from collections.abc import Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.forms import Media
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from doc_priority import rules
from doc_priority.admin.pages import Page
from doc_priority.admin.policy_example import example_of, trickle_of
from doc_priority.admin.policy_levels import levels_of
from doc_priority.admin.policy_spans import in_words
from doc_priority.conf import settings
from doc_priority.models import Policy
from doc_priority.services.transactions import alias_for_write
from doc_priority.types import CounterState, NamedTerms, PolicyTerms

POLICY_PERMISSIONS = ("doc_priority.view_policy", "doc_priority.change_policy")


class Tab(NamedTuple):
    """A policy to choose; the default one has no name."""

    name: str
    address: str
    is_current: bool


class RulePage(Page):
    route = "how-priorities-work/"
    name = "doc_priority_rule"

    def is_permitted(self, request: HttpRequest) -> bool:
        return super().is_permitted(request) or any(
            request.user.has_perm(permission) for permission in POLICY_PERMISSIONS
        )

    def respond(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        asked = request.GET.get("policy", "")
        named = Policy.objects.using(alias_for_write())
        policies = [settings.default_policy, *(one.named_terms for one in named)]
        policy = next((one for one in policies if one.name == asked), None)
        explained = {} if policy is None else _explained(policy.terms)
        response = self.rendered(
            request,
            "rule",
            title=_("How priorities work"),
            tabs=self._tabs(policies, asked),
            asked=asked,
            policy=policy,
            **explained,
        )
        response.status_code = HTTPStatus.NOT_FOUND if policy is None else HTTPStatus.OK
        return response

    def _tabs(self, policies: Sequence[NamedTerms], asked: str) -> list[Tab]:
        here = reverse(f"admin:{self.name}", current_app=self.model_admin.admin_site.name)
        return [
            Tab(
                policy.name,
                f"{here}?{urlencode({'policy': policy.name})}" if policy.name else here,
                policy.name == asked,
            )
            for policy in policies
        ]

    @property
    def media(self) -> Media:
        return Media(css={"all": ["doc_priority/policy.css"]})


def _explained(terms: PolicyTerms) -> dict[str, Any]:
    interval = timedelta(seconds=terms.reset_interval)
    after_reset = rules.check(rules.reset(CounterState(), 0), terms, 0).pending_documents
    return {
        "interval": in_words(interval),
        "tenth": in_words(interval / rules.TENTHS),
        "recovery": terms.recovery.value,
        "levels": levels_of(terms.thresholds),
        "example": example_of(terms),
        "trickle": trickle_of(terms),
        "priority_after_reset": rules.priority_of(after_reset, terms.thresholds),
    }
