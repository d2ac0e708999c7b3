"""What the models validate, and what the constraints refuse also without the models."""

from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
from django.core import serializers
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import DataError, IntegrityError, OperationalError, connection, models, transaction

from doc_priority import services
from doc_priority.counters import counters_of
from doc_priority.exceptions import DocPriorityError, InvalidTime
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.types import FLOOR
from tests.databases import everything_stored

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MOMENT = datetime(2026, 10, 25, 2, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))


def test_rows_and_keys_that_nobody_can_store() -> None:
    def assert_refused_by_the_database(row: models.Model, told: str) -> None:
        @transaction.atomic
        def store() -> None:
            row.save(force_insert=True)
            connection.check_constraints()

        before = everything_stored()
        with pytest.raises((IntegrityError, OperationalError)) as raised:
            store()
        check_failed_on_mariadb = 4025
        if not isinstance(raised.value, IntegrityError):
            assert raised.value.args[0] == check_failed_on_mariadb, told
        assert everything_stored() == before, told

    Policy.objects.create(name="named")
    Customer.objects.create(key="acme")
    DocumentDecision.objects.create(
        customer_id="acme", document="D", pending_documents=0, priority=1, decided_at=NOW
    )
    counter = partial(Counter, customer_id="acme")
    policy = partial(Policy, name="new")
    decision: Any = partial(
        DocumentDecision,
        customer_id="acme",
        pending_documents=0,
        decided_at=NOW,
    )
    soon = NOW + timedelta(seconds=1)
    for told, row in {
        "a count above 0": counter(pending_documents=1),
        "a count below the floor": counter(pending_documents=FLOOR - 1),
        "recovered after the update": counter(updated_at=NOW, recovered_at=soon),
        "updated, never recovered": counter(updated_at=NOW),
        "recovered, never updated": counter(recovered_at=NOW),
        "a pin at priority 10": counter(pinned_priority=10, pinned_until=soon),
        "a pin at priority 0": counter(pinned_priority=0, pinned_until=soon),
        "a pin without a time": counter(pinned_priority=3),
        "a pin without a priority": counter(pinned_until=soon),
        "a counter of nobody": counter(customer_id="nobody"),
        "a policy without a name": Policy(name=""),
        "a policy named .": Policy(name="."),
        "a policy named ..": Policy(name=".."),
        "a policy twice": Policy(name="named"),
        "an interval too short": policy(reset_interval=9),
        "an interval too long": policy(reset_interval=31_536_001),
        "a recovery nobody knows": policy(recovery="never"),
        "a positive threshold": policy(threshold_1=1),
        "thresholds that do not fall": policy(threshold_5=-8),
        "thresholds that rise": policy(threshold_8=-13),
        "a threshold below the floor": policy(threshold_8=FLOOR - 1),
        "a customer twice": Customer(key="acme"),
        "a decision twice": decision(document="D", priority=1),
        "a decision on no document": decision(document="", priority=1),
        "a decision for priority 0": decision(document="E", priority=0),
        "a decision for priority 10": decision(document="E", priority=10),
        "a decision for nobody": decision(document="E", priority=1, customer_id="nobody"),
        "an event of another kind": Event(kind="other", customer="acme", created_at=NOW),
    }.items():
        assert_refused_by_the_database(row, told)

    for key in (
        *("", " ", "a b", "acme ", " acme", "acme\n", "\nacme", "a\nb", "acme\r", "a\tb"),
        *("müller", "\uff41cme", "acme\u200b", "a/b", "a,b", "a'b", 'a"b', "a\\b", "a|b", "a%b"),
        *("é", ".", ".."),
    ):
        assert_refused_by_the_database(Customer(key=key), repr(key))
    Customer.objects.all().delete()
    for key in ("acme", "Acme", "ACME", "k" * 64, "A-z.0_9~:@", "-", "0", "...", ".a", "a."):
        Customer.objects.create(key=key)
        assert Customer.objects.get(key=key).key == key
    if connection.vendor != "sqlite":  # it knows no lengths
        with pytest.raises(DataError), transaction.atomic():
            Customer.objects.create(key="k" * 65)


