"""JSON in and out, and errors that say what was wrong."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from rest_framework.views import APIView

from doc_priority.api.negotiation import JSONNegotiation
from doc_priority.api.parsers import MAX_BODY, StrictJSONParser
from doc_priority.api.problems import problem_response
from doc_priority.api.renderers import JSONRenderer


class JSONView(APIView):
    """Of the portal's settings it takes who somebody is, and nothing that would change its form.

    Errors stay in English, the language of the code that reads them, but for their titles.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]  # noqa: RUF012
    renderer_classes = (JSONRenderer,)
    parser_classes = (StrictJSONParser,)
    content_negotiation_class = JSONNegotiation
    versioning_class = None
    # Django REST framework's sign to permissions that ask for a model: here is none.
    _ignore_model_permissions = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with translation.override(None):
            return super().dispatch(request, *args, **kwargs)

    def max_body(self) -> int:
        """Bytes that a body may have."""
        return MAX_BODY

    def get_exception_handler(self) -> Callable[..., Any]:
        return problem_response
