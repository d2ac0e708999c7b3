"""A customer in the admin: where it stands, what is known of it, and its form."""

from http import HTTPMethod
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.translation import gettext as _

from doc_priority import services
from doc_priority.admin.changes import change_of
from doc_priority.admin.corrections import (
    SOURCE,
    ForgetPage,
    PinPage,
    ResetPage,
    UnpinPage,
    told_as_gone,
)
from doc_priority.admin.customer_form import CustomerForm
from doc_priority.admin.customer_list import CustomerList
from doc_priority.admin.dashboard import Dashboard, DashboardLive
from doc_priority.admin.live import LiveRows
from doc_priority.admin.pages import Page
from doc_priority.admin.rule_page import RulePage
from doc_priority.admin.saving import TYPED, SavedByServices, themed_reason
from doc_priority.admin.standing import (
    StandingLive,
    buttons_of,
    history_context,
    standing_context,
)
from doc_priority.admin.strictness import is_number
from doc_priority.admin.wording import choosing_a_policy
from doc_priority.conf import settings
from doc_priority.models import Customer, Event
from doc_priority.selectors import last_event, newer_events

POLICY_CHANGED = "_doc_priority_policy_changed"
"""What saving knows and Django asks for later; only the request is there both times."""


@admin.register(Customer)
class CustomerAdmin(SavedByServices, CustomerList):
    pages: ClassVar[tuple[type[Page], ...]] = (
        LiveRows,
        StandingLive,
        ResetPage,
        PinPage,
        UnpinPage,
        ForgetPage,
        Dashboard,
        DashboardLive,
        RulePage,
    )
    change_form_template = "doc_priority/admin/customer.html"
    form = CustomerForm
    fields = ("key", "name", "policy")

    def get_urls(self) -> list[URLPattern]:
        own = [page(self).url for page in self.pages]
        return [*own, *super().get_urls()]

    def formfield_for_dbfield(self, *args: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(*args, **kwargs)
        widget = getattr(field, "widget", None)
        if isinstance(widget, RelatedFieldWidgetWrapper):
            widget.__class__ = choosing_a_policy(type(widget))
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: Customer | None = None) -> Any:
        return () if obj is None else ("key",)

    def get_fields(self, request: HttpRequest, obj: Customer | None = None) -> Any:
        """With a reason for whoever may give the customer another policy."""
        fields = super().get_fields(request, obj)
        is_asked = obj is not None and self.has_change_permission(request, obj)
        return (*fields, "reason") if is_asked else fields

    def get_form(
        self, request: HttpRequest, obj: Customer | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.base_fields["reason"] = themed_reason(self, form, request)
        return form

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        row = kwargs.get("obj")
        if row is not None:
            if request.method == HTTPMethod.POST or hasattr(request, TYPED):
                # A form that comes back has written into its row what is not saved.
                row = self.get_queryset(request).filter(pk=row.pk).first() or row
            context |= standing_context(row) | history_context(row) | buttons_of(self, request)
            context |= {
                "live_url": reverse(
                    f"admin:{StandingLive.name}",
                    args=[row.pk],
                    current_app=self.admin_site.name,
                ),
                "live_refresh_seconds": settings.live_refresh_seconds,
            }
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Among those this user sees, and only what was typed: the rest may have changed since."""
        policy = obj.policy.name if obj.policy else ""
        among = self.get_queryset(request)
        if not change:
            made = services.create_customer(
                obj.key, name=obj.name, policy=policy or None, among=among
            )
            obj.pk, obj._state.adding = made.pk, False
            return
        changed = {"name": obj.name, "policy": policy}
        last = last_event([obj.key])
        services.change_customer(
            obj.key,
            actor=request.user,
            reason=form.cleaned_data["reason"],
            source=SOURCE,
            among=among,
            **{name: value for name, value in changed.items() if name in form.changed_data},
        )
        for event in newer_events(last, [obj.key]).filter(kind=Event.Kind.POLICY)[:1]:
            self.message_user(
                request, _("Policy change: %(change)s") % {"change": change_of(event)}
            )
            setattr(request, POLICY_CHANGED, True)

    def response_post_save_change(
        self, request: HttpRequest, obj: Customer
    ) -> HttpResponseRedirect:
        """Who gave another policy stays and sees what came of it."""
        if getattr(request, POLICY_CHANGED, False):
            return HttpResponseRedirect(request.get_full_path())
        return super().response_post_save_change(request, obj)

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> HttpResponse:
        """Of a page of somebody who is gone; Django has no public hook for it."""
        pk = int(object_id) if is_number(object_id) else 0
        self.message_user(request, told_as_gone(request, pk), messages.WARNING)
        site = self.admin_site.name
        return HttpResponseRedirect(
            reverse("admin:doc_priority_customer_changelist", current_app=site)
        )

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Deleting is forgetting, and asks for a reason."""
        if not self.has_delete_permission(request):
            raise PermissionDenied
        address = reverse(f"admin:{ForgetPage.name}", current_app=self.admin_site.name)
        return HttpResponseRedirect(f"{address}?{urlencode({'customer': object_id})}")
