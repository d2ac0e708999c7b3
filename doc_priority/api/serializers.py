"""Values as JSON has them: what the calls take in their bodies, and what they answer.

Each value is described where it is refused and shown. A text is a text, a whole number has no point
and no quotes. The names of the serializers are those of the schemas in the OpenAPI document.
"""

import re
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import (
    BooleanField,
    CharField,
    Field,
    IntegerField,
    SkipField,
    URLField,
    empty,
)
from rest_framework.serializers import Serializer

from doc_priority import types, validation
from doc_priority.api.exceptions import ENOUGH_ERRORS
from doc_priority.conf import DEFAULTS, settings
from doc_priority.exceptions import InvalidInput, InvalidText, InvalidTime
from doc_priority.explanations import explain
from doc_priority.models import Customer, Event
from doc_priority.types import Decision, Recovery, utc_text

# Lone surrogates are no text in JSON Schema: `validation` alone refuses them.
CONTROLS = r"\u0000-\u001f\u007f-\u009f"
MARKS = r"\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
SHOWN = f"[^{CONTROLS}{MARKS}]"
SEEN = rf"[^{CONTROLS}{MARKS}\s]"

Schema = dict[str, Any]


def text(least: int, most: int, pattern: str, **more: Any) -> Schema:
    """The schema of a text with this many characters."""
    shortest = {"minLength": least} if least else {}
    return {"type": "string", **shortest, "maxLength": most, "pattern": f"^{pattern}$", **more}


def whole(least: int, most: int, **more: Any) -> Schema:
    """The schema of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most, **more}


NO_SEGMENT = {"enum": [*types.DOT_SEGMENTS]}
KEY = text(1, types.KEY_LENGTH, "[A-Za-z0-9._~:@-]{1,64}", **{"not": NO_SEGMENT})
DOCUMENT = text(1, types.DOCUMENT_LENGTH, f"[^{CONTROLS}]+")
POLICY = text(1, types.POLICY_NAME_LENGTH, f"{SHOWN}+", **{"not": NO_SEGMENT})
PENDING = whole(types.FLOOR, 0)
PRIORITY = whole(types.BEST_PRIORITY, types.WORST_PRIORITY)

_is_moment = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
).fullmatch


def shown(value: object) -> str:
    """A value as a message names it: short, and readable whatever it holds."""
    named = ascii(value)
    return named if len(named) <= 80 else f"{named[:80]}…"


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
        validation.require_key(data)
        return str(data)


@extend_schema_field(DOCUMENT)
class DocumentField(StrictField):
    """A document's id; where there is none, the member is left out."""

    def to_internal_value(self, data: Any) -> str:
        validation.require_document(data)
        if not data:
            raise InvalidText("The document's id is empty; leave it out, or name the document.")
        return str(data)


@extend_schema_field(text(0, types.NAME_LENGTH, f"{SHOWN}*"))
class NameField(StrictField):
    def to_internal_value(self, data: Any) -> str:
        return validation.require_text(data, name="name", length=types.NAME_LENGTH)


@extend_schema_field(POLICY)
class PolicyField(StrictField):
    """The name of a policy."""

    def to_internal_value(self, data: Any) -> str:
        name = validation.require_text(data, name="policy", length=types.POLICY_NAME_LENGTH)
        if not name:
            raise InvalidText("A policy's name is not empty; give 1 to 64 characters.")
        validation.require_addressable(name)
        return name


