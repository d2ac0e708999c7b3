"""What no browser sends to a page of ours: refused, and it forges no line of the log."""

import codecs
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from doc_priority.admin.themes import ThemedAdmin
from doc_priority.services.transactions import alias_for_write

UTF_8 = "utf-8"


def is_number(text: str) -> bool:
    """Whether it can be a primary key, as every database has it."""
    return text.isascii() and text.isdigit() and len(text) < 19


def is_ticked_right(request: HttpRequest) -> bool:
    """Whether each tick is a number, as Django takes it for granted."""
    return all(map(is_number, request.POST.getlist(ACTION_CHECKBOX_NAME)))


def strict(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view for requests in UTF-8; what Django says of a suspicious one is escaped."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        _require_utf_8(request)
        try:
            return view(request, *args, **kwargs)
        except SuspiciousOperation as error:
            # Without its context: the log has that, too, and there the name of a parameter is raw.
            raise type(error)(_escaped(str(error))) from None

    return answer


class StrictAdmin(ThemedAdmin):
    """All its addresses are strict, and what was ticked in its list are numbers."""

    def get_urls(self) -> list[URLPattern]:
        urls: list[URLPattern] = super().get_urls()
        for url in urls:
            url.callback = strict(url.callback)
        return urls

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        """By its id where a request leaves empty by which field; Django looks for one named so."""
        return super().get_object(request, object_id, from_field or None)

    def get_queryset(self, request: HttpRequest) -> Any:
        """From where it is written: what somebody decides by must not lag behind."""
        return super().get_queryset(request).using(alias_for_write())

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        return super().formfield_for_foreignkey(
            db_field, request, **{"using": alias_for_write(), **kwargs}
        )

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not is_ticked_right(request):
            raise BadRequest("What was ticked is not a number.")
        return super().response_action(request, *args, **kwargs)


def _require_utf_8(request: HttpRequest) -> None:
    """Others can write half a surrogate pair, which can be neither stored nor shown."""
    if codecs.lookup(request.encoding or UTF_8).name != UTF_8:
        raise BadRequest("A request is in UTF-8.")


def _escaped(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")
