"""Customers that stand anywhere, and the list of all of them."""

from datetime import timedelta
from urllib.parse import urlencode

from doc_priority.models import Counter, Customer, Policy
from tests.api.conftest import Caller
from tests.api.paging import Row, rows_of
from tests.vectors import START


def policies() -> list[Policy | None]:
    gold = Policy.objects.create(name="gold", reset_interval=600, recovery="window")
    slow = Policy.objects.create(name="slow", recovery="halving")
    return [None, gold, slow]


def add_customers(count: int) -> None:
    """Every fifth never sent anything; the others stand anywhere, some pinned, some equal."""
    known = policies()
    customers = [
        Customer(
            key=f"{'Kk'[number % 2]}{number * 7 % count:04}",
            name="" if number % 10 == 3 else f"{'abcdefgh'[number % 8]}{number % 3}",
            policy=known[number % 3],
        )
        for number in range(count)
    ]
    Customer.objects.bulk_create(customers)
    Counter.objects.bulk_create(
        Counter(
            customer_id=customer.key,
            pending_documents=-(number % 31),
            updated_at=START - timedelta(seconds=number * 13 % 2000),
            recovered_at=START - timedelta(seconds=number * 13 % 2000),
            pinned_priority=number % 9 + 1 if number % 11 == 0 else None,
            pinned_until=START + timedelta(seconds=5 * number) if number % 11 == 0 else None,
        )
        for number, customer in enumerate(customers)
        if number % 5
    )


def everybody(root: Caller, **query: object) -> list[Row]:
    return rows_of(root, f"customers/?{urlencode({'limit': 100, **query})}")


def keys(rows: list[Row]) -> list[str]:
    return [row["customer"] for row in rows]
