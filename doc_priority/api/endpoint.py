"""What all operations of the API have in common."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle, ScopedRateThrottle

from doc_priority.api.json_view import JSONView
from doc_priority.api.lengths import require_length
from doc_priority.api.openapi.schema import OperationSchema
from doc_priority.api.operations import Operation
from doc_priority.api.permissions import HasOperationPermission
from doc_priority.api.queries import read_query
from doc_priority.api.throttles import OperationThrottle

SOURCE = "api"
"""Through what an event came to be."""


class Endpoint(JSONView):
    """An address whose methods are what its operations say."""

    operations: ClassVar[Mapping[str, Operation]]
    schema = OperationSchema()

    @property
    def operation(self) -> Operation:
        """The operation asked for."""
        method = str(self.request.method)
        known = self.operations.get("get" if method == "HEAD" else method.lower())
        if known is None:
            raise MethodNotAllowed(method)
        return known

    @property
    def operation_scope(self) -> str:
        return self.operation.scope

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.query = read_query(request, self.operation.query)

    def get_permissions(self) -> list[BasePermission]:
        """What the operation needs, and what the portal asks of everybody everywhere."""
        usual: list[Any] = list(api_settings.DEFAULT_PERMISSION_CLASSES)
        return [HasOperationPermission(), *(one() for one in usual)]

    def get_throttles(self) -> list[BaseThrottle]:
        """The portal's usual ones, but for scopes: those are the operations'."""
        usual: list[Any] = list(api_settings.DEFAULT_THROTTLE_CLASSES)
        others = [one() for one in usual if not issubclass(one, ScopedRateThrottle)]
        return [*others, OperationThrottle()]

    def body(self) -> dict[str, Any]:
        """What came in the body, as the operation wants it."""
        require_length(self.request)
        return self.operation.body.read(self.request.data)

    def answer(self, data: Any, *, headers: dict[str, str] | None = None) -> Response:
        return Response(data, status=self.operation.status, headers=headers)
