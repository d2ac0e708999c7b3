"""Every call of the API, with an address and a body that are right."""

import json
from typing import Any, NamedTuple

CHANGE = {"name": "New", "policy": "gold", "reason": "r"}
PIN = {"priority": 2, "until": "2100-01-01T00:00:00Z", "reason": "r"}
TERMS = {
    "reset_interval": 600,
    "recovery": "halving",
    "thresholds": [-10, -11, -12, -13, -14, -15, -16, -17],
}


class Call(NamedTuple):
    """{key} stands for a customer's key, {name} for a policy's name.

    It needs a permission, or "" to be signed in, or None, which is nothing.
    """

    method: str
    address: str
    needs: str | None
    body: Any = None
    status: int = 200

    def __str__(self) -> str:
        return f"{self.method} {self.address}"

    def to(self, *, key: str = "acme", name: str = "gold") -> tuple[str, str, Any]:
        """Method, address and body of the call for this customer and this policy."""
        text = json.dumps(self.body).replace("{key}", key)
        body = b"" if self.body is None else json.loads(text)
        return self.method, self.address.format(key=key, name=name), body


CALLS = (
    Call("GET", "customers/", "view_customer"),
    Call("POST", "customers/", "add_customer", {"customer": "{key}", "name": "N"}, 201),
    Call("GET", "customers/{key}/", "view_customer"),
    Call("PATCH", "customers/{key}/", "change_customer", CHANGE),
    Call("DELETE", "customers/{key}/", "delete_customer", {"reason": "r"}, 204),
    Call("POST", "customers/{key}/check/", "check_customer", {"document": "new"}),
    Call("POST", "customers/{key}/reset/", "reset_customer", {"reason": "r"}),
    Call("PUT", "customers/{key}/pin/", "pin_customer", PIN),
    Call("DELETE", "customers/{key}/pin/", "pin_customer", {"reason": "r"}),
    Call("GET", "customers/{key}/events/", "view_customer"),
    Call("GET", "customers/{key}/documents/", "view_customer"),
    Call("POST", "checks/", "check_customer", {"items": [{"customer": "{key}", "document": "d"}]}),
    Call("GET", "policies/", "view_policy"),
    Call("POST", "policies/", "add_policy", {"name": "new", "reason": "r", **TERMS}, 201),
    Call("GET", "policies/{name}/", "view_policy"),
    Call("PATCH", "policies/{name}/", "change_policy", {"reason": "r", **TERMS}),
    Call("DELETE", "policies/{name}/", "delete_policy", {"reason": "r"}, 204),
    Call("GET", "stats/", "view_customer"),
    Call("GET", "schema/", ""),
    Call("GET", "docs/", ""),
    Call("GET", "docs/docs.js", None),
)
