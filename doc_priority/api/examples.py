"""Values as they look in documentation."""

from typing import Any

DECISION: dict[str, Any] = {
    "customer": "acme",
    "document": "INV-2041",
    "pending_documents": -13,
    "priority": 7,
    "pinned": False,
    "reset": False,
    "repeated": False,
    "decided_at": "2030-01-31T09:41:00.123456Z",
    "resets_at": "2030-01-31T10:06:00.123456Z",
    "policy": "",
}
STANDING = {**DECISION, "document": ""}
CUSTOMER: dict[str, Any] = {
    "customer": "acme",
    "name": "Acme",
    "policy": "",
    "pending_documents": -13,
    "priority": 7,
    "pinned": False,
    "pinned_until": None,
    "updated_at": "2030-01-31T09:41:00.123456Z",
    "resets_at": "2030-01-31T10:06:00.123456Z",
    "explanation": (
        "13 documents since 2030-01-31 09:21 UTC moved Acme from priority 1 to 7. "
        "If nothing new arrives, the priority is back at 1 at 2030-01-31 10:06 UTC."
    ),
}
EVENT: dict[str, Any] = {
    "id": 4,
    "customer": "acme",
    "kind": "reset",
    "actor": "support",
    "reason": "Their import ran twice",
    "source": "api",
    "before": {"pending_documents": -13, "priority": 7},
    "after": {"pending_documents": 0, "priority": 1},
    "created_at": "2030-01-31T09:42:00.000000Z",
}
POLICY: dict[str, Any] = {
    "name": "gold",
    "reset_interval": 600,
    "recovery": "halving",
    "thresholds": [-10, -11, -12, -13, -14, -15, -16, -17],
}
STATS: dict[str, Any] = {
    "customers": 300,
    "priorities": {
        "1": 271,
        "2": 9,
        "3": 5,
        "4": 4,
        "5": 3,
        "6": 2,
        "7": 2,
        "8": 1,
        "9": 3,
    },
    "counting": 57,
    "at_7_to_9": 6,
    "pinned": 2,
}


def page_of(row: dict[str, Any]) -> dict[str, Any]:
    return {"next": None, "previous": None, "results": [row]}
