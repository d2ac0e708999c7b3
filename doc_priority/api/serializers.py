"""What the calls take in their bodies and what they answer.

The names of the classes are those of the schemas in the OpenAPI document.
"""

from itertools import islice
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import BooleanField, IntegerField, SkipField, empty
from rest_framework.serializers import Serializer

from doc_priority.api.exceptions import ENOUGH_ERRORS
from doc_priority.api.fields import (
    DOCUMENT,
    KEY,
    DocumentField,
    ExplanationField,
    FiguresField,
    IntervalField,
    KeyField,
    LinkField,
    MomentField,
    NameField,
    PendingField,
    PolicyField,
    PolicyNameField,
    PolicyOrDefaultField,
    PrioritiesField,
    PriorityField,
    ReasonField,
    RecoveryField,
    RequiredReasonField,
    StrictField,
    TextField,
    ThresholdsField,
    shown,
)
from doc_priority.conf import DEFAULTS, settings
from doc_priority.exceptions import InvalidInput
from doc_priority.models import Event
from doc_priority.types import Decision, utc_text
from doc_priority.validation import require_document, require_key


class StrictSerializer(Serializer[Any]):
    """A name it does not know is an error, as is anything but an object."""

    thing = "member"

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """The values; an error names everything that is wrong, or enough of it.

        The declared fields are used as they are: to copy them, as an instance does, takes half a
        millisecond, which is as long as counting a document.
        """
        if not isinstance(data, dict):
            raise ValidationError([ErrorDetail(f"{shown(data)} is not an object.", "invalid")])
        fields, found = cls._declared_fields, {}
        errors = cls._unknown(data) if data.keys() - fields.keys() else {}
        for name, field in fields.items():
            try:
                found[name] = field.run_validation(data.get(name, empty))
            except SkipField:
                continue
            except ValidationError as error:
                errors[name] = error.detail
            except InvalidInput as error:
                errors[name] = [ErrorDetail(str(error), error.code)]
        if errors:
            raise ValidationError(errors)
        return found

    @classmethod
    def _unknown(cls, data: dict[str, Any]) -> dict[str, Any]:
        names = ", ".join(cls._declared_fields)
        remedy = f"known are {names}." if names else "there is none."
        errors = {}
        unknown = (name for name in data if name not in cls._declared_fields)
        for name in islice(unknown, ENOUGH_ERRORS):
            message = f"The {cls.thing} {shown(name)} is not known here; {remedy}"
            errors[name] = [ErrorDetail(message, "unknown")]
        return errors


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
            "properties": {"customer": KEY, "document": DOCUMENT},
            "required": ["customer"],
            "additionalProperties": False,
        },
    }
)
class ItemsField(StrictField):
    """The items of a bulk check, all of them looked at before the first one counts."""

    def to_internal_value(self, data: Any) -> list[tuple[str, str]]:
        most = settings.api_max_bulk
        if not isinstance(data, list):
            raise InvalidInput(f"{shown(data)} is not a list; give 1 to {most} items.")
        if not 1 <= len(data) <= most:
            raise InvalidInput(f"{len(data)} items: give 1 to {most} of them.")
        try:
            return [self._item(item) for item in data]
        except (InvalidInput, TypeError, KeyError) as error:
            wrong: dict[int, Any] = {}
            for place, item in enumerate(data):
                try:
                    ItemBody.read(item)
                except ValidationError as of_item:
                    wrong[place] = of_item.detail
                    if len(wrong) == ENOUGH_ERRORS:
                        break
            raise ValidationError(wrong) from error  # type: ignore[arg-type]

    def _item(self, item: Any) -> tuple[str, str]:
        """An item that is right in every way; ItemBody tells the errors of one that is not."""
        key = item["customer"]
        require_key(key)
        if len(item) == 1:
            return key, ""
        document = item["document"]
        require_document(document)
        if len(item) > 2 or not document:
            raise InvalidInput
        return key, document


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


