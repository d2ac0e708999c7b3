"""What the calls take in their bodies."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError

from doc_priority.api import schemas
from doc_priority.api.fields import (
    DocumentField,
    IntervalField,
    KeyField,
    MomentField,
    NameField,
    PolicyField,
    PolicyOrDefaultField,
    PriorityField,
    ReasonField,
    RecoveryField,
    RequiredReasonField,
    StrictField,
    ThresholdsField,
    shown,
)
from doc_priority.api.problems import ENOUGH_ERRORS
from doc_priority.api.strictness import StrictSerializer
from doc_priority.conf import DEFAULTS, settings
from doc_priority.exceptions import InvalidInput
from doc_priority.validation import require_document, require_key


class CheckBody(StrictSerializer):
    """One document; without a name it counts at every call."""

    document = DocumentField(required=False)


class ItemBody(StrictSerializer):
    """One document of a bulk check."""

    customer = KeyField()
    document = DocumentField(required=False)


@extend_schema_field(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": DEFAULTS["API_MAX_BULK"],
        "items": {
            "type": "object",
            "properties": {"customer": schemas.KEY, "document": schemas.DOCUMENT},
            "required": ["customer"],
            "additionalProperties": False,
        },
    }
)
class ItemsField(StrictField):
    """The items of a bulk check, all of them looked at before the first one counts."""

    def accepted(self, data: Any) -> list[tuple[str, str]]:
        most = settings.api_max_bulk
        if not isinstance(data, list):
            raise InvalidInput(f"{shown(data)} is not a list; give 1 to {most} items.")
        if not 1 <= len(data) <= most:
            raise InvalidInput(f"{len(data)} items: give 1 to {most} of them.")
        try:
            return [_item(item) for item in data]
        except (InvalidInput, TypeError, KeyError) as error:
            raise ValidationError(_wrong_items(data)) from error  # type: ignore[arg-type]


def _item(item: Any) -> tuple[str, str]:
    """An item that is right in every way; the errors of one that is not are told elsewhere."""
    key = item["customer"]
    require_key(key)
    if len(item) == 1:
        return key, ""
    document = item["document"]
    require_document(document)
    if len(item) > 2 or not document:
        raise InvalidInput
    return key, document


def _wrong_items(items: list[Any]) -> dict[int, Any]:
    """What is wrong with which items, the first ones if they are many."""
    wrong: dict[int, Any] = {}
    for place, item in enumerate(items):
        try:
            ItemBody.read(item)
        except ValidationError as error:
            wrong[place] = error.detail
            if len(wrong) == ENOUGH_ERRORS:
                break
    return wrong


class BulkBody(StrictSerializer):
    """Documents of any customers; all of them count, or none does."""

    items = ItemsField()


class CustomerBody(StrictSerializer):
    """A new customer."""

    customer = KeyField()
    name = NameField(default="")
    policy = PolicyOrDefaultField(default="")


class CustomerChangeBody(StrictSerializer):
    """What changes of a customer; what is left out stays."""

    name = NameField(required=False)
    policy = PolicyOrDefaultField(required=False)
    reason = ReasonField(default="")


class ReasonBody(StrictSerializer):
    """Why; it is kept with the event."""

    reason = ReasonField(default="")


class ResetBody(StrictSerializer):
    """Why the counter is put to 0."""

    reason = RequiredReasonField()


class PinBody(StrictSerializer):
    """A priority, until when it holds, and why."""

    priority = PriorityField()
    until = MomentField(allow_null=True, help_text="Null: the pin has no end.")
    reason = RequiredReasonField()


class PolicyBody(StrictSerializer):
    """A new policy."""

    name = PolicyField()
    reset_interval = IntervalField()
    recovery = RecoveryField()
    thresholds = ThresholdsField()
    reason = ReasonField(default="")


class PolicyChangeBody(StrictSerializer):
    """What changes of a policy; what is left out stays."""

    reset_interval = IntervalField(required=False)
    recovery = RecoveryField(required=False)
    thresholds = ThresholdsField(required=False)
    reason = ReasonField(default="")
