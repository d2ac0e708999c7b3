"""Values as JSON has them, each described where it is refused and shown.

A text is a text, a whole number has no point and no quotes. Pages of answers and generated clients
take the descriptions from here.
"""

import re
from datetime import UTC, datetime
from typing import Any

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import extend_schema_field
from rest_framework.fields import CharField, Field, URLField, empty

from doc_priority.exceptions import InvalidInput, InvalidText, InvalidTime
from doc_priority.explanations import explain
from doc_priority.models import Customer
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
    utc_text,
)
from doc_priority.validation import (
    require_addressable,
    require_document,
    require_key,
    require_text,
    terms_of,
    to_microseconds,
)

# Lone surrogates are no text in JSON Schema: `validation` alone refuses them.
CONTROLS = r"\u0000-\u001f\u007f-\u009f"
MARKS = r"\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
SHOWN = f"[^{CONTROLS}{MARKS}]"
SEEN = rf"[^{CONTROLS}{MARKS}\s]"

KEY: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": KEY_LENGTH,
    "pattern": "^[A-Za-z0-9._~:@-]{1,64}$",
    "not": {"enum": [*DOT_SEGMENTS]},
}
DOCUMENT: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": DOCUMENT_LENGTH,
    "pattern": f"^[^{CONTROLS}]+$",
}
POLICY: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": POLICY_NAME_LENGTH,
    "pattern": f"^{SHOWN}+$",
    "not": {"enum": [*DOT_SEGMENTS]},
}
PENDING: dict[str, Any] = {"type": "integer", "minimum": FLOOR, "maximum": 0}
PRIORITY: dict[str, Any] = {
    "type": "integer",
    "minimum": BEST_PRIORITY,
    "maximum": WORST_PRIORITY,
}

_is_moment = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
).fullmatch


def shown(value: object) -> str:
    """A value as a message names it: short, and readable whatever it holds."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


class StrictField(Field[Any, Any, Any, Any]):
    """A value that the app itself knows how to refuse: `to_internal_value` raises InvalidInput.

    `StrictSerializer` reads it. What is shown needs no change, if nothing else is said.
    """

    default_error_messages = {  # noqa: RUF012 - as Django REST framework names it
        "required": "This is missing.",
        "null": "This cannot be null.",
    }

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(KEY)
class KeyField(StrictField):
    """A customer's key."""

    def to_internal_value(self, data: Any) -> str:
        require_key(data)
        return str(data)


@extend_schema_field(DOCUMENT)
class DocumentField(StrictField):
    """A document's id; where there is none, the member is left out."""

    def to_internal_value(self, data: Any) -> str:
        require_document(data)
        if not data:
            raise InvalidText("The document's id is empty; leave it out, or name the document.")
        return str(data)


@extend_schema_field({"type": "string", "maxLength": NAME_LENGTH, "pattern": f"^{SHOWN}*$"})
class NameField(StrictField):
    def to_internal_value(self, data: Any) -> str:
        return require_text(data, name="name", length=NAME_LENGTH)


@extend_schema_field(POLICY)
class PolicyField(StrictField):
    """The name of a policy."""

    def to_internal_value(self, data: Any) -> str:
        name = require_text(data, name="policy", length=POLICY_NAME_LENGTH)
        if not name:
            raise InvalidText("A policy's name is not empty; give 1 to 64 characters.")
        require_addressable(name)
        return name


