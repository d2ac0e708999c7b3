"""Values as JSON has them: what the calls take in their bodies, and what they answer.

Each value is described where it is refused and shown. A text is a text, a whole number has no point
and no quotes. The names of the serializers are those of the schemas in the OpenAPI document.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter
from typing import Any

from drf_spectacular.drainage import set_override
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import (
    BooleanField,
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
from doc_priority.types import DECISION_FIELDS, Decision, Recovery, utc_text

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
PRIORITIES = [str(number) for number in range(types.BEST_PRIORITY, types.WORST_PRIORITY + 1)]

TEXT: Schema = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
KEY = text(1, types.KEY_LENGTH, "[A-Za-z0-9._~:@-]{1,64}", **{"not": NO_SEGMENT})
DOCUMENT = text(1, types.DOCUMENT_LENGTH, f"[^{CONTROLS}]+")
NAME = text(0, types.NAME_LENGTH, f"{SHOWN}*")
POLICY = text(1, types.POLICY_NAME_LENGTH, f"{SHOWN}+", **{"not": NO_SEGMENT})
POLICY_OR_DEFAULT = text(
    0,
    types.POLICY_NAME_LENGTH,
    f"{SHOWN}*",
    description="A policy's name; null or empty is the default policy.",
)
REASON = text(0, types.REASON_LENGTH, f"{SHOWN}*")
REQUIRED_REASON = text(
    1,
    types.REASON_LENGTH,
    f"{SHOWN}*{SEEN}{SHOWN}*",
    description="Why; it is kept with the event.",
)
PENDING = whole(types.FLOOR, 0)
PRIORITY = whole(types.BEST_PRIORITY, types.WORST_PRIORITY)
INTERVAL = whole(types.MIN_RESET_INTERVAL, types.MAX_RESET_INTERVAL, description="In seconds.")
RECOVERY = {"type": "string", "enum": [str(recovery) for recovery in Recovery]}
THRESHOLDS = {
    "type": "array",
    "items": PENDING,
    "minItems": types.THRESHOLD_COUNT,
    "maxItems": types.THRESHOLD_COUNT,
    "description": "Eight whole numbers, each below the one before.",
}
ITEMS = {
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
KIND = {"type": "string", "enum": list(Event.Kind.values)}
FIGURES = {"type": "object", "additionalProperties": True}
CUSTOMERS_AT = {
    "type": "object",
    "properties": dict.fromkeys(PRIORITIES, COUNT),
    "required": PRIORITIES,
    "additionalProperties": False,
}

_is_moment = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
).fullmatch


def shown(value: object) -> str:
    """A value in a message: short, in printable ASCII."""
    named = ascii(value)
    return named if len(named) <= 80 else f"{named[:80]}…"


class StrictField(Field[Any, Any, Any, Any]):
    """A value of this JSON Schema. `read` gives it to services, or raises InvalidInput.

    `StrictSerializer` reads it. A field without `read` is only shown.
    """

    default_error_messages = {  # noqa: RUF012 - as Django REST framework names it
        "required": "This is missing.",
        "null": "This cannot be null.",
    }

    def __init__(
        self, schema: Schema, read: Callable[[Any], Any] | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        set_override(self, "field", schema)
        self.read: Any = read

    def to_internal_value(self, data: Any) -> Any:
        return self.read(data)

    def to_representation(self, value: Any) -> Any:
        return value


def read_key(data: Any) -> str:
    validation.require_key(data)
    return str(data)


def read_document(data: Any) -> str:
    """A document's id, which is not empty: a body without an id leaves the member out."""
    validation.require_document(data)
    if not data:
        raise InvalidText("The document's id is empty; leave it out, or name the document.")
    return str(data)


def read_name(data: Any) -> str:
    return validation.require_text(data, name="name", length=types.NAME_LENGTH)


def read_policy_or_default(data: Any) -> str:
    return validation.require_text(data, name="policy", length=types.POLICY_NAME_LENGTH)


def read_policy(data: Any) -> str:
    name = read_policy_or_default(data)
    if not name:
        raise InvalidText("A policy's name is not empty; give 1 to 64 characters.")
    validation.require_addressable(name)
    return name


def read_recovery(data: Any) -> str:
    if not isinstance(data, str) or data not in tuple(Recovery):
        raise InvalidInput(f"{shown(data)} is no recovery; choose one of {', '.join(Recovery)}.")
    return data


