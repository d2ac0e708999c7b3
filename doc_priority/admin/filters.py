"""The filters of the live list: priority, status and policy."""

from collections.abc import Callable
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from doc_priority.admin.base import ThemedAdmin, unknown_value
from doc_priority.admin.live import activity_of
from doc_priority.models import Policy
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import LiveList
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, State

GROUPS = ((1, 3), (4, 6), (7, 9))
SINGLE = tuple((level, level) for level in range(BEST_PRIORITY, WORST_PRIORITY + 1))
RANGES = {
    (str(low) if low == high else f"{low}-{high}"): (low, high) for low, high in GROUPS + SINGLE
}

DEFAULT_POLICY = "default"


class LiveFilter(SimpleListFilter):
    """A filter that refuses unknown values instead of showing all customers."""

    narrowed: Callable[[CustomerQuerySet, str], CustomerQuerySet]

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        self.activity = activity_of(request)
        super().__init__(request, *args)
        given = self.value()
        if given is not None and given not in dict(self.lookup_choices):
            raise unknown_value(
                str(self.parameter_name), given, title=self.title, choices=self.lookup_choices
            )

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        value = self.value()
        return queryset if value is None else self.narrowed(queryset, value)


class PriorityFilter(LiveFilter):
    title = gettext_lazy("priority")
    parameter_name = "priority"

    def lookups(self, request: HttpRequest, model_admin: ThemedAdmin) -> list[tuple[Any, str]]:
        return [(value, value.replace("-", "–")) for value in RANGES]

    def narrowed(self, customers: CustomerQuerySet, value: str) -> CustomerQuerySet:
        best, worst = RANGES[value]
        return LiveList(customers, self.activity).narrowed(best=best, worst=worst).queryset


class StateFilter(LiveFilter):
    title = gettext_lazy("status")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: ThemedAdmin) -> list[tuple[Any, str]]:
        return [
            (State.COUNTING.value, _("active")),
            (State.IDLE.value, _("idle")),
            (State.PINNED.value, pgettext("customer", "pinned")),
        ]

    def narrowed(self, customers: CustomerQuerySet, value: str) -> CustomerQuerySet:
        return LiveList(customers, self.activity).narrowed(state=State(value)).queryset


class PolicyFilter(LiveFilter):
    """Hidden while all customers use the default policy."""

    title = gettext_lazy("policy")
    parameter_name = "policy"

    def lookups(self, request: HttpRequest, model_admin: ThemedAdmin) -> list[tuple[Any, str]]:
        policies = Policy.objects.primary().values_list("pk", "name")
        return [
            (DEFAULT_POLICY, _("the default policy")),
            *((str(key), name) for key, name in policies),
        ]

    def has_output(self) -> bool:
        return len(self.lookup_choices) > 1

    def narrowed(self, customers: CustomerQuerySet, value: str) -> CustomerQuerySet:
        return customers.filter(policy=None if value == DEFAULT_POLICY else value)