class DecisionAnswer(Serializer[Any]):
    """What a customer's next document gets, or got, and why."""

    customer = KeyField()
    document = TextField(help_text="Empty: the document has no name.")
    pending_documents = PendingField()
    priority = PriorityField()
    pinned = BooleanField(help_text="The priority was set by hand.")
    reset = BooleanField(help_text="This check found the interval over.")
    repeated = BooleanField(help_text="It had been decided before; nothing was counted.")
    decided_at = MomentField()
    resets_at = MomentField(
        allow_null=True, help_text="When the counter is back at 0 if nothing more comes."
    )
    policy = TextField(help_text="Empty: the default policy.")


def decision_json(decision: Decision) -> dict[str, Any]:
    """What DecisionAnswer makes of it, without an instance: checks are most of all calls."""
    resets_at = decision.resets_at
    return {
        "customer": decision.customer,
        "document": decision.document,
        "pending_documents": decision.pending_documents,
        "priority": decision.priority,
        "pinned": decision.pinned,
        "reset": decision.reset,
        "repeated": decision.repeated,
        "decided_at": utc_text(decision.decided_at),
        "resets_at": None if resets_at is None else utc_text(resets_at),
        "policy": decision.policy,
    }


class CustomerAnswer(Serializer[Any]):
    """A customer and what it stands at now."""

    customer = KeyField(source="key")
    name = TextField()
    policy = PolicyNameField(help_text="Empty: the default policy.")
    pending_documents = PendingField()
    priority = PriorityField()
    pinned = BooleanField()
    pinned_until = MomentField(
        allow_null=True, help_text="Null while `pinned`: the pin has no end."
    )
    updated_at = MomentField(allow_null=True)
    resets_at = MomentField(allow_null=True)
    explanation = ExplanationField(help_text="In the language of Accept-Language.")


@extend_schema_field({"type": "string", "enum": list(Event.Kind.values)})
class KindField(StrictField):
    """What was done."""


class EventAnswer(Serializer[Any]):
    """Who did what to a customer, when and why."""

    id = IntegerField()
    customer = KeyField()
    kind = KindField()
    actor = TextField()
    reason = TextField()
    source = TextField(help_text="Through what.")  # type: ignore[assignment]
    before = FiguresField()
    after = FiguresField()
    created_at = MomentField()


class PolicyAnswer(Serializer[Any]):
    """An interval, a recovery and eight thresholds, to be given to customers."""

    name = PolicyField()
    reset_interval = IntervalField()
    recovery = RecoveryField()
    thresholds = ThresholdsField()


class BulkAnswer(Serializer[Any]):
    """The decisions in the order of the items."""

    decisions = DecisionAnswer(many=True)


class StatsAnswer(Serializer[Any]):
    """How many customers stand where now."""

    customers = IntegerField(min_value=0)
    priorities = PrioritiesField()
    counting = IntegerField(
        min_value=0, help_text="Those whose interval runs and who are not pinned."
    )
    at_7_to_9 = IntegerField(min_value=0, source="waiting")
    pinned = IntegerField(min_value=0)


class Page(Serializer[Any]):
    """Links to the pages beside this one, and its rows."""

    next = LinkField()
    previous = LinkField()


class CustomerPage(Page):
    """A page of the live list."""

    results = CustomerAnswer(many=True)


class EventPage(Page):
    """A page of events."""

    results = EventAnswer(many=True)


class DocumentPage(Page):
    """A page of decisions, each as it was when its document was counted."""

    results = DecisionAnswer(many=True)


class PolicyPage(Page):
    """A page of policies."""

    results = PolicyAnswer(many=True)


class ProblemError(Serializer[Any]):
    """One value that was wrong."""

    pointer = TextField(help_text="`#/reason` in the body, `?limit` after the question mark.")
    code = TextField()
    detail = TextField()


@extend_schema_field({"type": "string", "format": "uri-reference"})
class ReferenceField(StrictField):
    """An address, which may be relative."""


class ProblemAnswer(Serializer[Any]):
    """What went wrong, as RFC 9457 has it."""

    type = ReferenceField()
    title = TextField()
    status = IntegerField(min_value=400, max_value=599)
    detail = TextField()
    code = TextField(help_text="Stays the same from version to version.")
    errors = ProblemError(many=True)  # type: ignore[assignment]