def read_thresholds(data: Any) -> list[int]:
    if not isinstance(data, list):
        raise InvalidInput(f"{shown(data)} is not a list of eight whole numbers.")
    return list(validation.terms_of(types.MAX_RESET_INTERVAL, Recovery.IDLE, data).thresholds)


class PolicyOrDefaultField(StrictField):
    """The name of a policy; null and the empty text, which is read, mean the default one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(POLICY_OR_DEFAULT, read_policy_or_default, allow_null=True, **options)

    def run_validation(self, data: Any = empty) -> Any:
        return super().run_validation("" if data is None else data)


class ReasonField(StrictField):
    """Why; it is kept with the event. Without a default there must be one."""

    default_error_messages = {  # noqa: RUF012 - as Django REST framework names it
        "required": "The reason is missing; say why, it is kept with the event.",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(REASON if "default" in options else REQUIRED_REASON, **options)

    def to_internal_value(self, data: Any) -> str:
        length = types.REASON_LENGTH
        reason = validation.require_text(data, name="reason", length=length).strip()
        if self.required and not reason:
            raise InvalidText("The reason is empty; say why, it is kept with the event.")
        return reason


class WholeField(StrictField):
    """A whole number of this schema."""

    def __init__(self, schema: Schema, **options: Any) -> None:
        super().__init__(schema, **options)
        self.least, self.most = schema["minimum"], schema["maximum"]

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int or not self.least <= data <= self.most:
            raise InvalidInput(
                f"{shown(data)} is not a whole number from {self.least} to {self.most}."
            )
        return data


class MomentField(StrictField):
    """A moment with its offset from UTC, as RFC 3339 writes it."""

    def __init__(self, **options: Any) -> None:
        super().__init__({"type": "string", "format": "date-time"}, **options)

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
        # For clients made of the description, in which a constant cannot begin with a minus.
        constants = [re.sub("^-", "descending_", word).upper() for word in words]
        schema = {"type": "string", "enum": list(words), "x-enum-varnames": constants}
        super().__init__(schema, **options)
        self.words = words

    def to_internal_value(self, data: Any) -> str:
        if data not in self.words:
            raise InvalidInput(
                f"{shown(data)} is not known; choose one of {', '.join(self.words)}."
            )
        return str(data)


class PolicyNameField(StrictField):
    """The name of the policy of a customer."""

    def get_attribute(self, instance: Customer) -> str:
        return instance.policy.name if instance.policy else ""


class ExplanationField(StrictField):
    """Why a customer of the live list stands where it does."""

    def get_attribute(self, instance: Customer) -> str:
        return explain(instance, shown=lambda time: f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC")


class StrictSerializer(Serializer[Any]):
    """A name it does not know is an error, as is anything but an object."""

    thing = "member"

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """The values; an error names all wrong values, up to a limit.

        The declared fields are used as they are: an instance copies them, which takes twenty times
        as long (20 µs a body), and a bulk check has a thousand.
        """
        if not isinstance(data, dict):
            raise ValidationError(f"{shown(data)} is not an object.")
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

    document = StrictField(DOCUMENT, read_document, required=False)


class ItemBody(StrictSerializer):
    """One document of a bulk check."""

    customer = StrictField(KEY, read_key)
    document = StrictField(DOCUMENT, read_document, required=False)


def read_items(data: Any) -> list[tuple[str, str]]:
    """All items are looked at before the first one counts."""
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

    items = StrictField(ITEMS, read_items)


class CustomerBody(StrictSerializer):
    """A new customer."""

    customer = StrictField(KEY, read_key)
    name = StrictField(NAME, read_name, default="")
    policy = PolicyOrDefaultField(default="")


class CustomerChangeBody(StrictSerializer):
    """What changes of a customer; what is left out stays."""

    name = StrictField(NAME, read_name, required=False)
    policy = PolicyOrDefaultField(required=False)
    reason = ReasonField(default="")


class ReasonBody(StrictSerializer):
    """Why; it is kept with the event."""

    reason = ReasonField(default="")


class ResetBody(StrictSerializer):
    """Why the counter is put to 0."""

    reason = ReasonField()


class PinBody(StrictSerializer):
    """A priority, until when it holds, and why."""

    priority = WholeField(PRIORITY)
    until = MomentField(allow_null=True, help_text="Null: the pin has no end.")
    reason = ReasonField()


class PolicyBody(StrictSerializer):
    """A new policy."""

    name = StrictField(POLICY, read_policy)
    reset_interval = WholeField(INTERVAL)
    recovery = StrictField(RECOVERY, read_recovery)
    thresholds = StrictField(THRESHOLDS, read_thresholds)
    reason = ReasonField(default="")


class PolicyChangeBody(StrictSerializer):
    """What changes of a policy; what is left out stays."""

    reset_interval = WholeField(INTERVAL, required=False)
    recovery = StrictField(RECOVERY, read_recovery, required=False)
    thresholds = StrictField(THRESHOLDS, read_thresholds, required=False)
    reason = ReasonField(default="")


class DecisionAnswer(Serializer[Any]):
    """What a customer's next document gets, or got, and why."""

    customer = StrictField(KEY)
    document = StrictField(TEXT, help_text="Empty: the document has no name.")
    pending_documents = StrictField(PENDING)
    priority = StrictField(PRIORITY)
    pinned = BooleanField(help_text="The priority was set by hand.")
    reset = BooleanField(help_text="This check found the interval over.")
    repeated = BooleanField(help_text="It had been decided before; nothing was counted.")
    decided_at = MomentField()
    resets_at = MomentField(
        allow_null=True, help_text="When the counter is back at 0 if nothing more comes."
    )
    policy = StrictField(TEXT, help_text="Empty: the default policy.")


