"""What the log says, and what it never says."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from rest_framework.test import APIClient

from doc_priority import services
from doc_priority.contrib.tasks.recovering import put_back_abandoned
from doc_priority.exceptions import CounterBusy
from doc_priority.models import Event
from tests.logged import records
from tests.sessions import HOLD_COUNTERS, open_transaction

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_log_of_a_tour(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Every line has an action; none says what a person said, or is called."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 200}
    caplog.set_level(logging.DEBUG, "doc_priority")
    said: Any = {"actor": "jane.doe", "reason": "Jane asked for it"}
    services.create_customer("acme", name="Ada Lovelace")
    services.create_policy(
        "p", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1), **said
    )
    services.check("acme", document="will-of-ada.pdf")
    services.reset("acme", source="admin", **said)
    services.pin("acme", priority=2, until=datetime.now(UTC) + timedelta(hours=1), **said)
    services.unpin("acme", **said)
    services.set_policy("acme", policy="p", **said)
    with open_transaction(HOLD_COUNTERS), pytest.raises(CounterBusy):
        services.check("acme")
    put_back_abandoned(older_than=timedelta(hours=1))
    assert customers_while_the_database_is_away() == 503
    services.forget("acme", source="api", **said)
    found = records(caplog)
    assert [record.action for record in found] == [
        "policy",
        "reset",
        "pin",
        "unpin",
        "policy",
        "busy",
        "put_back",
        "database_unavailable",
        "forget",
    ]
    about_customers = [record for record in found if getattr(record, "customer", "")]
    assert {record.customer for record in about_customers} == {"acme"}
    assert [record.source for record in about_customers] == ["admin", "", "", "", "api"]
    for record in found:
        told = f"{record.getMessage()} {vars(record)}"
        assert not [word for word in ("Ada", "Jane", "jane", "asked", "will-of") if word in told]
        assert record.getMessage().isprintable()


def test_the_log_says_what_was_corrected_and_names_its_event(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "doc_priority")
    services.check("acme")
    services.reset("acme")
    services.create_policy("p", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    found = records(caplog)
    assert [record.getMessage() for record in found] == ["reset of acme", "policy of a policy"]
    events = Event.objects.order_by("pk").values_list("pk", flat=True)
    assert [record.event for record in found] == list(events)


def test_the_log_waits_for_the_commit(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "doc_priority")
    services.check("acme")
    with transaction.atomic():
        services.reset("acme")
        transaction.set_rollback(True)
    assert records(caplog) == []


def customers_while_the_database_is_away() -> int:
    def refuse(*_: Any) -> Any:
        raise OperationalError("server closed the connection")

    client = APIClient()
    client.force_authenticate(User(username="jane", is_superuser=True))
    with connection.execute_wrapper(refuse):
        status: int = client.get("/api/v1/customers/").status_code
    return status
