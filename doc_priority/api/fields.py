"""Values as JSON has them: a text is a text, a whole number has no point and no quotes."""

import re
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.fields import Field, empty

from doc_priority.api import schemas
from doc_priority.exceptions import InvalidInput, InvalidText, InvalidTime
from doc_priority.types import (
    BEST_PRIORITY,
    MAX_RESET_INTERVAL,
    MIN_RESET_INTERVAL,
    NAME_LENGTH,
    POLICY_NAME_LENGTH,
    REASON_LENGTH,
    WORST_PRIORITY,
    Recovery,
)
from doc_priority.validation import (
    require_addressable,
    require_document,
    require_key,
    require_text,
    terms_of,
    to_microseconds,
)

_is_moment = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
).fullmatch
_NO_MOMENT = "{} is not a time with its offset; write it as 2030-01-31T18:00:00Z."


def shown(value: object) -> str:
    """A value as a message names it: short, and readable whatever it holds."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


class StrictField(Field[Any, Any, Any, Any]):
    """A value that the app itself knows how to refuse."""

    default_error_messages = {  # noqa: RUF012 - as Django REST framework names it
        "required": "This is missing.",
        "null": "This cannot be null.",
    }

    def to_internal_value(self, data: Any) -> Any:
        try:
            return self.accepted(data)
        except InvalidInput as error:
            raise ValidationError(str(error), error.code) from error

    def accepted(self, data: Any) -> Any:
        """The value as the app takes it; InvalidInput says why it is none."""


@extend_schema_field(schemas.KEY)
class KeyField(StrictField):
    """A customer's key."""

    def accepted(self, data: Any) -> str:
        require_key(data)
        return str(data)


@extend_schema_field(schemas.DOCUMENT)
class DocumentField(StrictField):
    """A document's id; where there is none, the member is left out."""

    def accepted(self, data: Any) -> str:
        require_document(data)
        if not data:
            raise InvalidText("The document's id is empty; leave it out, or name the document.")
        return str(data)


@extend_schema_field(schemas.NAME)
class NameField(StrictField):
    def accepted(self, data: Any) -> str:
        return require_text(data, name="name", length=NAME_LENGTH)


@extend_schema_field(schemas.POLICY)
class PolicyField(StrictField):
    """The name of a policy."""

    def accepted(self, data: Any) -> str:
        name = require_text(data, name="policy", length=POLICY_NAME_LENGTH)
        if not name:
            raise InvalidText("A policy's name is not empty; give 1 to 64 characters.")
        require_addressable(name)
        return name


@extend_schema_field(schemas.POLICY_OR_DEFAULT)
class PolicyOrDefaultField(StrictField):
    """The name of a policy; null and the empty text, which is read, mean the default one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def run_validation(self, data: Any = empty) -> Any:
        return super().run_validation("" if data is None else data)

    def accepted(self, data: Any) -> str:
        return require_text(data, name="policy", length=POLICY_NAME_LENGTH)


@extend_schema_field(schemas.REASON)
class ReasonField(StrictField):
    def accepted(self, data: Any) -> str:
        return require_text(data, name="reason", length=REASON_LENGTH).strip()


@extend_schema_field(schemas.REQUIRED_REASON)
class RequiredReasonField(ReasonField):
    default_error_messages = {  # noqa: RUF012 - as Django REST framework names it
        "required": "The reason is missing; say why, it is kept with the event.",
    }

    def accepted(self, data: Any) -> str:
        reason = super().accepted(data)
        if not reason:
            raise InvalidText("The reason is empty; say why, it is kept with the event.")
        return reason


class WholeField(StrictField):
    """A whole number within bounds."""

    least: int
    most: int

    def accepted(self, data: Any) -> int:
        if type(data) is not int or not self.least <= data <= self.most:
            raise InvalidInput(
                f"{shown(data)} is not a whole number from {self.least} to {self.most}."
            )
        return data


@extend_schema_field(schemas.PRIORITY)
class PriorityField(WholeField):
    least, most = BEST_PRIORITY, WORST_PRIORITY


@extend_schema_field(schemas.INTERVAL)
class IntervalField(WholeField):
    least, most = MIN_RESET_INTERVAL, MAX_RESET_INTERVAL


@extend_schema_field(schemas.RECOVERY)
class RecoveryField(StrictField):
    def accepted(self, data: Any) -> str:
        if not isinstance(data, str) or data not in tuple(Recovery):
            raise InvalidInput(
                f"{shown(data)} is no recovery; choose one of {', '.join(Recovery)}."
            )
        return data


@extend_schema_field(schemas.THRESHOLDS)
class ThresholdsField(StrictField):
    def accepted(self, data: Any) -> list[int]:
        if not isinstance(data, list):
            raise InvalidInput(f"{shown(data)} is not a list of eight whole numbers.")
        return list(terms_of(MAX_RESET_INTERVAL, Recovery.IDLE, data).thresholds)


@extend_schema_field(schemas.MOMENT)
class MomentField(StrictField):
    """A moment with its offset from UTC, as RFC 3339 writes it."""

    def accepted(self, data: Any) -> datetime:
        if not isinstance(data, str) or not _is_moment(data):
            raise InvalidTime(_NO_MOMENT.format(shown(data)))
        try:
            moment = datetime.fromisoformat(data.upper())
        except ValueError as error:
            raise InvalidTime(_NO_MOMENT.format(shown(data))) from error
        to_microseconds(moment)
        return moment
