"""Every call of the API, with an address and a body that are right."""

import json
from dataclasses import dataclass
from typing import Any

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
    needs: str | None = ""
    """The permission; "" is anybody who is signed in, None is everybody."""

    def __str__(self) -> str:
        return f"{self.method} {self.address}"

    def to(self, *, key: str = "acme", name: str = "gold") -> tuple[str, str, Any]:
        """Method, address and body of the call for this customer and this policy."""
        body = b""
        if self.body is not None:
            body = json.loads(json.dumps(self.body).replace("{key}", key))
        return self.method, self.address.format(key=key, name=name), body


CALLS = (
    Call("GET", "customers", "customers/", needs="view_customer"),
    Call(
        "POST",
        "customers",
        "customers/",
        {"customer": "{key}", "name": "N"},
        201,
        needs="add_customer",
    ),
    Call("GET", "customer", "customers/{key}/", needs="view_customer"),
    Call(
        *("PATCH", "customer", "customers/{key}/"),
        {"name": "New", "policy": "gold", "reason": "r"},
        needs="change_customer",
    ),
    Call("DELETE", "customer", "customers/{key}/", {"reason": "r"}, 204, needs="delete_customer"),
    Call("POST", "check", "customers/{key}/check/", {"document": "new"}, needs="check_customer"),
    Call("POST", "reset", "customers/{key}/reset/", {"reason": "r"}, needs="reset_customer"),
    Call(
        *("PUT", "pin", "customers/{key}/pin/"),
        {"priority": 2, "until": UNTIL, "reason": "r"},
        needs="pin_customer",
    ),
    Call("DELETE", "pin", "customers/{key}/pin/", {"reason": "r"}, needs="pin_customer"),
    Call("GET", "events", "customers/{key}/events/", needs="view_customer"),
    Call("GET", "documents", "customers/{key}/documents/", needs="view_customer"),
    Call(
        *("POST", "checks", "checks/"),
        {"items": [{"customer": "{key}", "document": "new"}]},
        needs="check_customer",
    ),
    Call("GET", "policies", "policies/", needs="view_policy"),
    Call(
        *("POST", "policies", "policies/"),
        {"name": "new", "reason": "r", **TERMS},
        201,
        needs="add_policy",
    ),
    Call("GET", "policy", "policies/{name}/", needs="view_policy"),
    Call("PATCH", "policy", "policies/{name}/", {"reason": "r", **TERMS}, needs="change_policy"),
    Call("DELETE", "policy", "policies/{name}/", {"reason": "r"}, 204, needs="delete_policy"),
    Call("GET", "stats", "stats/", needs="view_customer"),
    Call("GET", "schema", "schema/"),
    Call("GET", "docs", "docs/"),
    Call("GET", "asset", "docs/docs.js", needs=None),
)
WITH_BODY = tuple(call for call in CALLS if call.body is not None)
WITH_KEY = tuple(call for call in CALLS if "{key}" in call.address)
OF_ONE_CUSTOMER = (*WITH_KEY, *(call for call in CALLS if call.route == "checks"))