def test_django_can_read_the_constraints() -> None:
    """As `loaddata` does. On MariaDB a constraint and an index of the same name would break it."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        for model in (Customer, Counter, DocumentDecision, Event, Policy):
            found = connection.introspection.get_constraints(cursor, model._meta.db_table)
            named = {one.name for one in [*model._meta.constraints, *model._meta.indexes]}
            assert named <= set(found)
            assert len(named) == len([*model._meta.constraints, *model._meta.indexes])


def test_a_moment_comes_back_in_utc_to_the_microsecond() -> None:
    customer = Customer.objects.create(key="acme", created_at=MOMENT)
    customer.refresh_from_db()
    assert customer.created_at == MOMENT
    assert customer.created_at.tzinfo is UTC
    assert Customer.objects.filter(created_at__lte=MOMENT).exists()
    assert not Customer.objects.filter(created_at__lt=MOMENT).exists()

    # What is no moment is refused by the model and by a form.
    field = Customer._meta.get_field("created_at")
    for moment in (datetime(2026, 1, 1), datetime(1969, 1, 1, tzinfo=UTC)):  # noqa: DTZ001
        with pytest.raises(InvalidTime, match=r"datetime\.datetime"):
            Customer.objects.create(key="new", created_at=moment)
        with pytest.raises(ValidationError, match=r"datetime\.datetime"):
            field.clean(moment, None)
    for text in ("2026-01-01T00:00:00", "soon"):
        with pytest.raises(ValidationError, match="not a date and time with a time zone"):
            field.clean(text, None)
    assert field.to_python("2026-10-25T02:30:00.123456+02:00") == MOMENT
    assert field.to_python(1_000_001) == datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC)
    assert field.to_python(None) is None


def test_a_counter_survives_a_dump() -> None:
    json_keeps_milliseconds = MOMENT.replace(microsecond=123_000)
    for dump_format, moment in [("xml", MOMENT), ("json", json_keeps_milliseconds)]:
        Customer.objects.all().delete()
        services.check("acme", at=moment)
        Counter.objects.create(customer=Customer.objects.create(key="never"))
        text = serializers.serialize(dump_format, [*Customer.objects.all(), *Counter.objects.all()])
        before = list(Counter.objects.order_by("pk").values())
        Customer.objects.all().delete()
        for restored in serializers.deserialize(dump_format, text):
            restored.save()
        assert list(Counter.objects.order_by("pk").values()) == before, dump_format


def test_models_and_errors_say_what_they_are() -> None:
    services.check("acme", document="D-1")
    services.reset("acme")
    assert str(Counter.objects.get()) == "acme: 0"
    assert str(DocumentDecision.objects.get()) == "acme D-1: 1"
    assert str(Event.objects.get()) == "reset acme"
    error = DocPriorityError()
    assert (error.code, str(error)) == ("doc_priority_error", DocPriorityError.__doc__)

    class Elsewhere:
        vendor = "oracle"

    with pytest.raises(ImproperlyConfigured, match="oracle; route it to one of mysql, postgresql"):
        counters_of(Elsewhere())


@pytest.mark.sqlite
def test_a_decision_that_cannot_be_kept_undoes_the_count() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON doc_priority_documentdecision "
            "BEGIN SELECT RAISE(ABORT, 'not here'); END"
        )
    services.check("acme")
    with pytest.raises((IntegrityError, OperationalError), match="not here"):
        services.check("acme", document="D-1")
    assert Counter.objects.get().pending_documents == 0

    # A customer deleted as soon as it is made is made again.
    Customer.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TRIGGER vanish AFTER INSERT ON doc_priority_counter "
            "WHEN NOT EXISTS (SELECT 1 FROM doc_priority_policy) BEGIN "
            "INSERT INTO doc_priority_policy SELECT 1, 'once', 10, 'idle', "
            "-1, -2, -3, -4, -5, -6, -7, -8; "
            "DELETE FROM doc_priority_counter; DELETE FROM doc_priority_customer; END"
        )
    assert services.check("acme").pending_documents == 0
    assert Customer.objects.get().key == "acme"


def test_a_decision_made_meanwhile_is_a_conflict_and_a_customer_is_not() -> None:
    # On PostgreSQL a check reads under the lock and meets none.
    vendors = ("sqlite", "mysql")
    services.check("acme", document="D-1")
    twins = [
        Customer(key="acme"),
        DocumentDecision(
            customer_id="acme", document="D-1", pending_documents=0, priority=1, decided_at=NOW
        ),
    ]
    for twin in twins:
        with pytest.raises(IntegrityError) as raised, transaction.atomic():
            twin.save(force_insert=True)
        conflict = counters_of(connection).is_conflict(raised.value)
        assert conflict is (connection.vendor in vendors and twin is twins[1])
