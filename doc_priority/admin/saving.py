"""Forms that services save: what a service refuses stands in the form that was sent."""

from copy import copy
from typing import Any

from django.http import HttpRequest

from doc_priority.admin import refusals
from doc_priority.admin.themes import ThemedAdmin
from doc_priority.exceptions import DocPriorityError
from doc_priority.models import Event

REFUSAL = "_doc_priority_refusal"
"""There is no other way into a form of the admin than through the request."""


class SavedByServices(ThemedAdmin):
    """Its form has a `refusal`, empty or an error to show."""

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.refusal = getattr(request, REFUSAL, "")
        return form

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """The form once more, when the transaction of what was refused is undone."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except DocPriorityError as error:
            setattr(request, REFUSAL, refusals.in_words(error))
            return super().changeform_view(request, object_id, form_url, extra_context)


def themed_reason(model_admin: ThemedAdmin, form: Any, request: HttpRequest) -> Any:
    """The form's field for a reason in the theme's widget for one line of text."""
    themed: Any = model_admin.formfield_for_dbfield(Event._meta.get_field("reason"), request)
    reason = copy(form.base_fields["reason"])
    reason.widget = themed.widget
    return reason
