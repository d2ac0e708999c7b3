"""Calls of the API that write, to a customer acme that is there: method, address and body."""

from datetime import UTC, datetime, timedelta
from typing import Any

UNTIL = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
WRITES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "check": ("POST", "customers/acme/check/", {}),
    "check with a document": ("POST", "customers/acme/check/", {"document": "2"}),
    "checks": ("POST", "checks/", {"items": [{"customer": "acme"}, {"customer": "new"}]}),
    "reset": ("POST", "customers/acme/reset/", {"reason": "x"}),
    "pin": ("PUT", "customers/acme/pin/", {"priority": 1, "until": UNTIL, "reason": "x"}),
    "policy": ("PATCH", "customers/acme/", {"policy": None}),
    "name and policy": ("PATCH", "customers/acme/", {"name": "x", "policy": None}),
    "forget": ("DELETE", "customers/acme/", {}),
}
