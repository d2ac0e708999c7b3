"""By which index each database finds the few customers that may move among the many at rest."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from doc_priority.models import Counter, Customer
from doc_priority.selectors import activity

# MariaDB commits when it analyses a table.
pytestmark = pytest.mark.django_db(transaction=True)

CUSTOMERS = 5_000
PINNED = "doc_priority_counter_pinned"


@pytest.fixture(autouse=True)
def many_at_rest() -> None:
    long_ago = datetime.now(UTC) - timedelta(days=2)
    keys = [f"customer-{number}" for number in range(CUSTOMERS)]
    Customer.objects.bulk_create([Customer(key=key) for key in keys], batch_size=1_000)
    counters = [
        Counter(customer_id=key, updated_at=long_ago, recovered_at=long_ago) for key in keys
    ]
    counters[0].updated_at = datetime.now(UTC)
    counters[1].pinned_priority = 2
    counters[1].pinned_until = datetime.now(UTC) + timedelta(hours=1)
    Counter.objects.bulk_create(counters, batch_size=1_000)
    with connection.cursor() as cursor:
        tables = "doc_priority_counter, doc_priority_customer"
        cursor.execute(f"ANALYZE TABLE {tables}" if connection.vendor == "mysql" else "ANALYZE")


def test_those_moving_are_found_by_both_indexes() -> None:
    moment = activity()
    moving = Customer.objects.moving(now=moment.now, since=moment.since)
    assert moving.count() == 2
    plan = moving.explain()
    assert PINNED in plan
    assert index_of("updated_at") in plan


def index_of(column: str) -> str:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, Counter._meta.db_table)
    return next(name for name, one in found.items() if one["index"] and one["columns"] == [column])
