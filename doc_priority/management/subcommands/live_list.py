"""`list`: the live list, worst priority first."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from doc_priority.management.arguments import add_json, positive, priority
from doc_priority.management.console import Console, shown_text, shown_time
from doc_priority.models import Customer
from doc_priority.selectors import WORST_FIRST, LiveList, activity
from doc_priority.types import BEST_PRIORITY, WORST_PRIORITY, State

HELP = "Show customers and the priorities they stand at now, worst first."

LIVE_COLUMNS = (
    "pending_documents",
    "priority",
    "pinned",
    "pinned_until",
    "updated_at",
    "resets_at",
)
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
    moment = activity()
    asked = Customer.objects.primary().live(moment.now).select_related("policy")
    if policy is not None:
        asked = asked.filter(policy__name=policy)
    if search is not None:
        asked = asked.search(search)
    live = LiveList(asked, moment).narrowed(
        state=None if state is None else State(state),
        best=max(priority or BEST_PRIORITY, priority_min or BEST_PRIORITY),
        worst=priority or WORST_PRIORITY,
    )
    found = live.after((), order=WORST_FIRST, limit=limit + 1)
    customers = [_customer(row) for row in found[:limit]]
    console.answer(customers, _table(customers))
    if len(found) > limit:
        console.say("There are more; a larger --limit shows them.")
    if not found:
        console.say(_what_next())


def _customer(row: Any) -> dict[str, Any]:
    return {
        "customer": row.key,
        "name": row.name,
        "policy": row.policy.name if row.policy else "",
        "state": "pinned" if row.pinned else "counting" if row.counting else "idle",
        **{name: getattr(row, name) for name in LIVE_COLUMNS},
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
    if Customer.objects.primary().exists():
        return "No customer matches; leave out a filter to see more."
    return "No customer yet; `manage.py doc_priority check KEY` counts a document and makes one."
