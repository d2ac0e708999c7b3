"""Forms that services save: what a service refuses stands in the form that was sent."""

from copy import copy
from typing import Any

from django.http import HttpRequest, QueryDict
from django.urls import URLPattern

from doc_priority.admin import refusals
from doc_priority.admin.signed_out import (
    keeps_typed,
    opened_by,
    say_nothing_was_done,
    typed_before,
)
from doc_priority.admin.themes import ThemedAdmin
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Event

REFUSAL = "_doc_priority_refusal"
TYPED = "_doc_priority_typed"
"""There is no other way into a form of the admin than through the request."""


class SavedByServices(ThemedAdmin):
    """Its form has a `refusal`, empty or an error to show."""

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        for url in urls:
            url.callback = keeps_typed(url.callback, self.admin_site)
        return urls

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.refusal = getattr(request, REFUSAL, "")
        typed = getattr(request, TYPED, None)
        return form if typed is None else _filled_in(form, typed)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        context["opened_by"] = opened_by(request)
        return super().render_change_form(request, context, *args, **kwargs)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """The form once more, when the transaction of what was refused is undone."""
        typed = typed_before(request)
        if typed is not None:
            setattr(request, TYPED, typed)
            say_nothing_was_done(request)
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except DocPriorityError as error:
            setattr(request, REFUSAL, refusals.in_words(error))
            return super().changeform_view(request, object_id, form_url, extra_context)


def _filled_in(form: Any, typed: QueryDict) -> Any:
    """The same form as it is after a mistake: Django's pages fill it in from a POST alone."""

    class FilledIn(form):  # type: ignore[misc]
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(typed, **kwargs)

    return FilledIn


def themed_reason(model_admin: ThemedAdmin, form: Any, request: HttpRequest) -> Any:
    """The form's field for a reason in the theme's widget for one line of text."""
    themed: Any = model_admin.formfield_for_dbfield(Event._meta.get_field("reason"), request)
    reason = copy(form.base_fields["reason"])
    reason.widget = themed.widget
    return reason
