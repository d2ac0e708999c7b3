"""What is asked and answered in the documentation of each call."""

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
    "priorities": {"1": 271, "2": 9, "3": 5, "4": 4, "5": 3, "6": 2, "7": 2, "8": 1, "9": 3},
    "counting": 57,
    "at_7_to_9": 6,
    "pinned": 2,
}


LINKS = {"next": None, "previous": None}

ASKED: dict[str, dict[str, Any]] = {
    "check_document": {"A document with a name": {"document": "INV-2041"}, "Without one": {}},
    "check_documents": {
        "Two documents": {
            "items": [{"customer": "acme", "document": "INV-2041"}, {"customer": "birch"}]
        }
    },
    "create_customer": {"A customer": {"customer": "acme", "name": "Acme"}},
    "change_customer": {"Another policy": {"policy": "gold", "reason": "New contract"}},
    "forget_customer": {"Why": {"reason": "Contract ended"}},
    "reset_customer": {"Why": {"reason": "Their import ran twice"}},
    "pin_customer": {
        "First in line for a day": {
            "priority": 2,
            "until": "2030-02-01T09:00:00Z",
            "reason": "Audit at the customer's",
        },
        "Last in line until somebody unpins it": {
            "priority": 9,
            "until": None,
            "reason": "Their import runs wild",
        },
    },
    "unpin_customer": {"Why": {"reason": "The audit is over"}},
    "create_policy": {"More room": {**POLICY, "reason": "Gold contracts"}},
    "change_policy": {"A shorter interval": {"reset_interval": 600, "reason": "Gold contracts"}},
    "delete_policy": {"Why": {"reason": "No contract has it any more"}},
}

ANSWERED: dict[str, dict[str, Any]] = {
    "check_document": {"Decided": DECISION},
    "check_documents": {"Decided": {"decisions": [DECISION]}},
    "list_customers": {"A page": {**LINKS, "results": [CUSTOMER]}},
    "create_customer": {"Made": CUSTOMER},
    "peek_customer": {"Now": CUSTOMER},
    "change_customer": {"Changed": {**CUSTOMER, "policy": "gold"}},
    "reset_customer": {"At 0": {**STANDING, "pending_documents": 0, "priority": 1}},
    "pin_customer": {"Pinned": {**STANDING, "priority": 2, "pinned": True}},
    "unpin_customer": {"As the counter says": STANDING},
    "list_events": {"A page": {**LINKS, "results": [EVENT]}},
    "list_documents": {"A page": {**LINKS, "results": [DECISION]}},
    "list_policies": {"A page": {**LINKS, "results": [POLICY]}},
    "create_policy": {"Made": POLICY},
    "read_policy": {"A policy": POLICY},
    "change_policy": {"Changed": POLICY},
    "read_stats": {"Now": STATS},
}
