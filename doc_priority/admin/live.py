"""What the list's script asks for: the rows on the page as they stand now, and their order."""

from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse

from doc_priority.admin.activity import activity_of
from doc_priority.admin.columns import live_cells
from doc_priority.admin.corrections import Selection
from doc_priority.admin.moments import time_of
from doc_priority.admin.pages import Page

PARAMETER = "live"
"""Holds the rows on the page; all other parameters are those of the list."""


class LiveRows(Page):
    route = "live/"
    name = "doc_priority_customer_live"

    def respond(self, request: HttpRequest) -> HttpResponse:
        asked_for = Selection.read(request.GET.getlist(PARAMETER))
        try:
            listed = self._listed(request)
        except IncorrectLookupParameters:
            return HttpResponseBadRequest()
        rows = {row.pk: row for row in listed}
        elsewhere = [pk for pk in asked_for.pks if pk not in rows]
        rows |= self.model_admin.get_queryset(request).in_bulk(elsewhere)
        return JsonResponse(
            {
                "updated": time_of(activity_of(request).now),
                "order": [row.pk for row in listed],
                "rows": {pk: live_cells(rows[pk]) for pk in asked_for.pks if pk in rows},
            }
        )

    def _listed(self, request: HttpRequest) -> list[Any]:
        """What a reload of the page would show; of a page that is no more, what the first does."""
        parameters = request.GET.copy()
        parameters.pop(PARAMETER, None)
        if "\0" in parameters.get(SEARCH_VAR, ""):
            # Django would say so in a message, at every refresh one more.
            raise IncorrectLookupParameters
        request.GET = parameters  # type: ignore[assignment]  # nobody changes it from here on
        try:
            return self._page(request)
        except IncorrectLookupParameters:
            if parameters.pop(PAGE_VAR, None) is None:
                raise
            return self._page(request)

    def _page(self, request: HttpRequest) -> list[Any]:
        return list(self.model_admin.get_changelist_instance(request).result_list)
