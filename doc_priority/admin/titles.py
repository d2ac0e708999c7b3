"""Titles that say what a page shows; Django's would need the model's name inflected."""

from typing import TYPE_CHECKING, Any, ClassVar

from django.http import HttpRequest

from doc_priority.admin.addresses import ToldAddresses

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise


class TitledAdmin(ToldAddresses):
    """Of the list, of one in it, and of the form for a new one."""

    page_title: ClassVar["StrPromise"]
    new_title: ClassVar["StrPromise | str"] = ""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        return super().changelist_view(request, {"title": self.list_title, **(extra_context or {})})

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        context["title"] = self.new_title if kwargs.get("obj") is None else self.page_title
        return super().render_change_form(request, context, *args, **kwargs)
