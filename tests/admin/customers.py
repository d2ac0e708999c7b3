"""Customers at every priority."""

from datetime import UTC, datetime, timedelta

from doc_priority.models import Customer
from tests.factories import CounterFactory, CustomerFactory

PENDING = {1: -1, 2: -3, 3: -5, 4: -7, 5: -9, 6: -11, 7: -13, 8: -15, 9: -21}
"""A count for each priority under the default policy."""


def at_priority(priority: int, **fields: object) -> Customer:
    """A customer that is counting now, under the default policy."""
    customer = CustomerFactory.create(**fields)
    CounterFactory.create(customer=customer, pending_documents=PENDING[priority])
    return customer


def at_rest(**fields: object) -> Customer:
    """A customer whose last document was long ago."""
    customer = CustomerFactory.create(**fields)
    long_ago = datetime.now(UTC) - timedelta(days=2)
    CounterFactory.create(customer=customer, pending_documents=-30, updated_at=long_ago)
    return customer


def pinned(priority: int, **fields: object) -> Customer:
    """A customer that long sent nothing, pinned for an hour."""
    customer = at_rest(**fields)
    customer.counter.pinned_priority = priority
    customer.counter.pinned_until = datetime.now(UTC) + timedelta(hours=1)
    customer.counter.save()
    return customer
