"""What happened to customers: their documents over a day, and their events."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    Count,
    ExpressionWrapper,
    F,
    Func,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.sql.compiler import SQLCompiler

from doc_priority.models import Customer, DocumentDecision, Event
from doc_priority.types import SECOND, from_microseconds
from doc_priority.validation import to_microseconds

QUARTER = 15 * 60 * SECOND
QUARTERS = 96
CORRECTIONS = (Event.Kind.RESET, Event.Kind.PIN, Event.Kind.UNPIN)


@dataclass(frozen=True, slots=True)
class Quarter:
    """A quarter of an hour with its number of documents and the worst priority among them."""

    begins: datetime
    documents: int
    worst: int


@dataclass(frozen=True, slots=True)
class Day:
    """The last 96 quarters of an hour with the current one; only those with documents are there."""

    begins: datetime
    ends: datetime
    quarters: tuple[Quarter, ...]

    @property
    def documents(self) -> int:
        return sum(quarter.documents for quarter in self.quarters)


class Quotient(Func):
    """The whole part of a division."""

    output_field = BigIntegerField()
    arg_joiner = " / "
    template = "(%(expressions)s)"

    def as_mysql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> Any:
        return self.as_sql(compiler, connection, arg_joiner=" DIV ", **context)


def day_of(customer: str, *, now: datetime) -> Day:
    """The customer's named documents of the last 24 hours, in one query."""
    ends = (to_microseconds(now) // QUARTER + 1) * QUARTER
    begins = ends - QUARTERS * QUARTER
    since = ExpressionWrapper(F("decided_at") - Value(begins, BigIntegerField()), BigIntegerField())
    counted = (
        DocumentDecision.objects.primary()
        .filter(customer_id=customer, decided_at__gte=begins, decided_at__lt=ends)
        .values(quarter=Quotient(since, Value(QUARTER)))
        .annotate(documents=Count("pk"), worst=Max("priority"))
        .order_by("quarter")
    )
    quarters = tuple(
        Quarter(
            from_microseconds(begins + row["quarter"] * QUARTER), row["documents"], row["worst"]
        )
        for row in counted
    )
    return Day(from_microseconds(begins), from_microseconds(ends), quarters)


def corrections_of(customer: str, *, day: Day, most: int = 100) -> list[Event]:
    """The resets, pins and unpins of that day, oldest first; at most `most`, the newest."""
    newest = Event.objects.primary().filter(
        customer=customer, kind__in=CORRECTIONS, created_at__gte=day.begins, created_at__lt=day.ends
    )[:most]
    return list(reversed(newest))


def latest_resets(*, most: int, customers: QuerySet[Customer] | None = None) -> Iterable[Event]:
    """The newest resets of these customers, or of all, each annotated with its customer."""
    every = Event.objects.primary().filter(kind=Event.Kind.RESET)
    resets: QuerySet[Any] = with_customers(every, customers=customers)
    if customers is not None:
        resets = resets.filter(customer_pk__isnull=False)
    return resets[:most]


def last_event(customers: Iterable[str]) -> int:
    """The id of the newest event of these customers; 0 if there is none."""
    events = Event.objects.primary().filter(customer__in=list(customers))
    return events.aggregate(last=Max("pk"))["last"] or 0


def newer_events(last: int, customers: Iterable[str]) -> QuerySet[Event]:
    """The events of these customers after the one with this id, newest first."""
    return Event.objects.primary().filter(customer__in=list(customers), pk__gt=last)


def with_customers(
    events: QuerySet[Event], *, customers: QuerySet[Customer] | None = None
) -> QuerySet[Event]:
    """Annotate `customer_pk` and `customer_name`; None if none of these customers has the key."""
    asked = Customer.objects.all() if customers is None else customers
    found = asked.filter(key=OuterRef("customer")).order_by()
    return events.annotate(
        customer_pk=Subquery(found.values("pk")), customer_name=Subquery(found.values("name"))
    )
