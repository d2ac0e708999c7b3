"""The live list: its moment, its pages, and the refresh of the rows on the page."""

from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from doc_priority.admin.base import Page, UnknownInAddress
from doc_priority.admin.corrections import Selection
from doc_priority.admin.formatting import CELLS, cells_of, time_of_day
from doc_priority.selectors import Activity, LiveList, activity

PARAMETER = "live"
"""Holds the rows on the page; all other parameters are those of the list."""


def activity_of(request: HttpRequest) -> Activity:
    """The moment of this page, and since when customers may be active.

    Read once for each request, so that list, filters and paginator use the same moment.
    """
    if not hasattr(request, "_doc_priority_activity"):
        request._doc_priority_activity = activity()  # type: ignore[attr-defined]
    found: Activity = request._doc_priority_activity  # type: ignore[attr-defined]
    return found


def live_cell(row: Any, name: str) -> SafeString:
    """A cell of the list with the attributes by which the page's script finds it."""
    return format_html(
        '<span class="dp-live" data-customer="{}" data-cell="{}">{}</span>',
        row.pk,
        name,
        CELLS[name](row),
    )


class LivePaginator(Paginator):  # type: ignore[type-arg]  # no subscript at run time
    """Pages that take the same time however many customers are idle."""

    def __init__(self, object_list: Any, per_page: int, *, activity: Activity) -> None:
        super().__init__(object_list, per_page)
        self.live = LiveList(object_list, activity)

    @cached_property
    def count(self) -> int:
        return self.live.about_count

    def page(self, number: Any) -> Any:
        """Unlike Django's page, not cut off at the count, which may be an estimate."""
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        rows = self.live.slice(start, start + self.per_page)
        return self._get_page(rows, number, self)  # type: ignore[attr-defined]  # a hook of Django


class LiveRows(Page):
    """What the list's script asks for."""

    route = "live/"
    name = "doc_priority_customer_live"

    def respond(self, request: HttpRequest) -> HttpResponse:
        asked_for = Selection.read(request.GET.getlist(PARAMETER))
        try:
            listed = self._listed(request)
        except (IncorrectLookupParameters, UnknownInAddress):
            return HttpResponseBadRequest()
        rows = {row.pk: row for row in listed}
        elsewhere = [pk for pk in asked_for.pks if pk not in rows]
        rows |= self.model_admin.get_queryset(request).in_bulk(elsewhere)
        return JsonResponse(
            {
                "updated": time_of_day(activity_of(request).now),
                "order": [row.pk for row in listed],
                "rows": {pk: cells_of(rows[pk]) for pk in asked_for.pks if pk in rows},
            }
        )

    def _listed(self, request: HttpRequest) -> list[Any]:
        """The rows that a reload would show, or those of page 1 if this page no longer exists."""
        parameters = request.GET.copy()
        parameters.pop(PARAMETER, None)
        if "\0" in parameters.get(SEARCH_VAR, ""):
            # Django would add a message to the session at every refresh.
            raise IncorrectLookupParameters
        request.GET = parameters  # type: ignore[assignment]  # nobody changes it from here on
        try:
            return list(self.model_admin.get_changelist_instance(request).result_list)
        except UnknownInAddress:
            if parameters.pop(PAGE_VAR, None) is None:
                raise
            return list(self.model_admin.get_changelist_instance(request).result_list)
