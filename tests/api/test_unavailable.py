"""Locked counters, conflicts, a database that is away: 503, try again, nothing half done."""

import logging
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from rest_framework.test import APIClient

from doc_priority import services
from doc_priority.models import Counter, Customer
from tests.api.conftest import Caller, assert_problem
from tests.databases import (
    HOLD_COUNTERS,
    count_elsewhere,
    everything_stored,
    idle_until_ended,
    open_transaction,
)
from tests.factories import PolicyFactory
from tests.logged import records

pytestmark = pytest.mark.django_db(transaction=True)

READS = ["customers/", "customers/acme/", "customers/acme/events/", "policies/", "stats/"]
UNTIL = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "customers/acme/check/", {}),
    ("POST", "customers/acme/check/", {"document": "2"}),
    ("POST", "checks/", {"items": [{"customer": "acme"}, {"customer": "new"}]}),
    ("POST", "customers/acme/reset/", {"reason": "x"}),
    ("PUT", "customers/acme/pin/", {"priority": 1, "until": UNTIL, "reason": "x"}),
    ("PATCH", "customers/acme/", {"policy": None}),
    ("PATCH", "customers/acme/", {"name": "x", "policy": None}),
    ("DELETE", "customers/acme/", {}),
]


@pytest.fixture(autouse=True)
def acme(db: None) -> Iterator[None]:
    """A customer with a policy; on SQLite the portal waits longer for a lock than a call may."""
    PolicyFactory(name="gold")
    services.check_many([("acme", "1"), "acme"])
    services.set_policy("acme", policy="gold")
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 1500")
    yield
    connection.close()


def test_a_counter_that_others_hold(root: Caller, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 50}

    for write in WRITES:
        before = everything_stored()
        with open_transaction(HOLD_COUNTERS):
            answer = root.request(*write)
            assert_problem(answer, 503, "counter_busy")
            assert int(answer["Retry-After"]) >= 1
            assert everything_stored() == before
            assert root.get("customers/acme/").status_code == 200
        assert root.request(*write).status_code in (200, 204), write
        assert everything_stored() != before


@pytest.mark.sqlite
def test_a_file_that_others_write_to(root: Caller, settings: Any, reach: Any) -> None:
    """SQLite has one lock for everything, so making a customer may have to wait, too."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 50}
    for key in ("anybody", "within-reach"):
        with open_transaction(HOLD_COUNTERS):
            assert_problem(root.post("customers/", {"customer": key}), 503, "counter_busy")
        assert root.post("customers/", {"customer": key}).status_code == 201
        reach(lambda user: Customer.objects.all(), LOCK_TIMEOUT_MS=50)


@pytest.fixture
def atomic_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request of the portal is one transaction."""
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.usefixtures("atomic_requests")
@pytest.mark.parametrize("body", [{}, {"document": "2"}])
def test_a_transaction_the_database_gives_up(
    root: Caller, reach: Any, body: dict[str, str]
) -> None:
    def counted_elsewhere(user: User) -> Any:
        """Meanwhile, after the request's transaction has begun, somebody else counts."""
        assert Counter.objects.filter(pending_documents=-1).exists()
        count_elsewhere()
        return Customer.objects.all()

    reach(counted_elsewhere)
    snapshots = {
        "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "mysql": "SET SESSION tx_isolation = 'REPEATABLE-READ', innodb_snapshot_isolation = ON",
    }
    with connection.cursor() as cursor:
        cursor.execute(snapshots[connection.vendor])

    try:
        answer = root.post("customers/acme/check/", body)
    finally:
        connection.close()

    assert_problem(answer, 503, "transaction_conflict")
    assert int(answer["Retry-After"]) >= 1
    assert Counter.objects.get().pending_documents == -7
    assert Customer.objects.get().documents.count() == 1


def assert_unavailable(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert_problem(answer, 503, "database_unavailable")
    assert int(answer["Retry-After"]) >= 1
    (told,) = records(caplog)
    assert (told.levelno, told.exc_info is not None) == (logging.ERROR, True)
    assert str(told.exc_info[1]) not in answer.content.decode()
    caplog.clear()


@pytest.fixture
def signed_in(root: Caller) -> Caller:
    """Somebody whom the portal knows without its database."""
    client = APIClient()
    client.force_authenticate(root.user)
    return Caller(client=client)


def test_a_database_that_cannot_be_reached_or_may_only_be_read(
    root: Caller, signed_in: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    before, usual = everything_stored(), connection.settings_dict
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nowhere = {"HOST": "127.0.0.1", "PORT": closed.getsockname()[1]}
    if connection.vendor == "sqlite":
        nowhere = {"NAME": str(Path(__file__) / "file.sqlite3")}
    connection.close()
    connection.settings_dict = {**usual, **nowhere}

    try:
        for address in READS:
            assert_unavailable(signed_in.get(address), caplog)
        for write in WRITES:
            assert_unavailable(signed_in.request(*write), caplog)
        assert_unavailable(root.post("customers/acme/check/", {}), caplog)
        assert_problem(root.get("stats/nothing/"), 404, "not_found")
    finally:
        connection.close()
        connection.settings_dict = usual

    assert everything_stored() == before
    read_only = {
        "postgresql": "SET default_transaction_read_only = on",
        "mysql": "SET SESSION TRANSACTION READ ONLY",
        "sqlite": "PRAGMA query_only = ON",
    }
    with connection.cursor() as cursor:
        cursor.execute(read_only[connection.vendor])

    try:
        for address in READS:
            assert signed_in.get(address).status_code == 200
        for write in WRITES:
            assert_unavailable(signed_in.request(*write), caplog)
    finally:
        connection.close()

    assert everything_stored() == before


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.usefixtures("atomic_requests")
@pytest.mark.parametrize("body", [{}, {"document": "2"}])
def test_a_session_that_the_server_ended(
    signed_in: Caller, caplog: pytest.LogCaptureFixture, reach: Any, body: dict[str, str]
) -> None:
    def idle_for_too_long(user: User) -> Any:
        """In the midst of the request's transaction."""
        idle_until_ended(connection)
        return Customer.objects.all()

    reach(idle_for_too_long)
    before = everything_stored()

    try:
        answer = signed_in.post("customers/acme/check/", body)
    finally:
        connection.close()

    assert_unavailable(answer, caplog)
    assert everything_stored() == before


@pytest.mark.usefixtures("atomic_requests")
def test_where_a_request_is_a_transaction_an_error_undoes_all_of_it(
    root: Caller, reach: Any
) -> None:
    def writes_and_finds(customers: Any) -> Any:
        return lambda user: Group.objects.create(name="written by the portal") and customers

    before = everything_stored()

    reach(writes_and_finds(Customer.objects.none()))
    for body, status in (({}, 404), ({"document": 1}, 400), ({"document": "2"}, 404)):
        assert root.post("customers/acme/check/", body).status_code == status
        assert everything_stored() == before
        assert not Group.objects.exists()

    reach(writes_and_finds(Customer.objects.all()))
    assert root.post("customers/acme/check/", {}).status_code == 200
    assert Group.objects.exists()
    assert Counter.objects.get().pending_documents == -2
