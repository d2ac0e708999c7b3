"""What the address of a list asks for and the list does not know: told, with nothing listed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG, IGNORED_PARAMS, PAGE_VAR
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from doc_priority.admin.strictness import StrictAdmin, is_number
from doc_priority.numerals import numeral

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

NO_FILTERS = {*IGNORED_PARAMS, PAGE_VAR, ERROR_FLAG}
MOST_SHOWN = 50
_ATTRIBUTE = "_doc_priority_unknown"


class UnknownInAddress(IncorrectLookupParameters):
    """A parameter, what is said of it, and which values it may have instead."""

    def __init__(self, parameter: str, said: str, choices: Iterable[tuple[Any, Any]] = ()) -> None:
        super().__init__(said)
        self.parameter = parameter
        self.said = said
        self.choices = tuple(choices)


def unknown_value(
    parameter: str, value: str, *, title: Any, choices: Iterable[tuple[Any, Any]]
) -> UnknownInAddress:
    said = _("“%(value)s” is not a choice of the filter “%(filter)s”.") % {
        "value": shown(value),
        "filter": title,
    }
    return UnknownInAddress(parameter, said, choices)


def shown(text: str) -> str:
    """What somebody wrote into an address, without what would disturb the page; it escapes."""
    return "".join(filter(str.isprintable, text))[:MOST_SHOWN]


class ToldAddresses(StrictAdmin):
    """A list that never takes an address for another one.

    Django would list everybody for a value that it does not know, and say nothing for a name.
    """

    list_title: ClassVar["StrPromise"]
    show_all: ClassVar["StrPromise"]
    offered: ClassVar[dict[str, Iterable[tuple[Any, Any]]]] = {}
    """What an address may name beside filters that check it themselves, with the values."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        answer = super().changelist_view(request, extra_context)
        unknown: UnknownInAddress | None = getattr(request, _ATTRIBUTE, None)
        return answer if unknown is None else self._tell(request, unknown)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        try:
            self._require_filters(request)
            return self._on_a_page(request)
        except UnknownInAddress as unknown:
            # Django answers the error with the whole list; the view has this one look here.
            setattr(request, _ATTRIBUTE, unknown)
            raise

    def _require_filters(self, request: HttpRequest) -> None:
        for name, values in request.GET.lists():
            for value in values:
                if name in NO_FILTERS or self.lookup_allowed(name, value, request):
                    continue
                if name in self.offered:
                    choices = self.offered[name]
                    raise unknown_value(name, value, title=name, choices=choices)
                said = _("This list has no filter “%(filter)s”.") % {"filter": shown(name)}
                raise UnknownInAddress(name, said)

    def _on_a_page(self, request: HttpRequest) -> Any:
        asked = request.GET.get(PAGE_VAR, "")
        query = request.GET.copy()
        query.pop(PAGE_VAR, None)
        try:
            listed = super().get_changelist_instance(request)
        except UnknownInAddress:
            raise
        except IncorrectLookupParameters:
            # On the first page it is right, or else the page is not what is wrong.
            request.GET = query  # type: ignore[assignment]  # nobody changes it from here on
            listed = super().get_changelist_instance(request)
        last = listed.paginator.num_pages
        if not asked or (is_number(asked) and 1 <= int(asked) <= last):
            return listed
        said = _("There is no page “%(page)s”; the last one is %(last)s.") % {
            "page": shown(asked),
            "last": numeral(last),
        }
        raise UnknownInAddress(PAGE_VAR, said)

    def _tell(self, request: HttpRequest, unknown: UnknownInAddress) -> HttpResponse:
        query = request.GET.copy()
        for name in (unknown.parameter, PAGE_VAR, ERROR_FLAG):
            query.pop(name, None)
        choices = []
        for value, label in unknown.choices:
            query[unknown.parameter] = str(value)
            choices.append((f"?{query.urlencode()}", label))
        query.pop(unknown.parameter, None)
        request.current_app = self.admin_site.name
        return TemplateResponse(
            request,
            "doc_priority/admin/unknown.html",
            {
                **self.admin_site.each_context(request),
                "title": self.list_title,
                "content_title": self.list_title,
                "said": unknown.said,
                "choices": choices,
                "without": f"?{query.urlencode()}" if query else "",
                "show_all": self.show_all,
            },
            status=400,
        )