_values_of = attrgetter(*DECISION_FIELDS)


def decision_json(decision: Decision) -> dict[str, Any]:
    """What DecisionAnswer makes of it, in 3 µs, not 110: checks are most of all calls."""
    values = dict(zip(DECISION_FIELDS, _values_of(decision), strict=True))
    values["decided_at"] = utc_text(decision.decided_at)
    if decision.resets_at is not None:
        values["resets_at"] = utc_text(decision.resets_at)
    return values


class CustomerAnswer(Serializer[Any]):
    """A customer and what it stands at now."""

    customer = StrictField(KEY, source="key")
    name = StrictField(TEXT)
    policy = PolicyNameField(TEXT, help_text="Empty: the default policy.")
    pending_documents = StrictField(PENDING)
    priority = StrictField(PRIORITY)
    pinned = BooleanField()
    pinned_until = MomentField(
        allow_null=True, help_text="Null while `pinned`: the pin has no end."
    )
    updated_at = MomentField(allow_null=True)
    resets_at = MomentField(allow_null=True)
    explanation = ExplanationField(TEXT, help_text="In the language of Accept-Language.")


class EventAnswer(Serializer[Any]):
    """Who did what to a customer, when and why."""

    id = IntegerField()
    customer = StrictField(KEY)
    kind = StrictField(KIND)
    actor = StrictField(TEXT)
    reason = StrictField(TEXT)
    source = StrictField(TEXT, help_text="Through what.")  # type: ignore[assignment]
    before = StrictField(FIGURES)
    after = StrictField(FIGURES)
    created_at = MomentField()


class PolicyAnswer(Serializer[Any]):
    """An interval, a recovery and eight thresholds, to be given to customers."""

    name = StrictField(POLICY)
    reset_interval = StrictField(INTERVAL)
    recovery = StrictField(RECOVERY)
    thresholds = StrictField(THRESHOLDS)


class BulkAnswer(Serializer[Any]):
    """The decisions in the order of the items."""

    decisions = DecisionAnswer(many=True)


class StatsAnswer(Serializer[Any]):
    """How many customers stand where now."""

    customers = StrictField(COUNT)
    priorities = StrictField(CUSTOMERS_AT)
    counting = StrictField(COUNT, help_text="Those whose interval runs and who are not pinned.")
    at_7_to_9 = StrictField(COUNT)
    pinned = StrictField(COUNT)


class Page(Serializer[Any]):
    """Links to the pages beside this one, and its rows."""

    next = URLField(allow_null=True)
    previous = URLField(allow_null=True)


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

    pointer = StrictField(
        TEXT, help_text="`#/reason` in the body, `?limit` after the question mark."
    )
    code = StrictField(TEXT)
    detail = StrictField(TEXT)


class ProblemAnswer(Serializer[Any]):
    """What went wrong, as RFC 9457 has it."""

    type = StrictField({"type": "string", "format": "uri-reference"})
    title = StrictField(TEXT)
    status = IntegerField(min_value=400, max_value=599)
    detail = StrictField(TEXT)
    code = StrictField(TEXT, help_text="Stays the same from version to version.")
    errors = ProblemError(many=True)  # type: ignore[assignment]
