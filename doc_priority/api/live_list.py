"""Which customers somebody asks for, and in which order they come.

Whoever is at rest stands at what `AT_REST` says, so the rule is worked out for the others alone.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, ExpressionWrapper, F, Value
from django.db.models.functions import Coalesce

from doc_priority.api.pages import LARGEST, Cursor, Order, Page, Part, limit_of, page_of
from doc_priority.api.problems import InvalidCursor
from doc_priority.api.reach import customers_of
from doc_priority.querysets import CustomerQuerySet
from doc_priority.selectors import activity, database_now
from doc_priority.services.deciding import not_found
from doc_priority.types import BEST_PRIORITY, SECOND, State, from_microseconds
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
AT_REST = {"priority": BEST_PRIORITY, "pending_documents": 0}
"""Of everybody whose counter is over and who is not pinned; they have no `resets_at` either."""
PASSED_AT_REST = {
    "state": State.IDLE,
    "priority": BEST_PRIORITY,
    "priority_min": BEST_PRIORITY,
}
"""The filters by live values, and what each must ask for to find anybody at rest."""
LIVE_ORDERINGS = ("priority", "pending_documents", "resets_at")
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
    """A page of the live list, in four queries at most, however many customers are at rest.

    Time stands still from page to page, so a customer that recovers meanwhile keeps its place.
    """
    ordering = query["ordering"]
    cursor = _cursor(query.get("cursor"), ordering)
    at = from_microseconds(cursor.begun_at)
    customers = _stored(_orderable(_shown(customers_of(user), at), ordering), query)
    return page_of(
        *_parts(customers, query, at),
        order=_order(ordering),
        limit=limit_of(query),
        cursor=cursor,
    )


def _parts(customers: CustomerQuerySet, query: dict[str, Any], at: datetime) -> Iterator[Part]:
    """Those that may move, and those at rest; all of them where nothing live is asked for."""
    ordering = query["ordering"].removeprefix("-")
    finds_resting = _finds_resting(query)
    is_live = ordering in LIVE_ORDERINGS or any(name in query for name in PASSED_AT_REST)
    # Names come in an order that only the database knows.
    if not is_live or (finds_resting and ordering == "name"):
        yield Part(_live(customers, query))
        return
    moment = activity(at=at)
    yield Part(_live(customers.moving(now=at, since=moment.since), query))
    if finds_resting:
        equal = {**AT_REST, "order_resets_at": _last(query["ordering"])}
        yield Part(customers.resting(now=at, since=moment.since), equal)


def _finds_resting(query: dict[str, Any]) -> bool:
    """Whether the filters by live values let everybody at rest pass, or nobody."""
    return all(query.get(name, value) == value for name, value in PASSED_AT_REST.items())


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
    whole = ExpressionWrapper(column, output_field=BigIntegerField())
    never_null: CustomerQuerySet = customers.annotate(
        **{COLUMNS[name]: Coalesce(whole, Value(_last(ordering)))}
    )
    return never_null


def _last(ordering: str) -> int:
    """What stands in for a time that is not there."""
    return -1 if ordering.startswith("-") else LARGEST


def _stored(customers: CustomerQuerySet, query: dict[str, Any]) -> CustomerQuerySet:
    """Narrowed by what is stored."""
    if "search" in query:
        customers = customers.search(query["search"])
    return customers.filter(policy__name=query["policy"]) if "policy" in query else customers


def _live(customers: CustomerQuerySet, query: dict[str, Any]) -> CustomerQuerySet:
    """Narrowed by what the rule says now."""
    if "state" in query:
        customers = customers.in_state(State(query["state"]))
    lookups = {"priority": "priority", "priority_min": "priority__gte"}
    return customers.filter(
        **{lookup: query[name] for name, lookup in lookups.items() if name in query}
    )
