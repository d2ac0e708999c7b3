"""Reading: the live list, a customer's day and events, and what policies hold or would change.

Each selector takes a fixed number of queries.
"""

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    Count,
    ExpressionWrapper,
    F,
    Func,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.sql.compiler import SQLCompiler

from doc_priority import rules
from doc_priority.clock import CLOCKS, DatabaseClock, frozen_at
from doc_priority.conf import settings
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.querysets import CustomerQuerySet, alias_for_write
from doc_priority.types import (
    BEST_PRIORITY,
    NO_END,
    SECOND,
    WORST_PRIORITY,
    CounterState,
    NamedTerms,
    Pin,
    PolicyTerms,
    State,
    from_microseconds,
)
from doc_priority.validation import to_microseconds

WORST_FIRST = ("-priority", "pending_documents", "key")
IDLE_LAST = ((), WORST_FIRST, ("-priority",), ("pending_documents",))
IDLE_FIRST = (("priority",), ("-pending_documents",))

STATES = {
    State.PINNED: Q(pinned=True),
    State.COUNTING: Q(pinned=False, counting=True),
    State.IDLE: Q(pinned=False, counting=False),
}

MANY = 200_000
"""Counting this many rows takes as long as everything else on a page."""
ABOUT = """
SELECT CASE WHEN c.reltuples > %s THEN c.reltuples::bigint ELSE (SELECT COUNT(*) FROM {table}) END
  FROM pg_class c WHERE c.oid = to_regclass(%s)
"""


def database_now() -> datetime:
    """The time of the database's clock, or the frozen one; in UTC, so that adding to it is safe."""
    moment = frozen_at.get()
    if moment is not None:
        return moment.astimezone(UTC)
    connection = connections[alias_for_write()]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCKS[connection.vendor]}")
        (now,) = cursor.fetchone()
    return from_microseconds(now)


class StoredCounter(NamedTuple):
    """A customer's counter as it is stored, its pin and policy, and the time it was read."""

    state: CounterState
    pin: Pin | None
    policy: NamedTerms
    now: int


def stored_counter(customer: str, *, at: int | None) -> StoredCounter | None:
    """The counter of a customer; None if there is no such customer."""
    found = (
        Customer.objects.primary()
        .select_related("counter", "policy")
        .annotate(read_at=DatabaseClock())
        .filter(key=customer)
        .first()
    )
    if found is None:
        return None
    counter = getattr(found, "counter", None)
    return StoredCounter(
        state=counter.state if counter else CounterState(),
        pin=counter.pin if counter else None,
        policy=found.policy.named_terms if found.policy else settings.default_policy,
        now=to_microseconds(found.read_at) if at is None else at,
    )


class Activity(NamedTuple):
    """A time, and since when a counter must have been updated to be active at that time."""

    now: datetime
    since: datetime


def activity(*, at: datetime | None = None) -> Activity:
    """The time, and the time less the longest interval of all policies."""
    now = database_now() if at is None else from_microseconds(to_microseconds(at))
    named = Policy.objects.primary().aggregate(longest=Max("reset_interval"))["longest"] or 0
    longest = max(named, settings.default_policy.terms.reset_interval)
    return Activity(now, now - timedelta(seconds=longest))


