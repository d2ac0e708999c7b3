"""Which customers somebody asks for, and in which order they come."""

from functools import partial
from typing import Any

from django.db.models import BigIntegerField, ExpressionWrapper, F, Value
from django.db.models.functions import Coalesce

from doc_priority.api.pages import LARGEST, Cursor, Page, limit_of, page_of
from doc_priority.api.problems import InvalidCursor
from doc_priority.api.reach import customers_of
from doc_priority.exceptions import not_found
from doc_priority.selectors import LiveList, activity, database_now
from doc_priority.types import BEST_PRIORITY, SECOND, WORST_PRIORITY, State, from_microseconds
from doc_priority.validation import require_key, to_microseconds

LIVE_VALUES = {"priority", "priority_min", "pending_documents", "resets_at", "state"}
"""Orders and filters for which the rule must be worked out before a page is cut."""
LONGEST_LISTING = 3600 * SECOND
"""For so long time may stand still while somebody turns pages."""


def live_customer(user: Any, key: str) -> Any:
    """What the customer stands at, in one query."""
    require_key(key)
    customers = customers_of(user).live().select_related("counter", "policy")
    customer = customers.filter(key=key).first()
    if customer is None:
        raise not_found(key)
    return customer


def live_page(user: Any, query: dict[str, Any]) -> Page:
    """A page of the live list, in four queries at most, however many customers are idle.

    Time stands still from page to page, so a customer that recovers meanwhile keeps its place.
    """
    ordering = query["ordering"]
    name, sign = ordering.removeprefix("-"), "-" if ordering.startswith("-") else ""
    cursor = _cursor(query.get("cursor"), ordering)
    now = from_microseconds(cursor.begun_at)

    customers = customers_of(user).live(now).select_related("counter", "policy")
    if "search" in query:
        customers = customers.search(query["search"])
    if "policy" in query:
        customers = customers.filter(policy__name=query["policy"])

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
        order = [ordering, "key"]

    limit = limit_of(query)
    if LIVE_VALUES.isdisjoint((name, *query)):
        return page_of(customers.after, order=order, limit=limit, cursor=cursor)
    live = LiveList(customers, activity(at=now)).narrowed(
        state=State(query["state"]) if "state" in query else None,
        best=max(query.get("priority", BEST_PRIORITY), query.get("priority_min", BEST_PRIORITY)),
        worst=query.get("priority", WORST_PRIORITY),
    )
    return page_of(partial(live.after, idle=idle), order=order, limit=limit, cursor=cursor)


def _cursor(text: str | None, ordering: str) -> Cursor:
    now = to_microseconds(database_now())
    if text is None:
        return Cursor(ordering, begun_at=now)
    name = ordering.removeprefix("-")
    kinds: tuple[type, ...] = (str if name in ("customer", "name") else int, str)
    cursor = Cursor.read(text, ordering=ordering, kinds=kinds[:1] if name == "customer" else kinds)
    if not 0 <= now - cursor.begun_at <= LONGEST_LISTING:
        raise InvalidCursor("This listing began more than an hour ago; begin again without it.")
    return cursor
