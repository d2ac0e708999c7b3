"""Policies in the admin: their form and their end. Services do all the writing."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin import actions as admin_actions
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import unquote
from django.db import router, transaction
from django.db.models import QuerySet
from django.forms.widgets import Script
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from doc_priority import services
from doc_priority.admin import refusals
from doc_priority.admin.policy_form import PolicyForm
from doc_priority.admin.policy_list import PolicyList
from doc_priority.admin.policy_preview import PolicyPreview, preview_of
from doc_priority.admin.saving import SavedByServices, themed_reason
from doc_priority.admin.signed_out import opened_by, say_nothing_was_done, typed_before
from doc_priority.conf import settings
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Policy
from doc_priority.types import THRESHOLD_FIELDS

SOURCE = "admin"
THRESHOLD_LINES = tuple(zip(THRESHOLD_FIELDS[::2], THRESHOLD_FIELDS[1::2], strict=True))


@admin.register(Policy)
class PolicyAdmin(SavedByServices, PolicyList):
    """Whoever has a policy moves with it, so a change says first who would."""

    form = PolicyForm
    actions = ("delete_selected",)
    change_form_template = "doc_priority/admin/policy_form.html"
    delete_confirmation_template = "doc_priority/admin/policy_delete.html"

    class Media:
        css: ClassVar[dict[str, tuple[str, ...]]] = {
            "all": ("doc_priority/admin.css", "doc_priority/policy.css")
        }
        js = (Script("doc_priority/policy.js", defer=True),)

    def get_urls(self) -> list[URLPattern]:
        return [PolicyPreview(self).url, *super().get_urls()]

    def get_readonly_fields(self, request: HttpRequest, obj: Policy | None = None) -> Any:
        return () if obj is None else ("name",)

    def get_fieldsets(self, request: HttpRequest, obj: Policy | None = None) -> Any:
        fieldsets = [
            (None, {"fields": ("name", "reset_interval", "recovery")}),
            (
                _("Thresholds"),
                {
                    "fields": THRESHOLD_LINES,
                    "description": _(
                        "From 0 down, each less than the one before. A count below a threshold "
                        "gets its priority, or a worse one."
                    ),
                },
            ),
        ]
        if self._may_save(request, obj):
            fieldsets.append((_("Reason"), {"fields": ("reason",)}))
        return fieldsets

    def _may_save(self, request: HttpRequest, policy: Policy | None) -> bool:
        if policy is None:
            return self.has_add_permission(request)
        return self.has_change_permission(request, policy)

    def get_form(
        self, request: HttpRequest, obj: Policy | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.base_fields["reason"] = themed_reason(self, form, request)
        return form

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A new policy starts from the terms that hold without one."""
        terms = settings.default_policy.terms
        return {
            "reset_interval": terms.reset_interval,
            "recovery": terms.recovery.value,
            **dict(zip(THRESHOLD_FIELDS, terms.thresholds, strict=True)),
            **super().get_changeform_initial_data(request),
        }

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        form: PolicyForm = context["adminform"].form
        context["preview"] = preview_of(form)
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Policy, form: Any, change: bool) -> None:
        reason = form.cleaned_data["reason"]
        if change and not form.changed_data:
            self._say_unchanged(request, reason)
            return
        terms: dict[str, Any] = {
            "reset_interval": obj.reset_interval,
            "recovery": obj.recovery,
            "thresholds": obj.thresholds,
        }
        author: dict[str, Any] = {"actor": request.user, "reason": reason, "source": SOURCE}
        if change:
            changed = {name: terms[name] for name in form.changed_terms}
            services.change_policy(obj.name, **changed, **author)
        else:
            made = services.create_policy(obj.name, **terms, **author)
            obj.pk, obj._state.adding = made.pk, False

    def _say_unchanged(self, request: HttpRequest, reason: str) -> None:
        kept_nothing = _("Nothing was changed, so the reason was not kept.")
        said = kept_nothing if reason else _("Nothing was changed.")
        self.message_user(request, said, messages.WARNING)
        request.doc_priority_unchanged = True  # type: ignore[attr-defined]  # as above

    def log_change(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Only what was changed; otherwise the log would say more than the events."""
        return None if _is_unchanged(request) else super().log_change(request, *args, **kwargs)

    def response_change(self, request: HttpRequest, obj: Policy) -> HttpResponse:
        """Where nothing was changed, Django's would say that it was; a popup's says nothing."""
        if IS_POPUP_VAR in request.POST or not _is_unchanged(request):
            return super().response_change(request, obj)
        if "_continue" in request.POST:
            return HttpResponseRedirect(request.get_full_path())
        return self.response_post_save_change(request, obj)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """When a service refuses, nothing is deleted and the log does not say so."""
        policy: Any = self.get_object(request, unquote(object_id))
        if policy is None or not self.has_delete_permission(request, policy):
            return super().delete_view(request, object_id, extra_context)
        if self._refuse_held(request, [policy]):
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
            self._refuse(request, refusals.in_words(error))
            return self.response_post_save_change(request, policy)

    @admin.action(
        permissions=["delete"],
        description=getattr(admin_actions.delete_selected, "short_description", None),
    )
    def delete_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """All that are ticked, or none of them."""
        if self._refuse_held(request, queryset):
            return None
        try:
            with transaction.atomic(using=router.db_for_write(Policy)):
                return admin_actions.delete_selected(self, request, queryset)
        except DocPriorityError as error:
            self._refuse(request, refusals.in_words(error))
            return None

    def _refuse_held(self, request: HttpRequest, policies: Iterable[Any]) -> bool:
        """Django would list every customer who has one, however many there are."""
        held = [policy for policy in policies if policy.holders]
        for policy in held:
            self._refuse(request, refusals.held(policy.name, customers=policy.holders))
        return bool(held)

    def _refuse(self, request: HttpRequest, why: str) -> None:
        self.message_user(request, why, messages.ERROR)

    def delete_model(self, request: HttpRequest, obj: Policy) -> None:
        reason = request.POST.get("reason", "")
        services.delete_policy(obj.name, actor=request.user, reason=reason, source=SOURCE)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Policy]) -> None:
        for policy in queryset:
            self.delete_model(request, policy)


def _is_unchanged(request: HttpRequest) -> bool:
    return getattr(request, "doc_priority_unchanged", False)
