"""A wait, a share and a kind of customers as people read them."""

from doc_priority.simulation.measures import KindOutcome
from doc_priority.types import SECOND


def in_seconds(microseconds: int) -> str:
    """With the digits that matter, such as `0.189 s`, `2.40 s`, `47.3 s` or `12,356 s`."""
    seconds = microseconds / SECOND
    decimals = 3 if seconds < 1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:,.{decimals}f} s"


def in_percent(share: float | None) -> str:
    """Such as `20 %`, or a dash where there is nothing of which it could be a share."""
    return "–" if share is None else f"{100 * share:.0f} %"


def about_kind(kind: KindOutcome) -> str:
    """Such as `quiet (50 customers, 35,776 documents)`."""
    customers = _counted(kind.customers, "customer")
    return f"{kind.kind} ({customers}, {_counted(kind.documents, 'document')})"


def _counted(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"
