"""Every call of the API, with an address and a body that are right."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from doc_priority.api.endpoint import Endpoint
from doc_priority.api.urls import urlpatterns

UNSAFE = ("post", "put", "patch", "delete")
UNTIL = "2100-01-01T00:00:00Z"
TERMS = {
    "reset_interval": 600,
    "recovery": "halving",
    "thresholds": [-10, -11, -12, -13, -14, -15, -16, -17],
}


@dataclass(frozen=True, slots=True)
class Call:
    """One method of one route; {key} stands for a customer's key, {name} for a policy's name."""

    method: str
    route: str
    address: str
    body: Any = None
    status: int = 200

    def __str__(self) -> str:
        return f"{self.method} {self.address}"

    def to(self, *, key: str = "acme", name: str = "gold") -> tuple[str, str, Any]:
        """Method, address and body of the call for this customer and this policy."""
        return self.method, self.address.format(key=key, name=name), self.body_for(key)

    def body_for(self, key: str) -> Any:
        if self.body is None:
            return b""
        return json.loads(json.dumps(self.body).replace("{key}", key))


CALLS = (
    Call("GET", "customers", "customers/"),
    Call("POST", "customers", "customers/", {"customer": "{key}", "name": "N"}, status=201),
    Call("GET", "customer", "customers/{key}/"),
    Call("PATCH", "customer", "customers/{key}/", {"name": "New", "policy": "gold", "reason": "r"}),
    Call("DELETE", "customer", "customers/{key}/", {"reason": "gone"}, status=204),
    Call("POST", "check", "customers/{key}/check/", {"document": "new"}),
    Call("POST", "reset", "customers/{key}/reset/", {"reason": "ran twice"}),
    Call("PUT", "pin", "customers/{key}/pin/", {"priority": 2, "until": UNTIL, "reason": "audit"}),
    Call("DELETE", "pin", "customers/{key}/pin/", {"reason": "audit is over"}),
    Call("GET", "events", "customers/{key}/events/"),
    Call("GET", "documents", "customers/{key}/documents/"),
    Call("POST", "checks", "checks/", {"items": [{"customer": "{key}", "document": "new"}]}),
    Call("GET", "policies", "policies/"),
    Call("POST", "policies", "policies/", {"name": "new", "reason": "r", **TERMS}, status=201),
    Call("GET", "policy", "policies/{name}/"),
    Call("PATCH", "policy", "policies/{name}/", {"reason": "r", **TERMS}),
    Call("DELETE", "policy", "policies/{name}/", {"reason": "unused"}, status=204),
    Call("GET", "stats", "stats/"),
    Call("GET", "schema", "schema/"),
    Call("GET", "docs", "docs/"),
    Call("GET", "asset", "docs/docs.js"),
)
WITH_BODY = tuple(call for call in CALLS if call.body is not None)
WITH_KEY = tuple(call for call in CALLS if "{key}" in call.address)
WITH_NAME = tuple(call for call in CALLS if "{name}" in call.address)


def methods_of_routes() -> Iterator[tuple[str, str]]:
    """What the URL configuration offers: methods and names of routes, the unknown one left out."""
    for route in urlpatterns:
        name, view = str(route.name), route.callback.view_class
        if issubclass(view, Endpoint):
            yield from ((method.upper(), name) for method in view.operations)
        elif name != "unknown":
            yield from (
                (method.upper(), name) for method in ("get", *UNSAFE) if hasattr(view, method)
            )
