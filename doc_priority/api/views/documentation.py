"""What the API is, for programs and for people; nothing comes from another address."""

from importlib.resources import files
from typing import Any

from django.conf import settings as django_settings
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.template import Context, Engine
from rest_framework.exceptions import NotFound
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from doc_priority.api.json_view import JSONView
from doc_priority.api.openapi.serving import served
from doc_priority.api.queries import Query, read_query

SWAGGER_UI = files("drf_spectacular_sidecar").joinpath(
    "static", "drf_spectacular_sidecar", "swagger-ui-dist"
)
OURS = files("doc_priority.api").joinpath("openapi")
ASSETS = {
    "swagger-ui.css": (SWAGGER_UI, "text/css"),
    "swagger-ui-bundle.js": (SWAGGER_UI, "text/javascript"),
    "favicon-32x32.png": (SWAGGER_UI, "image/png"),
    "docs.js": (OURS, "text/javascript"),
    "docs.css": (OURS, "text/css"),
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class DocumentationEndpoint(JSONView):
    """Open to whom the portal's own default permissions let in."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        read_query(request, Query)

    def get_permissions(self) -> list[BasePermission]:
        usual: list[Any] = list(api_settings.DEFAULT_PERMISSION_CLASSES)
        return [permission() for permission in usual]


class SchemaEndpoint(DocumentationEndpoint):
    """`schema/`"""

    def get(self, request: Request) -> Response:
        prefix = request.path.removesuffix("schema/")
        return Response(served(prefix=prefix, authenticators=self.get_authenticators()))


class PageEndpoint(DocumentationEndpoint):
    """No JSON, so it comes whether or not somebody accepts JSON."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        return super().perform_content_negotiation(request, force=True)


class DocsEndpoint(PageEndpoint):
    """`docs/`"""

    def get(self, request: Request) -> HttpResponse:
        page = {
            "csrf_token": get_token(request._request),
            "csrf_header": django_settings.CSRF_HEADER_NAME.removeprefix("HTTP_").replace("_", "-"),
        }
        # An engine of its own: a portal that only has an API may have none.
        template = Engine().from_string(OURS.joinpath("docs.html").read_text("utf-8"))
        response = HttpResponse(template.render(Context(page)))
        response["Content-Security-Policy"] = POLICY
        return response


class AssetEndpoint(PageEndpoint):
    """`docs/…`: the page's own files, the same for everybody."""

    authentication_classes = ()

    def get_permissions(self) -> list[BasePermission]:
        return []

    def get(self, request: Request, name: str) -> HttpResponse:
        if name not in ASSETS:
            raise NotFound("There is nothing at this address.")
        folder, content_type = ASSETS[name]
        response = HttpResponse(folder.joinpath(name).read_bytes(), content_type=content_type)
        response["Cache-Control"] = "public, max-age=86400"
        return response
