"""Moments as the models offer them, and keys compared byte by byte."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.core import serializers
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import IntegrityError, OperationalError, connection, transaction

from doc_priority import services
from doc_priority.counters import counters_of
from doc_priority.exceptions import DocPriorityError, InvalidTime
from doc_priority.models import Counter, Customer, DocumentDecision, Event
from tests.vectors import START

pytestmark = pytest.mark.django_db

MOMENT = datetime(2026, 10, 25, 2, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))


def test_a_moment_comes_back_in_utc_to_the_microsecond():
    customer = Customer.objects.create(key="acme", created_at=MOMENT)
    customer.refresh_from_db()
    assert customer.created_at == MOMENT
    assert customer.created_at.tzinfo is UTC
    assert Customer.objects.filter(created_at__lte=MOMENT).exists()
    assert not Customer.objects.filter(created_at__lt=MOMENT).exists()


NO_MOMENTS = [datetime(2026, 1, 1), datetime(1969, 1, 1, tzinfo=UTC)]  # noqa: DTZ001


@pytest.mark.parametrize("moment", NO_MOMENTS)
def test_a_moment_without_a_zone_or_before_1970_is_refused(moment):
    with pytest.raises(InvalidTime, match=r"datetime\.datetime"):
        Customer.objects.create(key="acme", created_at=moment)


@pytest.mark.parametrize("moment", NO_MOMENTS)
def test_a_form_refuses_it_too(moment):
    with pytest.raises(ValidationError, match=r"datetime\.datetime"):
        Customer._meta.get_field("created_at").clean(moment, None)


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00", "soon"])
def test_text_that_is_no_moment_is_refused(text):
    with pytest.raises(ValidationError, match="not a moment with a time zone"):
        Customer._meta.get_field("created_at").clean(text, None)


def test_a_moment_may_be_given_as_text_or_microseconds():
    field = Customer._meta.get_field("created_at")
    assert field.to_python("2026-10-25T02:30:00.123456+02:00") == MOMENT
    assert field.to_python(1_000_001) == datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC)
    assert field.to_python(None) is None


@pytest.mark.parametrize(
    ("dump_format", "moment"),
    [("xml", MOMENT), ("json", MOMENT.replace(microsecond=123_000))],  # JSON keeps milliseconds
)
def test_a_counter_survives_a_dump(dump_format, moment):
    services.check("acme", at=moment)
    Counter.objects.create(customer=Customer.objects.create(key="never"))
    text = serializers.serialize(dump_format, [*Customer.objects.all(), *Counter.objects.all()])
    before = list(Counter.objects.order_by("pk").values())
    Customer.objects.all().delete()
    for restored in serializers.deserialize(dump_format, text):
        restored.save()
    assert list(Counter.objects.order_by("pk").values()) == before


def test_models_say_what_they_are():
    services.check("acme", document="D-1")
    services.reset("acme")
    assert str(Counter.objects.get()) == "acme: 0"
    assert str(DocumentDecision.objects.get()) == "acme D-1: 1"
    assert str(Event.objects.get()) == "reset acme"


def test_another_database_is_refused_by_name():
    class Elsewhere:
        vendor = "oracle"

    with pytest.raises(ImproperlyConfigured, match="oracle; route it to one of mysql, postgresql"):
        counters_of(Elsewhere())


def test_an_error_has_a_code_and_its_docstring_for_a_message():
    error = DocPriorityError()
    assert (error.code, str(error)) == ("doc_priority_error", DocPriorityError.__doc__)


@pytest.mark.sqlite
def test_a_decision_that_cannot_be_kept_undoes_the_count():
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON doc_priority_documentdecision "
            "BEGIN SELECT RAISE(ABORT, 'not here'); END"
        )
    services.check("acme")
    with pytest.raises((IntegrityError, OperationalError), match="not here"):
        services.check("acme", document="D-1")
    assert Counter.objects.get().pending_documents == 0


@pytest.mark.sqlite
def test_a_customer_deleted_as_soon_as_it_is_made_is_made_again():
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


def test_a_decision_made_meanwhile_is_a_conflict_and_a_customer_is_not():
    # On PostgreSQL a check reads under the lock and meets none.
    vendors = ("sqlite", "mysql")
    services.check("acme", document="D-1")
    twins = [
        Customer(key="acme"),
        DocumentDecision(
            customer_id="acme", document="D-1", pending_documents=0, priority=1, decided_at=START
        ),
    ]
    for twin in twins:
        with pytest.raises(IntegrityError) as raised, transaction.atomic():
            twin.save(force_insert=True)
        conflict = counters_of(connection).is_conflict(raised.value)
        assert conflict is (connection.vendor in vendors and twin is twins[1])
