"""What the calls take after the question mark."""

import re
from itertools import islice
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from doc_priority.api import schemas
from doc_priority.api.fields import DocumentField, PolicyField, StrictField, shown
from doc_priority.api.problems import ENOUGH_ERRORS, InvalidParameters
from doc_priority.api.strictness import StrictSerializer
from doc_priority.conf import DEFAULTS, settings
from doc_priority.exceptions import InvalidInput
from doc_priority.models import Event
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, State
from doc_priority.validation import require_text, whole_number

SEARCH_LENGTH = schemas.SEARCH["maxLength"]

_is_cursor = re.compile(r"[A-Za-z0-9_-]{1,2000}").fullmatch


class NumberField(StrictField):
    """A whole number written in digits and nothing else."""

    least = 1
    most: int

    def accepted(self, data: Any) -> int:
        number, most = whole_number(data), self.largest()
        if number is None or not self.least <= number <= most:
            raise InvalidInput(f"{shown(data)} is not a whole number from {self.least} to {most}.")
        return number

    def largest(self) -> int:
        return self.most


@extend_schema_field(schemas.PRIORITY)
class PriorityNumberField(NumberField):
    least, most = BEST_PRIORITY, WORST_PRIORITY


@extend_schema_field(
    {
        "type": "integer",
        "minimum": 1,
        "maximum": DEFAULTS["API_MAX_PAGE_SIZE"],
        "description": "How many a page has at most.",
    }
)
class LimitField(NumberField):
    """The size of a page."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def largest(self) -> int:
        return settings.api_max_page_size


@extend_schema_field(schemas.CURSOR)
class CursorField(StrictField):
    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def accepted(self, data: Any) -> str:
        if not _is_cursor(data):
            raise InvalidInput(
                f"{shown(data)} is not a cursor; take it from next or previous, unchanged."
            )
        return str(data)


@extend_schema_field(schemas.SEARCH)
class SearchField(StrictField):
    def accepted(self, data: Any) -> str:
        return require_text(data, name="search", length=SEARCH_LENGTH)


class OneOfField(StrictField):
    """One of a few words."""

    words: tuple[str, ...]

    def accepted(self, data: Any) -> str:
        if data not in self.words:
            raise InvalidInput(
                f"{shown(data)} is not known; choose one of {', '.join(self.words)}."
            )
        return str(data)


def one_of(name: str, *words: str) -> type[OneOfField]:
    """A field that takes these words."""
    field = type(name, (OneOfField,), {"words": words})
    # For clients made of the description, in which a constant cannot begin with a minus.
    constants = [re.sub("^-", "descending_", word).upper() for word in words]
    schema = {"type": "string", "enum": list(words), "x-enum-varnames": constants}
    return extend_schema_field(schema)(field)


StateField = one_of("StateField", *map(str, State))
KindField = one_of("KindField", *map(str, Event.Kind.values))
ORDERED_BY = ("customer", "name", "priority", "pending_documents", "updated_at", "resets_at")
OrderingField = one_of(
    "OrderingField", *(f"{sign}{name}" for name in ORDERED_BY for sign in ("", "-"))
)


class Query(StrictSerializer):
    """No parameters at all."""

    thing = "parameter"


class PageQuery(Query):
    """Which page, and how long."""

    limit = LimitField()
    cursor = CursorField()


class CustomerQuery(PageQuery):
    """Which customers, and in which order."""

    priority = PriorityNumberField(required=False, help_text="Those at exactly this priority.")
    priority_min = PriorityNumberField(
        required=False, help_text="Those at this priority and those after it."
    )
    state = StateField(
        required=False,
        help_text="Those whose interval runs, those at 0 again, or those pinned by hand.",
    )
    policy = PolicyField(required=False, help_text="Those who were given this policy.")
    search = SearchField(
        required=False, help_text="Text in the key or the name; case and accents do not matter."
    )
    ordering = OrderingField(
        default="customer",
        help_text=(
            "A minus turns it round. By `customer` everybody comes once, whatever moves meanwhile."
        ),
    )


class EventQuery(PageQuery):
    """Which events."""

    kind = KindField(required=False, help_text="Those of this kind.")


class DocumentQuery(PageQuery):
    """Which documents."""

    document = DocumentField(required=False, help_text="The one with this id.")


def read_query(request: Request, query: type[Query]) -> dict[str, Any]:
    """The parameters, each known, given once, and not empty."""
    text = request.META.get("QUERY_STRING", "")
    if not text and query is Query:
        return {}
    _require_utf8(text)
    given = _parameters(request)
    wrong = ((name, problem) for name in given if (problem := _wrong_with(given.getlist(name))))
    errors = dict(islice(wrong, ENOUGH_ERRORS))
    try:
        found = query.read({name: given[name] for name in given if name not in errors})
    except ValidationError as error:
        raise InvalidParameters({**error.detail, **errors}) from error  # type: ignore[dict-item]
    if errors:
        raise InvalidParameters(errors)
    return found


def _parameters(request: Request) -> QueryDict:
    """As they stand in the address, whatever charset the body is said to have."""
    try:
        request._request.encoding = "utf-8"
        return request.query_params
    except TooManyFieldsSent as error:
        raise InvalidParameters(
            [ErrorDetail("There are too many parameters; give each one once.", "too_many")]
        ) from error


def _require_utf8(text: str) -> None:
    try:
        unquote_to_bytes(text).decode()
    except UnicodeDecodeError as error:
        raise InvalidParameters(
            [ErrorDetail("The parameters are not UTF-8; encode them as UTF-8.", "invalid")]
        ) from error


def _wrong_with(values: list[str]) -> list[ErrorDetail]:
    if len(values) > 1:
        return [ErrorDetail(f"Given {len(values)} times; give it once.", "repeated")]
    if not values[0]:
        return [ErrorDetail("Empty; give a value, or leave it out.", "empty")]
    return []
