"""What the services refuse the database refuses too, whoever writes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DataError, IntegrityError, OperationalError, connection, models, transaction

from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.types import FLOOR
from tests.stored import everything_stored

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOON = NOW + timedelta(seconds=1)
MARIADB_CHECK_FAILED = 4025

BAD_ROWS: dict[str, Callable[[], models.Model]] = {
    "a count above 0": lambda: counter(pending_documents=1),
    "a count below the floor": lambda: counter(pending_documents=FLOOR - 1),
    "recovered after the update": lambda: counter(updated_at=NOW, recovered_at=SOON),
    "updated, never recovered": lambda: counter(updated_at=NOW),
    "recovered, never updated": lambda: counter(recovered_at=NOW),
    "a pin at priority 10": lambda: counter(pinned_priority=10, pinned_until=SOON),
    "a pin at priority 0": lambda: counter(pinned_priority=0, pinned_until=SOON),
    "a pin without a time": lambda: counter(pinned_priority=3),
    "a pin without a priority": lambda: counter(pinned_until=SOON),
    "a counter of nobody": lambda: Counter(customer_id="nobody"),
    "a policy without a name": lambda: Policy(name=""),
    "a policy named .": lambda: Policy(name="."),
    "a policy named ..": lambda: Policy(name=".."),
    "a policy twice": lambda: Policy(name="named"),
    "an interval too short": lambda: Policy(name="new", reset_interval=9),
    "an interval too long": lambda: Policy(name="new", reset_interval=31_536_001),
    "a recovery nobody knows": lambda: Policy(name="new", recovery="never"),
    "a positive threshold": lambda: Policy(name="new", threshold_1=1),
    "thresholds that do not fall": lambda: Policy(name="new", threshold_5=-8),
    "thresholds that rise": lambda: Policy(name="new", threshold_8=-13),
    "a threshold below the floor": lambda: Policy(name="new", threshold_8=FLOOR - 1),
    "a customer twice": lambda: Customer(key="acme"),
    "a decision twice": lambda: decision(document="D"),
    "a decision on no document": lambda: decision(document=""),
    "a decision for priority 0": lambda: decision(document="E", priority=0),
    "a decision for priority 10": lambda: decision(document="E", priority=10),
    "a decision for nobody": lambda: decision(document="E", customer_id="nobody"),
    "an event of another kind": lambda: Event(kind="other", customer="acme", created_at=NOW),
}
BAD_KEYS = [
    *["", " ", "a b", "acme ", " acme", "acme\n", "\nacme", "a\nb", "acme\r", "a\tb"],
    *["müller", "\uff41cme", "acme\u200b", "a/b", "a,b", "a'b", 'a"b', "a\\b", "a|b", "a%b", "é"],
    *[".", ".."],
]


def counter(**values: Any) -> Counter:
    return Counter(customer_id="acme", **values)


def decision(**values: Any) -> DocumentDecision:
    given = {"customer_id": "acme", "pending_documents": 0, "priority": 1, "decided_at": NOW}
    return DocumentDecision(**(given | values))


@pytest.fixture(autouse=True)
def something_stored() -> None:
    Policy.objects.create(name="named")
    Customer.objects.create(key="acme")
    decision(document="D").save()


def write(row: models.Model) -> None:
    with transaction.atomic():
        row.save(force_insert=True)
        connection.check_constraints()


def refused_by_the_database(row: models.Model) -> None:
    before = everything_stored()
    with pytest.raises((IntegrityError, OperationalError)) as raised:
        write(row)
    if not isinstance(raised.value, IntegrityError):
        assert raised.value.args[0] == MARIADB_CHECK_FAILED
    assert everything_stored() == before


@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
def test_rows(row: Callable[[], models.Model]) -> None:
    refused_by_the_database(row())


@pytest.mark.parametrize("key", BAD_KEYS, ids=ascii)
def test_keys(key: str) -> None:
    refused_by_the_database(Customer(key=key))


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_a_key_that_is_too_long() -> None:
    """SQLite knows no lengths."""
    with pytest.raises(DataError), transaction.atomic():
        Customer.objects.create(key="k" * 65)


@pytest.mark.parametrize(
    "key", ["Acme", "ACME", "k" * 64, "A-z.0_9~:@", "-", "0", "...", ".a", "a."]
)
def test_keys_that_are_others(key: str) -> None:
    Customer.objects.create(key=key)
    assert Customer.objects.get(key=key).key == key


def test_django_can_read_them() -> None:
    """As `loaddata` does; a constraint and an index of one name break that on MariaDB."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        for model in (Customer, Counter, DocumentDecision, Event, Policy):
            found = connection.introspection.get_constraints(cursor, model._meta.db_table)
            named = {one.name for one in [*model._meta.constraints, *model._meta.indexes]}
            assert named <= set(found)
            assert len(named) == len([*model._meta.constraints, *model._meta.indexes])
