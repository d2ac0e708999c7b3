"""Serializers that take what they name and nothing else."""

from itertools import islice
from typing import Any

from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import SkipField, empty
from rest_framework.serializers import Serializer

from doc_priority.api.fields import shown
from doc_priority.api.problems import ENOUGH_ERRORS


class StrictSerializer(Serializer[Any]):
    """A name it does not know is an error, as is anything but an object."""

    thing = "member"

    @classmethod
    def read(cls, data: Any) -> dict[str, Any]:
        """The values; an error names everything that is wrong, or enough of it.

        The declared fields are used as they are: to copy them, as an instance does, would take
        longer than to count a document.
        """
        if not isinstance(data, dict):
            raise ValidationError([ErrorDetail(f"{shown(data)} is not an object.", "invalid")])
        unknown = (name for name in data if name not in cls._declared_fields)
        errors: dict[str, Any] = {
            name: [ErrorDetail(cls._unknown(name), "unknown")]
            for name in islice(unknown, ENOUGH_ERRORS)
        }
        found = {}
        for name, field in cls._declared_fields.items():
            try:
                found[name] = field.run_validation(data.get(name, empty))
            except SkipField:
                continue
            except ValidationError as error:
                errors[name] = error.detail
        if errors:
            raise ValidationError(errors)
        return found

    @classmethod
    def _unknown(cls, name: str) -> str:
        known = ", ".join(cls._declared_fields)
        remedy = f"known are {known}." if known else "there is none."
        return f"The {cls.thing} {shown(name)} is not known here; {remedy}"
