"""The query parameters of the calls, and the customers that they select."""

import re
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import TooManyFieldsSent
from django.db.models import BigIntegerField, ExpressionWrapper, F, Value
from django.db.models.functions import Coalesce
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from doc_priority.api.exceptions import ENOUGH_ERRORS, InvalidParameters
from doc_priority.api.pagination import Rows
from doc_priority.api.serializers import (
    DOCUMENT,
    POLICY,
    PRIORITY,
    SHOWN,
    OneOfField,
    StrictField,
    StrictSerializer,
    read_document,
    read_policy,
    shown,
    text,
    whole,
)
from doc_priority.conf import DEFAULTS, settings
from doc_priority.exceptions import InvalidInput
from doc_priority.models import Event
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import LiveList, activity
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, State
from doc_priority.validation import require_text, whole_number

SEARCH_LENGTH = 100
LARGEST = 2**63 - 1
ORDERED_BY = ("customer", "name", "priority", "pending_documents", "updated_at", "resets_at")
LIVE_VALUES = {"priority", "priority_min", "pending_documents", "resets_at", "state"}
"""Orders and filters for which the rule must be worked out before a page is cut."""

LIMIT = whole(1, DEFAULTS["API_MAX_PAGE_SIZE"], description="How many a page has at most.")
CURSOR = text(
    1,
    2000,
    "[A-Za-z0-9_-]+",
    description="Taken from `next` or `previous` of a page; there is no other way to get one.",
)
SEARCH = text(1, SEARCH_LENGTH, f"{SHOWN}+")


def read_number(data: str, most: int) -> int:
    """A whole number from 1, written in digits and nothing else."""
    number = whole_number(data)
    if number is None or number > most:
        raise InvalidInput(f"{shown(data)} is not a whole number from 1 to {most}.")
    return number


def read_limit(data: str) -> int:
    return read_number(data, settings.api_max_page_size)


def read_priority(data: str) -> int:
    return read_number(data, WORST_PRIORITY)


def read_cursor(data: str) -> str:
    if len(data) > CURSOR["maxLength"] or not re.fullmatch(CURSOR["pattern"], data):
        raise InvalidInput(
            f"{shown(data)} is not a cursor; take it from next or previous, unchanged."
        )
    return data


def read_search(data: str) -> str:
    return require_text(data, name="search", length=SEARCH_LENGTH)


class Query(StrictSerializer):
    """No parameters at all."""

    thing = "parameter"


class PageQuery(Query):
    """Which page, and how long."""

    limit = StrictField(LIMIT, read_limit, required=False)
    cursor = StrictField(CURSOR, read_cursor, required=False)


class CustomerQuery(PageQuery):
    """Which customers, and in which order."""

    priority = StrictField(
        PRIORITY, read_priority, required=False, help_text="Those at exactly this priority."
    )
    priority_min = StrictField(
        PRIORITY,
        read_priority,
        required=False,
        help_text="Those at this priority and those after it.",
    )
    state = OneOfField(
        *map(str, State),
        required=False,
        help_text="Those whose interval runs, those at 0 again, or those pinned by hand.",
    )
    policy = StrictField(
        POLICY, read_policy, required=False, help_text="Those who were given this policy."
    )
    search = StrictField(
        SEARCH,
        read_search,
        required=False,
        help_text="Text in the key or the name; case and accents do not matter.",
    )
    ordering = OneOfField(
        *(f"{sign}{name}" for name in ORDERED_BY for sign in ("", "-")),
        default="customer",
        help_text=(
            "A minus turns it round. By `customer` everybody comes once, whatever moves meanwhile."
        ),
    )


class EventQuery(PageQuery):
    """Which events."""

    kind = OneOfField(*Event.Kind.values, required=False, help_text="Those of this kind.")


class DocumentQuery(PageQuery):
    """Which documents."""

    document = StrictField(
        DOCUMENT, read_document, required=False, help_text="The one with this id."
    )


def read_query(request: Request, query: type[Query]) -> dict[str, Any]:
    """The parameters, each known, given once, and not empty."""
    try:
        unquote_to_bytes(request.META.get("QUERY_STRING", "")).decode()
        # As they stand in the address, whatever charset the body is said to have.
        request._request.encoding = "utf-8"
        given = request.query_params
    except UnicodeDecodeError as error:
        raise InvalidParameters("The parameters are not UTF-8; encode them as UTF-8.") from error
    except TooManyFieldsSent as error:
        raise InvalidParameters(
            "There are too many parameters; give each one once.", "too_many"
        ) from error
    wrong = ((name, fault) for name in given if (fault := _wrong_with(given.getlist(name))))
    errors = dict(islice(wrong, ENOUGH_ERRORS))
    try:
        found = query.read({name: given[name] for name in given if name not in errors})
    except ValidationError as error:
        raise InvalidParameters({**error.detail, **errors}) from error  # type: ignore[dict-item]
    if errors:
        raise InvalidParameters(errors)
    return found


def _wrong_with(values: list[str]) -> list[ErrorDetail]:
    if len(values) > 1:
        return [ErrorDetail(f"Given {len(values)} times; give it once.", "repeated")]
    if not values[0]:
        return [ErrorDetail("Empty; give a value, or leave it out.", "empty")]
    return []


def live_rows(
    customers: CustomerQuerySet, query: dict[str, Any], *, now: datetime
) -> tuple[Rows, list[str]]:
    """The live list for a CustomerQuery: a function that reads its rows, and their order.

    At most four queries a page, however many customers are idle.
    """
    customers = customers.live(now).select_related("counter", "policy")
    if "search" in query:
        customers = customers.search(query["search"])
    if "policy" in query:
        customers = customers.filter(policy__name=query["policy"])

    name = query["ordering"].removeprefix("-")
    sign = "-" if query["ordering"].startswith("-") else ""
    idle = {}
    if name == "customer":
        order = [f"{sign}key"]
    elif name in ("updated_at", "resets_at"):
        # The columns of an order are never null: who has no such time comes last, either way.
        column, last = f"order_{name}", -1 if sign else LARGEST
        time = F("counter__updated_at") if name == "updated_at" else F("resets_at")
        whole = ExpressionWrapper(time, output_field=BigIntegerField())
        customers = customers.annotate(**{column: Coalesce(whole, Value(last, BigIntegerField()))})
        idle = {column: last} if name == "resets_at" else {}
        order = [f"{sign}{column}", "key"]
    else:
        order = [query["ordering"], "key"]

    if LIVE_VALUES.isdisjoint((name, *query)):
        return customers.after, order
    live = LiveList(customers, activity(at=now)).narrowed(
        state=State(query["state"]) if "state" in query else None,
        best=max(query.get("priority", BEST_PRIORITY), query.get("priority_min", BEST_PRIORITY)),
        worst=query.get("priority", WORST_PRIORITY),
    )
    return partial(live.after, idle=idle), order
