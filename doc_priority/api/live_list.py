"""Which customers somebody asks for, and in which order they come."""

from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, ExpressionWrapper, F, Value
from django.db.models.functions import Coalesce

from doc_priority.api.pages import LARGEST, Cursor, Order, Page, limit_of, page_of
from doc_priority.api.problems import InvalidCursor
from doc_priority.api.reach import customers_of
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import database_now
from doc_priority.services.deciding import not_found
from doc_priority.types import SECOND, State, from_microseconds
from doc_priority.validation import require_key, to_microseconds

COLUMNS = {
    "customer": "key",
    "name": "name",
    "priority": "priority",
    "pending_documents": "pending_documents",
    "updated_at": "order_updated_at",
    "resets_at": "order_resets_at",
}
TEXTS = ("customer", "name")
LONGEST_LISTING = 3600 * SECOND
"""For so long time may stand still while somebody turns pages."""


def live_customer(user: Any, key: str) -> Any:
    """What the customer stands at, in one query."""
    require_key(key)
    customer = _shown(customers_of(user), None).filter(key=key).first()
    if customer is None:
        raise not_found(key)
    return customer


def live_page(user: Any, query: dict[str, Any]) -> Page:
    """A page of the live list, in two queries.

    Time stands still from page to page, so a customer that recovers meanwhile keeps its place.
    """
    ordering = query["ordering"]
    cursor = _cursor(query.get("cursor"), ordering)
    at = from_microseconds(cursor.begun_at)
    customers = _filtered(_shown(customers_of(user), at), query)
    return page_of(
        _orderable(customers, ordering),
        order=_order(ordering),
        limit=limit_of(query),
        cursor=cursor,
    )


def _shown(customers: CustomerQuerySet, at: datetime | None) -> CustomerQuerySet:
    return customers.live(at).select_related("counter", "policy")


def _cursor(text: str | None, ordering: str) -> Cursor:
    now = to_microseconds(database_now())
    if text is None:
        return Cursor(ordering, begun_at=now)
    kinds = (str,) if ordering.endswith("customer") else (_kind(ordering), str)
    cursor = Cursor.read(text, ordering=ordering, kinds=kinds)
    if not 0 <= now - cursor.begun_at <= LONGEST_LISTING:
        raise InvalidCursor("This listing began more than an hour ago; begin again without it.")
    return cursor


def _kind(ordering: str) -> type:
    return str if ordering.removeprefix("-") in TEXTS else int


def _order(ordering: str) -> list[Order]:
    """The key comes last, so that no two customers are equal."""
    name, descending = ordering.removeprefix("-"), ordering.startswith("-")
    first = Order(COLUMNS[name], descending)
    return [first] if name == "customer" else [first, Order("key")]


def _orderable(customers: CustomerQuerySet, ordering: str) -> CustomerQuerySet:
    """With times that are never null: customers without one come last, either way."""
    name = ordering.removeprefix("-")
    if name not in ("updated_at", "resets_at"):
        return customers
    column = F("counter__updated_at") if name == "updated_at" else F("resets_at")
    last = -1 if ordering.startswith("-") else LARGEST
    whole = ExpressionWrapper(column, output_field=BigIntegerField())
    never_null: CustomerQuerySet = customers.annotate(
        **{COLUMNS[name]: Coalesce(whole, Value(last))}
    )
    return never_null


def _filtered(customers: CustomerQuerySet, query: dict[str, Any]) -> CustomerQuerySet:
    if "search" in query:
        customers = customers.search(query["search"])
    if "state" in query:
        customers = customers.in_state(State(query["state"]))
    lookups = {"priority": "priority", "priority_min": "priority__gte", "policy": "policy__name"}
    wanted = {lookup: query[name] for name, lookup in lookups.items() if name in query}
    return customers.filter(**wanted)
