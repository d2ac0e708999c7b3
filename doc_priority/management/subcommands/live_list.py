"""`list`: the live list, worst priority first."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from doc_priority.management.arguments import add_json, positive, priority
from doc_priority.management.console import Console, shown_text, shown_time
from doc_priority.models import Customer
from doc_priority.querysets import CustomerQuerySet
from doc_priority.services.transactions import alias_for_write
from doc_priority.types import State

HELP = "Show customers and the priorities they stand at now, worst first."

COLUMNS = (
    "key",
    "name",
    "policy__name",
    "pending_documents",
    "priority",
    "counting",
    "pinned",
    "pinned_until",
    "updated_at",
    "resets_at",
)
WORST_FIRST = ("-priority", "pending_documents", "key")
HEADINGS = ("PRIORITY", "PENDING", "STATE", "RESETS AT", "LAST UPDATE", "POLICY", "CUSTOMER")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--priority", type=priority, help="Only this priority, 1 to 9.")
    parser.add_argument("--priority-min", type=priority, help="Only this priority or worse.")
    parser.add_argument("--state", choices=sorted(State), help="Only customers in this state.")
    parser.add_argument("--policy", help="Only customers with the policy of this name.")
    parser.add_argument(
        "--search",
        help="Only customers with this text in their key or name, whatever its case and accents.",
    )
    parser.add_argument(
        "--limit", type=positive, default=50, help="At most so many; default: %(default)s."
    )
    add_json(parser)


def handle(
    console: Console,
    *,
    priority: int | None,
    priority_min: int | None,
    state: str | None,
    policy: str | None,
    search: str | None,
    limit: int,
    **_: Any,
) -> None:
    customers_now = _customers().live().filter(_conditions(priority, priority_min, policy))
    if state is not None:
        customers_now = customers_now.in_state(State(state))
    if search is not None:
        customers_now = customers_now.search(search)
    found = list(customers_now.order_by(*WORST_FIRST).values(*COLUMNS)[: limit + 1])
    customers = [_customer(row) for row in found[:limit]]
    console.answer(customers, _table(customers))
    if len(found) > limit:
        console.say("There are more; a larger --limit shows them.")
    if not found:
        console.say(_what_next())


def _customers() -> CustomerQuerySet:
    return Customer.objects.using(alias_for_write())


def _conditions(priority: int | None, priority_min: int | None, policy: str | None) -> Q:
    wanted = Q()
    if priority is not None:
        wanted &= Q(priority=priority)
    if priority_min is not None:
        wanted &= Q(priority__gte=priority_min)
    if policy is not None:
        wanted &= Q(policy__name=policy)
    return wanted


def _customer(row: dict[str, Any]) -> dict[str, Any]:
    counting = row.pop("counting")
    state = "pinned" if row["pinned"] else "counting" if counting else "idle"
    return {
        "customer": row.pop("key"),
        "name": row.pop("name"),
        "policy": row.pop("policy__name") or "",
        "state": state,
        **row,
    }


def _table(customers: list[dict[str, Any]]) -> Iterator[str]:
    if not customers:
        return
    rows = [HEADINGS, *map(_cells, customers)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cells(customer: dict[str, Any]) -> tuple[str, ...]:
    name = f" ({shown_text(customer['name'])})" if customer["name"] else ""
    return (
        str(customer["priority"]),
        str(customer["pending_documents"]),
        f"{customer['state']}{_end_of_pin(customer)}",
        shown_time(customer["resets_at"]),
        shown_time(customer["updated_at"]),
        shown_text(customer["policy"] or "default"),
        f"{customer['customer']}{name}",
    )


def _end_of_pin(customer: dict[str, Any]) -> str:
    if not customer["pinned"]:
        return ""
    until = customer["pinned_until"]
    return " without an end" if until is None else f" until {shown_time(until)}"


def _what_next() -> str:
    if _customers().exists():
        return "No customer matches; leave out a filter to see more."
    return "No customer yet; `manage.py doc_priority check KEY` counts a document and makes one."
