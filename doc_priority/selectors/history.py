"""What happened to customers: their documents over a day, and the events."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import router
from django.db.models import (
    BigIntegerField,
    Count,
    ExpressionWrapper,
    F,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)

from doc_priority.models import Counter, Customer, DocumentDecision, Event
from doc_priority.querysets import Quotient
from doc_priority.types import SECOND, from_microseconds
from doc_priority.validation import to_microseconds

QUARTER = 15 * 60 * SECOND
QUARTERS = 96
CORRECTIONS = (Event.Kind.RESET, Event.Kind.PIN, Event.Kind.UNPIN)


@dataclass(frozen=True, slots=True)
class Quarter:
    """A quarter of an hour in which documents came, and the worst priority one of them got."""

    begins: datetime
    documents: int
    worst: int


@dataclass(frozen=True, slots=True)
class Day:
    """The 96 quarters of an hour up to the one that runs; those without a document are left out."""

    begins: datetime
    ends: datetime
    quarters: tuple[Quarter, ...]

    @property
    def documents(self) -> int:
        return sum(quarter.documents for quarter in self.quarters)


def day_of(customer: str, *, now: datetime) -> Day:
    """The customer's named documents of the last 24 hours, in one query."""
    ends = (to_microseconds(now) // QUARTER + 1) * QUARTER
    begins = ends - QUARTERS * QUARTER
    counted = (
        DocumentDecision.objects.using(router.db_for_write(Counter))
        .filter(customer_id=customer, decided_at__gte=begins, decided_at__lt=ends)
        .values(quarter=_number_of_quarter(begins))
        .annotate(documents=Count("pk"), worst=Max("priority"))
        .order_by("quarter")
    )
    quarters = tuple(_quarter(row, begins) for row in counted)
    return Day(from_microseconds(begins), from_microseconds(ends), quarters)


def _number_of_quarter(begins: int) -> Any:
    since = ExpressionWrapper(F("decided_at") - Value(begins), output_field=BigIntegerField())
    return Quotient(since, Value(QUARTER))


def _quarter(row: Any, begins: int) -> Quarter:
    moment = from_microseconds(begins + row["quarter"] * QUARTER)
    return Quarter(moment, row["documents"], row["worst"])


def corrections_of(customer: str, *, day: Day, most: int = 100) -> list[Event]:
    """The resets and pins of that day by hand, oldest first; of too many the newest."""
    newest = Event.objects.using(router.db_for_write(Counter)).filter(
        customer=customer, kind__in=CORRECTIONS, created_at__gte=day.begins, created_at__lt=day.ends
    )[:most]
    return list(reversed(newest))


def latest_resets(*, most: int, customers: QuerySet[Customer] | None = None) -> Iterable[Event]:
    """The newest resets, of these customers alone or else of all, each with its customer."""
    every = Event.objects.using(router.db_for_write(Counter)).filter(kind=Event.Kind.RESET)
    resets: QuerySet[Any] = with_customers(every, customers=customers)
    if customers is not None:
        resets = resets.filter(customer_pk__isnull=False)
    return resets[:most]


def with_customers(
    events: QuerySet[Event], *, customers: QuerySet[Customer] | None = None
) -> QuerySet[Event]:
    """Annotate `customer_pk` and `customer_name`, None where these customers have no such key."""
    asked = Customer.objects.all() if customers is None else customers
    found = asked.filter(key=OuterRef("customer")).order_by()
    return events.annotate(
        customer_pk=Subquery(found.values("pk")), customer_name=Subquery(found.values("name"))
    )
