"""The customers of the admin benchmark, with their documents, events and pins."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.db import connections

from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy

DOCUMENTS = 5
"""Of each customer."""
PINNED = 20
NAMED = 10
"""Customers under a policy of their own."""
BATCH = 5_000
ENDED = timedelta(days=2)
MOST_PENDING = 30


def fill(alias: str, *, customers: int, counting: int) -> None:
    """So many customers, of which so many are counting now; the others were two days ago."""
    now = datetime.now(UTC)
    policy = Policy.objects.using(alias).create(name="contract", reset_interval=3600)
    every = max(1, customers // counting)
    for start in range(0, customers, BATCH):
        numbers = range(start, min(start + BATCH, customers))
        Customer.objects.using(alias).bulk_create([_customer(number, policy) for number in numbers])
        Counter.objects.using(alias).bulk_create(
            [_counter(number, now, moving=number % every == 0) for number in numbers]
        )
        DocumentDecision.objects.using(alias).bulk_create(
            [one for number in numbers for one in _documents(number, now)], batch_size=BATCH
        )
        Event.objects.using(alias).bulk_create(
            [_event(number, now) for number in numbers if number % 10 == 0]
        )
    _analyze(alias)


def key_of(number: int) -> str:
    return f"customer-{number:06}"


def _customer(number: int, policy: Policy) -> Customer:
    has_own = number % 97 == 1 and number // 97 < NAMED
    return Customer(
        key=key_of(number),
        name=f"Company {number * 7_919 % 1_000_003} Ltd",
        policy=policy if has_own else None,
    )


def _counter(number: int, now: datetime, *, moving: bool) -> Counter:
    updated_at = now if moving else now - ENDED
    pinned = number % 89 == 2 and number // 89 < PINNED
    return Counter(
        customer_id=key_of(number),
        pending_documents=-(number // 7 % MOST_PENDING),
        updated_at=updated_at,
        recovered_at=updated_at,
        pinned_priority=2 if pinned else None,
        pinned_until=now + timedelta(days=1) if pinned else None,
    )


def _documents(number: int, now: datetime) -> Iterator[DocumentDecision]:
    for document in range(DOCUMENTS):
        yield DocumentDecision(
            customer_id=key_of(number),
            document=f"D-{document}",
            pending_documents=-document,
            priority=1,
            decided_at=now - timedelta(hours=document * 11, seconds=number % 3_600),
        )


def _event(number: int, now: datetime) -> Event:
    return Event(
        customer=key_of(number),
        kind=Event.Kind.RESET,
        actor="maria",
        reason="asked on the phone",
        before={"priority": 7, "pending_documents": -13},
        after={"priority": 1, "pending_documents": 0},
        created_at=now - timedelta(seconds=number),
    )


def _analyze(alias: str) -> None:
    models = (Customer, Counter, DocumentDecision, Event)
    tables = ", ".join(model._meta.db_table for model in models)
    with connections[alias].cursor() as cursor:
        mysql = connections[alias].vendor == "mysql"
        cursor.execute(f"ANALYZE TABLE {tables}" if mysql else "ANALYZE")