@extend_schema_field(
    {
        "type": "string",
        "maxLength": POLICY_NAME_LENGTH,
        "pattern": f"^{SHOWN}*$",
        "description": "A policy's name; null or empty is the default policy.",
    }
)
class PolicyOrDefaultField(StrictField):
    """The name of a policy; null and the empty text, which is read, mean the default one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def run_validation(self, data: Any = empty) -> Any:
        return super().run_validation("" if data is None else data)

    def to_internal_value(self, data: Any) -> str:
        return require_text(data, name="policy", length=POLICY_NAME_LENGTH)


@extend_schema_field({"type": "string", "maxLength": REASON_LENGTH, "pattern": f"^{SHOWN}*$"})
class ReasonField(StrictField):
    def to_internal_value(self, data: Any) -> str:
        return require_text(data, name="reason", length=REASON_LENGTH).strip()


@extend_schema_field(
    {
        "type": "string",
        "minLength": 1,
        "maxLength": REASON_LENGTH,
        "pattern": f"^{SHOWN}*{SEEN}{SHOWN}*$",
        "description": "Why; it is kept with the event.",
    }
)
class RequiredReasonField(ReasonField):
    default_error_messages = {  # noqa: RUF012 - as Django REST framework names it
        "required": "The reason is missing; say why, it is kept with the event.",
    }

    def to_internal_value(self, data: Any) -> str:
        reason = super().to_internal_value(data)
        if not reason:
            raise InvalidText("The reason is empty; say why, it is kept with the event.")
        return reason


class WholeField(StrictField):
    """A whole number within bounds."""

    least: int
    most: int

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int or not self.least <= data <= self.most:
            raise InvalidInput(
                f"{shown(data)} is not a whole number from {self.least} to {self.most}."
            )
        return data


@extend_schema_field(PRIORITY)
class PriorityField(WholeField):
    least, most = BEST_PRIORITY, WORST_PRIORITY


@extend_schema_field(PENDING)
class PendingField(WholeField):
    """Pending documents; they are only shown."""

    least, most = FLOOR, 0


@extend_schema_field(
    {
        "type": "integer",
        "minimum": MIN_RESET_INTERVAL,
        "maximum": MAX_RESET_INTERVAL,
        "description": "In seconds.",
    }
)
class IntervalField(WholeField):
    least, most = MIN_RESET_INTERVAL, MAX_RESET_INTERVAL


@extend_schema_field({"type": "string", "enum": [str(recovery) for recovery in Recovery]})
class RecoveryField(StrictField):
    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in tuple(Recovery):
            raise InvalidInput(
                f"{shown(data)} is no recovery; choose one of {', '.join(Recovery)}."
            )
        return data

    def to_representation(self, value: Any) -> str:
        return str(value)


@extend_schema_field(
    {
        "type": "array",
        "items": PENDING,
        "minItems": THRESHOLD_COUNT,
        "maxItems": THRESHOLD_COUNT,
        "description": "Eight whole numbers, each below the one before.",
    }
)
class ThresholdsField(StrictField):
    def to_internal_value(self, data: Any) -> list[int]:
        if not isinstance(data, list):
            raise InvalidInput(f"{shown(data)} is not a list of eight whole numbers.")
        return list(terms_of(MAX_RESET_INTERVAL, Recovery.IDLE, data).thresholds)


@extend_schema_field({"type": "string", "format": "date-time"})
class MomentField(StrictField):
    """A moment with its offset from UTC, as RFC 3339 writes it."""

    def to_internal_value(self, data: Any) -> datetime:
        message = f"{shown(data)} is not a time with its offset; write it as 2030-01-31T18:00:00Z."
        if not isinstance(data, str) or not _is_moment(data):
            raise InvalidTime(message)
        try:
            moment = datetime.fromisoformat(data.upper())
        except ValueError as error:
            raise InvalidTime(message) from error
        to_microseconds(moment)
        return moment

    def to_representation(self, value: datetime) -> str:
        return utc_text(value)


class OneOfField(StrictField):
    """One of a few words."""

    def __init__(self, *words: str, **options: Any) -> None:
        super().__init__(**options)
        self.words = words
        # For clients made of the description, in which a constant cannot begin with a minus.
        constants = [re.sub("^-", "descending_", word).upper() for word in words]
        schema = {"type": "string", "enum": list(words), "x-enum-varnames": constants}
        set_override(self, "field", schema)

    def to_internal_value(self, data: Any) -> str:
        if data not in self.words:
            raise InvalidInput(
                f"{shown(data)} is not known; choose one of {', '.join(self.words)}."
            )
        return str(data)


class TextField(CharField):
    """Text that is only shown, and may be empty."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_blank=True, **options)


class LinkField(URLField):
    def __init__(self) -> None:
        super().__init__(allow_null=True)


class PolicyNameField(TextField):
    """The name of the policy of a customer."""

    def get_attribute(self, instance: Customer) -> str:
        return instance.policy.name if instance.policy else ""


class ExplanationField(TextField):
    """Why a customer of the live list stands where it does."""

    def get_attribute(self, instance: Customer) -> str:
        return explain(instance, shown=lambda time: f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC")


@extend_schema_field({"type": "object", "additionalProperties": True})
class FiguresField(StrictField):
    """What an event keeps of a customer."""


_COUNT = {"type": "integer", "minimum": 0}
_PRIORITIES = [str(number) for number in range(BEST_PRIORITY, WORST_PRIORITY + 1)]


@extend_schema_field(
    {
        "type": "object",
        "properties": dict.fromkeys(_PRIORITIES, _COUNT),
        "required": _PRIORITIES,
        "additionalProperties": False,
    }
)
class PrioritiesField(StrictField):
    """How many customers are at each priority."""

    def to_representation(self, value: dict[int, int]) -> dict[str, int]:
        return {str(number): count for number, count in value.items()}
