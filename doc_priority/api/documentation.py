"""What the API is, for programs and for people; nothing comes from another address."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.template.backends.django import DjangoTemplates
from django.utils.encoding import escape_uri_path
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from doc_priority.api.filters import Query, read_query
from doc_priority.api.schema import served
from doc_priority.api.views import JSONView

OURS = files("doc_priority.api").joinpath("openapi")
SIDECAR = files("drf_spectacular_sidecar").joinpath(
    "static", "drf_spectacular_sidecar", "swagger-ui-dist"
)
ASSETS = {
    "swagger-ui.css": (SIDECAR, "text/css"),
    "swagger-ui-bundle.js": (SIDECAR, "text/javascript"),
    "favicon-32x32.png": (SIDECAR, "image/png"),
    "docs.js": (OURS, "text/javascript"),
    "docs.css": (OURS, "text/css"),
}
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
SWAGGER_UI = {
    "deepLinking": True,
    "validatorUrl": None,
    # The token of a session stays out of commands that people copy.
    "showMutatedRequest": False,
}


class DocumentationView(JSONView):
    """A page about the API, for users who pass the portal's default permissions."""

    authentication_classes = APIView.authentication_classes
    schema = None
    own_query = ""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        usual: Any = api_settings.DEFAULT_PERMISSION_CLASSES
        self.permission_classes = usual
        super().initial(request, *args, **kwargs)
        if request.META.get("QUERY_STRING", "") != self.own_query:
            read_query(request, Query)


class SchemaView(DocumentationView):
    """`schema/`: the copy in the package, as this portal has it."""

    def get(self, request: Request) -> Response:
        prefix = request.path.removesuffix("schema/")
        return Response(served(prefix=prefix, authenticators=self.get_authenticators()))


class PageView(DocumentationView):
    """A page that is not JSON, so the header Accept does not matter."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        return super().perform_content_negotiation(request, force=True)


class DocsView(PageView, SpectacularSwaggerSplitView):  # type: ignore[misc]
    """`docs/`: drf-spectacular's page, and its script at `docs/?script=`."""

    template_name = "docs.html"
    title = "Document priorities: REST"
    own_query = "script="

    @staticmethod
    def _swagger_ui_resource(filename: str) -> str:
        return filename  # beside the page, whether or not the portal serves static files

    @staticmethod
    def _swagger_ui_favicon() -> str:
        return "favicon-32x32.png"

    def get(self, request: Request) -> HttpResponse:
        get_token(request._request)  # so that the page sets the cookie that its script needs
        self.url = f"{escape_uri_path(request.path).removesuffix('docs/')}schema/"
        page: Response = super().get(request)  # type: ignore[no-untyped-call]
        values = {**page.data, "settings": json.dumps(SWAGGER_UI)}
        template = _templates().get_template(str(page.template_name))
        response = HttpResponse(
            template.render(values, request._request), content_type=page.content_type
        )
        response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        # The script holds the session's CSRF token: no page elsewhere may load it.
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        return response


@cache
def _templates() -> DjangoTemplates:
    """An engine of its own: a portal need not install drf-spectacular, nor have any templates."""
    folders = [str(OURS), str(files("drf_spectacular").joinpath("templates"))]
    return DjangoTemplates(
        {"NAME": "doc_priority.api", "DIRS": folders, "APP_DIRS": False, "OPTIONS": {}}
    )


class AssetView(PageView):
    """`docs/…`: the page's own files, the same for everybody."""

    authentication_classes = ()

    def get_permissions(self) -> list[Any]:
        # Also where the portal lets nobody in without signing in.
        return []

    def get(self, request: Request, name: str) -> HttpResponse:
        if name not in ASSETS:
            raise NotFound("There is nothing at this address.")
        folder, content_type = ASSETS[name]
        response = HttpResponse(folder.joinpath(name).read_bytes(), content_type=content_type)
        response["Cache-Control"] = "public, max-age=86400"
        return response
