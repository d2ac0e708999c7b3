"""Model fields that behave the same on every database."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from doc_priority.exceptions import InvalidTime
from doc_priority.types import from_microseconds
from doc_priority.validation import to_microseconds

if TYPE_CHECKING:
    TextColumn = models.CharField[str, str]
    WholeNumberColumn = models.Field[Any, Any]
else:
    TextColumn = models.CharField
    WholeNumberColumn = models.BigIntegerField

BYTEWISE_COLLATIONS = {
    "postgresql": "C",
    "mysql": "utf8mb4_nopad_bin",
    "sqlite": "BINARY",
}


class BytewiseCharField(TextColumn):
    """Text compared byte by byte: `Acme`, `acme` and `acme ` are three values."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        return {
            **super().db_parameters(connection),
            "collation": BYTEWISE_COLLATIONS.get(connection.vendor),
        }

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        if connection.vendor == "postgresql":
            # The long name of varchar, because for a "varchar" Django adds a second index for LIKE.
            # Under collation C the first index serves LIKE, too.
            return f"character varying({self.max_length})"
        return super().db_type(connection)


class MicrosecondField(WholeNumberColumn):
    """A time, stored as whole microseconds since 1970 and read as an aware datetime.

    So USE_TZ, the session's time zone and daylight saving have no influence.
    """

    description = _("Date and time (microseconds since 1970)")

    def from_db_value(self, value: int | None, *args: object) -> datetime | None:
        return None if value is None else from_microseconds(value)

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return to_microseconds(value)
        return super().get_prep_value(value)

    def to_python(self, value: Any) -> datetime | None:
        if value is None or isinstance(value, datetime):
            return value
        if isinstance(value, int):
            return from_microseconds(value)
        parsed = parse_datetime(str(value))
        if parsed is None or parsed.utcoffset() is None:
            raise ValidationError(
                _("“%(value)s” is not a date and time with a time zone."),
                code="invalid",
                params={"value": value},
            )
        return parsed

    def run_validators(self, value: Any) -> None:
        try:
            super().run_validators(self.get_prep_value(value))
        except InvalidTime as error:
            raise ValidationError(str(error), code="invalid") from error
