"""JSON Schemas of single values, for the fields that take them and the answers that show them."""

from typing import Any

from doc_priority.types import (
    BEST_PRIORITY,
    DOCUMENT_LENGTH,
    DOT_SEGMENTS,
    FLOOR,
    KEY_LENGTH,
    MAX_RESET_INTERVAL,
    MIN_RESET_INTERVAL,
    NAME_LENGTH,
    POLICY_NAME_LENGTH,
    REASON_LENGTH,
    THRESHOLD_COUNT,
    WORST_PRIORITY,
    Recovery,
)

Schema = dict[str, Any]

CONTROLS = r"\u0000-\u001f\u007f-\u009f"
MARKS = r"\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
SHOWN = f"[^{CONTROLS}{MARKS}]"
SEEN = rf"[^{CONTROLS}{MARKS}\s]"


NO_ADDRESS: Schema = {"enum": [*DOT_SEGMENTS]}

KEY: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": KEY_LENGTH,
    "pattern": "^[A-Za-z0-9._~:@-]{1,64}$",
    "not": NO_ADDRESS,
}
DOCUMENT: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": DOCUMENT_LENGTH,
    "pattern": f"^[^{CONTROLS}]+$",
}
NAME: Schema = {"type": "string", "maxLength": NAME_LENGTH, "pattern": f"^{SHOWN}*$"}
POLICY: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": POLICY_NAME_LENGTH,
    "pattern": f"^{SHOWN}+$",
    "not": NO_ADDRESS,
}
POLICY_OR_DEFAULT: Schema = {
    "type": "string",
    "maxLength": POLICY_NAME_LENGTH,
    "pattern": f"^{SHOWN}*$",
    "description": "A policy's name; null or empty is the default policy.",
}
REASON: Schema = {"type": "string", "maxLength": REASON_LENGTH, "pattern": f"^{SHOWN}*$"}
REQUIRED_REASON: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": REASON_LENGTH,
    "pattern": f"^{SHOWN}*{SEEN}{SHOWN}*$",
    "description": "Why; it is kept with the event.",
}
SEARCH: Schema = {"type": "string", "minLength": 1, "maxLength": 100, "pattern": f"^{SHOWN}+$"}
CURSOR: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 2000,
    "pattern": "^[A-Za-z0-9_-]+$",
    "description": "Taken from `next` or `previous` of a page; there is no other way to get one.",
}
PRIORITY: Schema = {"type": "integer", "minimum": BEST_PRIORITY, "maximum": WORST_PRIORITY}
PENDING: Schema = {"type": "integer", "minimum": FLOOR, "maximum": 0}
MOMENT: Schema = {"type": "string", "format": "date-time"}
OPTIONAL_MOMENT: Schema = {"type": ["string", "null"], "format": "date-time"}
INTERVAL: Schema = {
    "type": "integer",
    "minimum": MIN_RESET_INTERVAL,
    "maximum": MAX_RESET_INTERVAL,
    "description": "In seconds.",
}
RECOVERY: Schema = {"type": "string", "enum": [str(recovery) for recovery in Recovery]}
THRESHOLDS: Schema = {
    "type": "array",
    "items": PENDING,
    "minItems": THRESHOLD_COUNT,
    "maxItems": THRESHOLD_COUNT,
    "description": "Eight whole numbers, each below the one before.",
}
