"""How often somebody may call: as often as the portal says, for each scope of its own."""

from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import ScopedRateThrottle
from rest_framework.views import APIView

CHECK = "doc_priority_check"
READ = "doc_priority_read"
CHANGE = "doc_priority_change"


class OperationThrottle(ScopedRateThrottle):
    """The rate in DEFAULT_THROTTLE_RATES of the scope an operation has; without one, no limit."""

    scope_attr = "operation_scope"

    def get_rate(self) -> str | None:
        rate: str | None = api_settings.DEFAULT_THROTTLE_RATES.get(self.scope)  # type: ignore[arg-type,assignment]
        return rate

    def allow_request(self, request: Request, view: APIView) -> bool:
        allowed: bool = super().allow_request(request, view)
        return allowed
