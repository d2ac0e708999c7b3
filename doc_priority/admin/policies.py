"""Policies in the admin: their list, their page and how they are deleted. Services write."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin import actions as admin_actions
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import unquote
from django.db import router, transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Lower
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from doc_priority import services
from doc_priority.admin import refusals
from doc_priority.admin.base import SOURCE, SavedByServices, address_of, scripts
from doc_priority.admin.formatting import short_text
from doc_priority.admin.policy_form import PolicyForm, PolicyPreview
from doc_priority.admin.signed_out import opened_by, say_nothing_was_done, typed_before
from doc_priority.conf import settings
from doc_priority.exceptions import DocPriorityError
from doc_priority.explanations import numeral
from doc_priority.formats import short_duration
from doc_priority.models import Customer, Policy
from doc_priority.search import contains_folded
from doc_priority.types import THRESHOLD_FIELDS


@admin.register(Policy)
class PolicyAdmin(SavedByServices):
    """A changed policy can change priorities, so the form first shows how many customers change."""

    pages = (PolicyPreview,)
    list_title = _("Policies")
    page_title = _("Policy")
    new_title = _("New policy")
    show_all = _("Show all policies")
    search_fields = ("name",)
    actions = ("delete_selected",)
    form = PolicyForm
    change_list_template = "doc_priority/admin/policy_list.html"
    change_form_template = "doc_priority/admin/policy_form.html"
    delete_confirmation_template = "doc_priority/admin/policy_delete.html"

    class Media:
        css: ClassVar = {"all": ["doc_priority/policy.css"]}
        js: ClassVar = scripts("policy")

    # The list.

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of customers of each policy, in the same query."""
        customers = Customer.objects.filter(policy=OuterRef("pk")).order_by().values("policy")
        counted = Subquery(customers.annotate(number=Count("pk")).values("number"))
        policies: QuerySet[Any] = super().get_queryset(request)
        annotated: QuerySet[Any] = policies.annotate(
            holders=Coalesce(counted, 0, output_field=IntegerField())
        )
        return annotated

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """The list has no filters."""
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Policies with this text in their name, in any case, with or without accents."""
        return queryset.filter(contains_folded(Lower("name"), search_term)), False

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        holders = "holders_link" if self.may_view_customers(request) else "holders_count"
        return ("shown_name", "interval", "recovery", "levels", holders)

    @admin.display(description=_("name"), ordering="name")
    def shown_name(self, policy: Policy) -> SafeString:
        return short_text(policy.name)

    @admin.display(description=_("reset interval"), ordering="reset_interval")
    def interval(self, policy: Policy) -> str:
        return short_duration(timedelta(seconds=policy.reset_interval))

    @admin.display(description=_("thresholds"))
    def levels(self, policy: Policy) -> str:
        return ", ".join(map(numeral, policy.thresholds))

    @admin.display(description=_("customers"), ordering="holders")
    def holders_count(self, policy: Any) -> str:
        return numeral(policy.holders)

    @admin.display(description=_("customers"), ordering="holders")
    def holders_link(self, policy: Any) -> SafeString:
        return format_html(
            '<a class="dp-link" href="{}?policy={}">{}</a>',
            address_of(self.admin_site.name, "doc_priority_customer_changelist"),
            policy.pk,
            numeral(policy.holders),
        )

    # The form.

    def get_readonly_fields(self, request: HttpRequest, obj: Policy | None = None) -> Any:
        return () if obj is None else ("name",)

    def get_fieldsets(self, request: HttpRequest, obj: Policy | None = None) -> Any:
        two_a_line = tuple(zip(THRESHOLD_FIELDS[::2], THRESHOLD_FIELDS[1::2], strict=True))
        fieldsets = [
            (None, {"fields": ("name", "reset_interval", "recovery")}),
            (
                _("Thresholds"),
                {
                    "fields": two_a_line,
                    "description": _("Each number must be less than the one before."),
                },
            ),
        ]
        if obj is None:
            may_save = self.has_add_permission(request)
        else:
            may_save = self.has_change_permission(request, obj)
        if may_save:
            fieldsets.append((_("Reason"), {"fields": ("reason",)}))
        return fieldsets

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A new policy starts with the terms of the default policy."""
        terms = settings.default_policy.terms
        return {
            "reset_interval": terms.reset_interval,
            "recovery": terms.recovery.value,
            **dict(zip(THRESHOLD_FIELDS, terms.thresholds, strict=True)),
            **super().get_changeform_initial_data(request),
        }

    def save_model(self, request: HttpRequest, obj: Policy, form: Any, change: bool) -> None:
        reason = form.cleaned_data["reason"]
        if change and not form.changed_data:
            not_saved = _("Nothing was changed, so the reason was not saved.")
            message = not_saved if reason else _("Nothing was changed.")
            self.message_user(request, message, messages.WARNING)
            request._doc_priority_unchanged = True  # type: ignore[attr-defined]
            return
        terms = asdict(form.terms)
        author: dict[str, Any] = {"actor": request.user, "reason": reason, "source": SOURCE}
        if change:
            changed = {name: terms[name] for name in form.changed_terms}
            services.change_policy(obj.name, **changed, **author)
        else:
            made = services.create_policy(obj.name, **terms, **author)
            obj.pk, obj._state.adding = made.pk, False

    def log_change(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Logs only real changes, so that the log agrees with the events."""
        return None if _is_unchanged(request) else super().log_change(request, *args, **kwargs)

    def response_change(self, request: HttpRequest, obj: Policy) -> HttpResponse:
        """Without a change, Django's message of success is left out, except in a popup."""
        if IS_POPUP_VAR in request.POST or not _is_unchanged(request):
            return super().response_change(request, obj)
        if "_continue" in request.POST:
            return HttpResponseRedirect(request.get_full_path())
        return self.response_post_save_change(request, obj)

    # Deleting. A policy in use is not deleted; Django's page would list all its customers.

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """When a service refuses, nothing is deleted and nothing is logged."""
        policy: Any = self.get_object(request, unquote(object_id))
        if policy is None or not self.has_delete_permission(request, policy):
            return super().delete_view(request, object_id, extra_context)
        if self._are_in_use(request, [policy]):
            return self.response_post_save_change(request, policy)
        typed = typed_before(request)
        if typed is not None:
            say_nothing_was_done(request)
        context = {
            "opened_by": opened_by(request),
            "typed_reason": "" if typed is None else typed.get("reason", ""),
            **(extra_context or {}),
        }
        try:
            return super().delete_view(request, object_id, context)
        except DocPriorityError as error:
            self.message_user(request, refusals.in_words(error), messages.ERROR)
            return self.response_post_save_change(request, policy)

    @admin.action(
        permissions=["delete"],
        description=getattr(admin_actions.delete_selected, "short_description", None),
    )
    def delete_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Deletes all selected policies, or none of them."""
        if self._are_in_use(request, queryset):
            return None
        try:
            with transaction.atomic(using=router.db_for_write(Policy)):
                return admin_actions.delete_selected(self, request, queryset)
        except DocPriorityError as error:
            self.message_user(request, refusals.in_words(error), messages.ERROR)
            return None

    def _are_in_use(self, request: HttpRequest, policies: Iterable[Any]) -> bool:
        """Whether customers have one of these policies; then a message says so."""
        in_use = [policy for policy in policies if policy.holders]
        for policy in in_use:
            message = ngettext(
                "%(count)s customer has the policy “%(policy)s”, so it cannot be deleted. "
                "Assign this customer another policy first.",
                "%(count)s customers have the policy “%(policy)s”, so it cannot be deleted. "
                "Assign these customers another policy first.",
                policy.holders,
            ) % {"count": numeral(policy.holders), "policy": policy.name}
            self.message_user(request, message, messages.ERROR)
        return bool(in_use)

    def delete_model(self, request: HttpRequest, obj: Policy) -> None:
        reason = request.POST.get("reason", "")
        services.delete_policy(obj.name, actor=request.user, reason=reason, source=SOURCE)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Policy]) -> None:
        for policy in queryset:
            self.delete_model(request, policy)


def _is_unchanged(request: HttpRequest) -> bool:
    """Set while saving: Django's later steps get only the request."""
    return getattr(request, "_doc_priority_unchanged", False)
