"""Addresses below the API's own that lead nowhere."""

from typing import Any, Never

from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from doc_priority.api.json_view import JSONView


class UnknownEndpoint(JSONView):
    """Everything else answers 404, in the same form as every error."""

    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> Never:
        remedy = "" if request.path.endswith("/") else " Every address ends with a slash."
        raise NotFound(f"There is nothing at this address.{remedy}")