@extend_schema_field(
    text(
        0,
        types.POLICY_NAME_LENGTH,
        f"{SHOWN}*",
        description="A policy's name; null or empty is the default policy.",
    )
)
class PolicyOrDefaultField(StrictField):
    """The name of a policy; null and the empty text, which is read, mean the default one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def run_validation(self, data: Any = empty) -> Any:
        return super().run_validation("" if data is None else data)

    def to_internal_value(self, data: Any) -> str:
        return validation.require_text(data, name="policy", length=types.POLICY_NAME_LENGTH)


@extend_schema_field(text(0, types.REASON_LENGTH, f"{SHOWN}*"))
class ReasonField(StrictField):
    def to_internal_value(self, data: Any) -> str:
        length = types.REASON_LENGTH
        return validation.require_text(data, name="reason", length=length).strip()


WHY = "Why; it is kept with the event."


@extend_schema_field(text(1, types.REASON_LENGTH, f"{SHOWN}*{SEEN}{SHOWN}*", description=WHY))
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
    """A whole number of this schema."""

    def __init__(self, schema: Schema, **options: Any) -> None:
        super().__init__(**options)
        self.least, self.most = schema["minimum"], schema["maximum"]
        set_override(self, "field", schema)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int or not self.least <= data <= self.most:
            raise InvalidInput(
                f"{shown(data)} is not a whole number from {self.least} to {self.most}."
            )
        return data


INTERVAL = whole(types.MIN_RESET_INTERVAL, types.MAX_RESET_INTERVAL, description="In seconds.")


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
        "minItems": types.THRESHOLD_COUNT,
        "maxItems": types.THRESHOLD_COUNT,
        "description": "Eight whole numbers, each below the one before.",
    }
)
class ThresholdsField(StrictField):
    def to_internal_value(self, data: Any) -> list[int]:
        if not isinstance(data, list):
            raise InvalidInput(f"{shown(data)} is not a list of eight whole numbers.")
        terms = validation.terms_of(types.MAX_RESET_INTERVAL, Recovery.IDLE, data)
        return list(terms.thresholds)


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
        validation.to_microseconds(moment)
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


PRIORITIES = [str(number) for number in range(types.BEST_PRIORITY, types.WORST_PRIORITY + 1)]


@extend_schema_field(
    {
        "type": "object",
        "properties": {number: {"type": "integer", "minimum": 0} for number in PRIORITIES},
        "required": PRIORITIES,
        "additionalProperties": False,
    }
)
class PrioritiesField(StrictField):
    """How many customers are at each priority."""

    def to_representation(self, value: dict[int, int]) -> dict[str, int]:
        return {str(number): count for number, count in value.items()}


class StrictSerializer(Serializer[Any]):
    """A name it does not know is an error, as is anything but an object."""

    thing = "member"

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """The values; an error names everything that is wrong, or enough of it.

        The declared fields are used as they are: an instance copies them, which takes twenty times
        as long (20 µs a body), and a bulk check has a thousand.
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
        found, wrong = [], {}
        for place, item in enumerate(data):
            try:
                body = ItemBody.read(item)
                found.append((body["customer"], body.get("document", "")))
            except ValidationError as error:
                wrong[place] = error.detail
                if len(wrong) == ENOUGH_ERRORS:
                    break
        if wrong:
            raise ValidationError(wrong)  # type: ignore[arg-type]
        return found


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

    priority = WholeField(PRIORITY)
    until = MomentField(allow_null=True, help_text="Null: the pin has no end.")
    reason = RequiredReasonField()


class PolicyBody(StrictSerializer):
    """A new policy."""

    name = PolicyField()
    reset_interval = WholeField(INTERVAL)
    recovery = RecoveryField()
    thresholds = ThresholdsField()
    reason = ReasonField(default="")


class PolicyChangeBody(StrictSerializer):
    """What changes of a policy; what is left out stays."""

    reset_interval = WholeField(INTERVAL, required=False)
    recovery = RecoveryField(required=False)
    thresholds = ThresholdsField(required=False)
    reason = ReasonField(default="")


class DecisionAnswer(Serializer[Any]):
    """What a customer's next document gets, or got, and why."""

    customer = KeyField()
    document = TextField(help_text="Empty: the document has no name.")
    pending_documents = WholeField(PENDING)
    priority = WholeField(PRIORITY)
    pinned = BooleanField(help_text="The priority was set by hand.")
    reset = BooleanField(help_text="This check found the interval over.")
    repeated = BooleanField(help_text="It had been decided before; nothing was counted.")
    decided_at = MomentField()
    resets_at = MomentField(
        allow_null=True, help_text="When the counter is back at 0 if nothing more comes."
    )
    policy = TextField(help_text="Empty: the default policy.")


def decision_json(decision: Decision) -> dict[str, Any]:
    """What DecisionAnswer makes of it, in 3 µs, not 110: checks are most of all calls."""
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
    pending_documents = WholeField(PENDING)
    priority = WholeField(PRIORITY)
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
    reset_interval = WholeField(INTERVAL)
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
    at_7_to_9 = IntegerField(min_value=0)
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
