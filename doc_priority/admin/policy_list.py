"""The list of policies: what each says, and how many have it."""

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Lower
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from doc_priority.admin.policy_spans import short
from doc_priority.admin.titles import TitledAdmin
from doc_priority.folding import contains_folded
from doc_priority.models import Customer, Policy
from doc_priority.numerals import numeral


class PolicyList(TitledAdmin):
    """One query for the rows, with the number of those who have each."""

    list_title = _("Policies")
    page_title = _("Policy")
    new_title = _("New policy")
    show_all = _("Show all policies")
    search_fields = ("name",)
    change_list_template = "doc_priority/admin/policy_list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        holders = Customer.objects.filter(policy=OuterRef("pk")).order_by().values("policy")
        counted = Subquery(holders.annotate(number=Count("pk")).values("number"))
        policies = super().get_queryset(request)
        annotated: QuerySet[Any] = policies.annotate(
            holders=Coalesce(counted, 0, output_field=IntegerField())
        )
        return annotated

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Nothing but the search narrows the list."""
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Whatever its case and accents."""
        return queryset.filter(contains_folded(Lower("name"), search_term)), False

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        may_look = _may_look_at_customers(self.admin_site, request)
        holders = "holders_link" if may_look else "holders_count"
        return ("shown_name", "interval", "recovery", "levels", holders)

    @admin.display(description=_("name"), ordering="name")
    def shown_name(self, policy: Policy) -> SafeString:
        return format_html("<bdi>{}</bdi>", policy.name)

    @admin.display(description=_("reset interval"), ordering="reset_interval")
    def interval(self, policy: Policy) -> str:
        return short(timedelta(seconds=policy.reset_interval))

    @admin.display(description=_("thresholds"))
    def levels(self, policy: Policy) -> str:
        return ", ".join(map(numeral, policy.thresholds))

    @admin.display(description=_("customers"), ordering="holders")
    def holders_count(self, policy: Any) -> str:
        return numeral(policy.holders)

    @admin.display(description=_("customers"), ordering="holders")
    def holders_link(self, policy: Any) -> SafeString:
        address = reverse(
            "admin:doc_priority_customer_changelist", current_app=self.admin_site.name
        )
        return format_html(
            '<a class="dp-link" href="{}?policy={}">{}</a>',
            address,
            policy.pk,
            numeral(policy.holders),
        )


def _may_look_at_customers(site: admin.AdminSite, request: HttpRequest) -> bool:
    if not site.is_registered(Customer):
        return False
    return site.get_model_admin(Customer).has_view_permission(request)