@dataclass(frozen=True)
class LiveList:
    """Customers with their live state, page by page, fast also with a million idle customers.

    Indexes find the customers that may be active: updated within the longest interval, or pinned.
    Only for these the database runs the rule. All others are surely idle: at priority 1, with 0
    pending documents, not pinned and without a `resets_at`; they are sorted by key.
    """

    customers: CustomerQuerySet
    """Rows of `live(activity.now)`."""
    activity: Activity
    wanted: Q = field(default_factory=Q)
    """A condition on live values; see `narrowed`."""
    has_idle: bool = True
    """Whether `wanted` is true for all surely idle customers, or for none."""

    def narrowed(
        self,
        *,
        state: State | None = None,
        best: int = BEST_PRIORITY,
        worst: int = WORST_PRIORITY,
    ) -> "LiveList":
        """The customers in this state and with these priorities."""
        wanted = Q() if state is None else STATES[state]
        if (best, worst) != (BEST_PRIORITY, WORST_PRIORITY):
            wanted &= Q(priority__range=(best, worst))
        has_idle = best == BEST_PRIORITY and state in (None, State.IDLE)
        return replace(self, wanted=self.wanted & wanted, has_idle=self.has_idle and has_idle)

    @property
    def maybe_active(self) -> CustomerQuerySet:
        return self._all_maybe_active.filter(self.wanted)

    @property
    def surely_idle(self) -> CustomerQuerySet:
        if not self.has_idle:
            return self.customers.none()
        return self.customers.surely_idle(**self.activity._asdict())

    @property
    def queryset(self) -> CustomerQuerySet:
        """All of them in one queryset, for callers who need one."""
        if not self.wanted:
            return self.customers
        if not self.has_idle:
            return self.maybe_active
        # Excludes the unwanted among the active ones, so that the rule is not run for idle ones.
        unwanted = self._all_maybe_active.exclude(self.wanted).order_by().values("pk")
        return self.customers.exclude(pk__in=unwanted)

    @property
    def _all_maybe_active(self) -> CustomerQuerySet:
        return self.customers.maybe_active(**self.activity._asdict())

    @cached_property
    def about_count(self) -> int:
        """The number of customers; above 200,000 on PostgreSQL, an estimate."""
        return about_number_of(self.queryset)

    def slice(self, start: int, stop: int) -> Any:
        """The rows from one place to another, in the order of `customers`.

        Sorted by priority or pending documents, the surely idle ones are all before or all after
        the others. Sorted by anything else, the database sorts all customers.
        """
        order = self.customers.query.order_by
        # The admin adds the list's own order to the column that was clicked.
        chosen = order[: -len(WORST_FIRST)] if order[-len(WORST_FIRST) :] == WORST_FIRST else order
        if chosen in IDLE_LAST:
            first, last = self.maybe_active, self.surely_idle.order_by("key")
            number = self._number_of_maybe_active
        elif chosen in IDLE_FIRST:
            first, last = self.surely_idle.order_by("key"), self.maybe_active
            number = number_of(self.queryset) - self._number_of_maybe_active
        else:
            return self.queryset[start:stop]
        rows = list(first[start:stop]) if start < number else []
        if stop > number and self.about_count > number:
            rows += last[max(0, start - number) : stop - number]
        return rows

    @cached_property
    def _number_of_maybe_active(self) -> int:
        return self.maybe_active.order_by().count()

    def after(
        self,
        values: Sequence[Any],
        *,
        order: Sequence[str],
        limit: int,
        idle: Mapping[str, Any] | None = None,
    ) -> list[Any]:
        """The first rows in this order; with values, the first that come after these values.

        `idle` has the value of surely idle customers in a column that the caller has annotated.
        """
        equal = {"priority": BEST_PRIORITY, "pending_documents": 0, **(idle or {})}
        if order[0] in ("name", "-name") and self.has_idle:
            # Only the database knows the order of names, so it must sort all customers.
            return self.queryset.after(values, order=order, limit=limit)
        rows = self.maybe_active.after(values, order=order, limit=limit)
        if self.has_idle:
            rows += self.surely_idle.after(values, order=order, limit=limit, equal=equal)
            for name in reversed(order):
                key = attrgetter(name.removeprefix("-"))
                rows.sort(key=key, reverse=name.startswith("-"))
        return rows[:limit]


@dataclass(frozen=True, slots=True)
class Overview:
    """The number of customers at each priority, counting, and pinned; no customer is both."""

    priorities: dict[int, int]
    counting: int
    pinned: int

    @property
    def customers(self) -> int:
        return sum(self.priorities.values())

    @property
    def at_7_to_9(self) -> int:
        return sum(count for priority, count in self.priorities.items() if priority >= 7)


def overview(customers: CustomerQuerySet, *, at: datetime | None = None) -> Overview:
    """The number of these customers at each priority from 1 to 9, counting, and pinned.

    Surely idle customers are only counted.
    """
    moment = activity(at=at)
    counted = (
        LiveList(customers.live(moment.now), moment)
        .maybe_active.order_by()
        .values_list("priority", "pinned", "counting")
        .annotate(number=Count("pk"))
    )
    priorities = dict.fromkeys(range(BEST_PRIORITY, WORST_PRIORITY + 1), 0)
    counting = pinned = 0
    for priority, is_pinned, is_counting, number in counted:
        priorities[priority] += number
        pinned += number if is_pinned else 0
        counting += number if is_counting and not is_pinned else 0
    surely_idle = number_of(customers) - sum(priorities.values())
    priorities[BEST_PRIORITY] += max(0, surely_idle)
    return Overview(priorities, counting, pinned)


