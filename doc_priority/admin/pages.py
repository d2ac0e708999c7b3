"""Pages of ours beside those that a ModelAdmin has: each states who may see it."""

from collections.abc import Callable
from http import HTTPMethod
from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.forms import Media
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from doc_priority.admin.signed_out import keeps_typed
from doc_priority.admin.strictness import strict
from doc_priority.admin.themes import ThemedAdmin


class Page:
    """One address under a ModelAdmin's own, for signed-in staff who have its permission."""

    route: ClassVar[str]
    name: ClassVar[str]
    methods: ClassVar[tuple[HTTPMethod, ...]] = (HTTPMethod.GET, HTTPMethod.HEAD)
    respond: Callable[..., HttpResponse]
    """Answers a request that is permitted; called with what the route names."""

    def __init__(self, model_admin: ThemedAdmin) -> None:
        self.model_admin = model_admin

    @property
    def url(self) -> URLPattern:
        site = self.model_admin.admin_site
        view = keeps_typed(site.admin_view(never_cache(self.view)), site)
        return path(self.route, strict(view), name=self.name)

    def view(self, request: HttpRequest, **arguments: Any) -> HttpResponse:
        if not self.is_permitted(request):
            raise PermissionDenied
        if request.method not in self.methods:
            return HttpResponseNotAllowed(self.methods)
        return self.respond(request, **arguments)

    def is_permitted(self, request: HttpRequest) -> bool:
        return self.model_admin.has_view_permission(request)

    def rendered(
        self, request: HttpRequest, template: str, *, title: str, **context: Any
    ) -> TemplateResponse:
        """The page in the admin's frame. Without `opts`: unfold would show it for our title."""
        request.current_app = self.model_admin.admin_site.name
        return TemplateResponse(
            request,
            f"doc_priority/admin/{template}.html",
            {
                **self.model_admin.admin_site.each_context(request),
                "title": title,
                "content_title": title,
                "media": self.media,
                **context,
            },
        )

    @property
    def media(self) -> Media:
        return Media()