def number_of(customers: CustomerQuerySet) -> int:
    """How many rows these are.

    Without a filter, without the joins that only the columns need.
    """
    if _is_narrowed(customers):
        return customers.count()
    number: int = customers.model._base_manager.using(customers.db).count()
    return number


def about_number_of(customers: CustomerQuerySet) -> int:
    """The number of rows; above 200,000 on PostgreSQL, an estimate.

    The estimate is from the last autovacuum or ANALYZE of the table. With a filter, and on other
    databases, the rows are counted.
    """
    connection = connections[customers.db]
    if _is_narrowed(customers) or connection.vendor != "postgresql":
        return number_of(customers)
    table = connection.ops.quote_name(customers.model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(ABOUT.format(table=table), [MANY, table])
        (number,) = cursor.fetchone()
    return int(number)


def _is_narrowed(customers: CustomerQuerySet) -> bool:
    query = customers.query
    return bool(query.where or query.combinator or query.is_sliced)


# What happened: documents over a day, and events.

QUARTER = 15 * 60 * SECOND
QUARTERS = 96
CORRECTIONS = (Event.Kind.RESET, Event.Kind.PIN, Event.Kind.UNPIN)


@dataclass(frozen=True, slots=True)
class Quarter:
    """A quarter of an hour with its number of documents and the worst priority among them."""

    begins: datetime
    documents: int
    worst: int
    worst_at: datetime
    """When the last document got that priority."""


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
    # The worst priority and when a document last got it are the largest of these numbers.
    priority_and_moment = ExpressionWrapper(
        F("priority") * Value(NO_END, BigIntegerField()) + F("decided_at"), BigIntegerField()
    )
    counted = (
        DocumentDecision.objects.primary()
        .filter(customer_id=customer, decided_at__gte=begins, decided_at__lt=ends)
        .values(quarter=Quotient(since, Value(QUARTER)))
        .annotate(documents=Count("pk"), worst=Max(priority_and_moment))
        .order_by("quarter")
    )
    quarters = tuple(
        Quarter(
            from_microseconds(begins + row["quarter"] * QUARTER),
            row["documents"],
            row["worst"] // NO_END,
            from_microseconds(row["worst"] % NO_END),
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


# Policies.


def thresholds_of(policy: str) -> tuple[int, ...]:
    """The eight thresholds of this policy; the empty name is the default policy, without a query.

    For a policy that has been deleted, those of the default policy.
    """
    default = settings.default_policy.terms.thresholds
    if policy == "":
        return default
    named = Policy.objects.primary().filter(name=policy).first()
    return default if named is None else named.terms.thresholds


@dataclass(frozen=True, slots=True)
class Move:
    """The number of customers that would go from one priority to another."""

    before: int
    after: int
    customers: int


def moves_under(
    policy: Policy, terms: PolicyTerms, *, at: datetime | None = None
) -> tuple[Move, ...]:
    """The moves of customers with this policy under other terms, the worst priority first.

    All priorities are those of one moment. Pinned customers do not move. A customer whose interval
    is over under both terms has priority 1 under both, so its counter is not read.
    """
    if terms == policy.terms:
        return ()
    now = to_microseconds(at or database_now())
    since = max(0, now - max(terms.interval, policy.terms.interval))
    columns = (*CounterState._fields, "pinned_priority", "pinned_until")
    counters = (
        Counter.objects.primary()
        .filter(customer__policy=policy.pk, updated_at__gte=since)
        # In microseconds, as the rule has them.
        .values_list(*(ExpressionWrapper(F(name), BigIntegerField()) for name in columns))
    )
    moves: Tally[tuple[int, int]] = Tally()
    for *stored, pinned_priority, pinned_until in counters.iterator():
        state = CounterState(*stored)
        pin = Pin.of_columns(pinned_priority, pinned_until)
        if rules.pin_holds(pin, max(now, state.updated_at or 0)):
            continue
        before, after = (
            rules.priority_of(rules.peek(state, one, now).pending_documents, one.thresholds)
            for one in (policy.terms, terms)
        )
        if before != after:
            moves[before, after] += 1
    return tuple(
        Move(before, after, customers)
        for (before, after), customers in sorted(moves.items(), reverse=True)
    )
