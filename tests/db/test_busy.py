"""A row that others hold too long gives CounterBusy in time, and the host's session is its own."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event

import pytest
from django.db import OperationalError, connection, transaction

from doc_priority import services
from doc_priority.exceptions import CounterBusy
from doc_priority.models import Counter
from doc_priority.types import Decision
from tests.concurrency.crowd import in_threads
from tests.sessions import HOLD_COUNTERS, open_transaction
from tests.stored import everything_stored

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

LOCK_TIMEOUT_MS = 200
SLACK = 0.5

HOLD_CUSTOMER = "SELECT * FROM doc_priority_customer FOR UPDATE"

HOST_SETTINGS = {
    "postgresql": "SET lock_timeout = '12345ms'",
    "mysql": "SET innodb_lock_wait_timeout = 33, max_statement_time = 44, time_zone = '+05:00'",
    "sqlite": "PRAGMA busy_timeout = 4321",
}
READ_SETTINGS = {
    "postgresql": "SHOW lock_timeout",
    "mysql": "SELECT @@innodb_lock_wait_timeout, @@max_statement_time, @@time_zone",
    "sqlite": "PRAGMA busy_timeout",
}

CALLS: dict[str, Callable[[], object]] = {
    "check": lambda: services.check("acme"),
    "check with a document": lambda: services.check("acme", document="D"),
    "check_many": lambda: services.check_many(["acme", "other"]),
    "check_many with documents": lambda: services.check_many([("acme", "D"), ("other", "D")]),
    "reset": lambda: services.reset("acme"),
    "reset_many": lambda: services.reset_many(["acme", "other"]),
    "pin": lambda: services.pin("acme", priority=2, until=datetime.now(UTC) + timedelta(hours=1)),
    "set_policy": lambda: services.set_policy("acme", policy="named"),
    "forget": lambda: services.forget("acme"),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
SINGLE_CHECKS = [CALLS["check"], CALLS["check with a document"]]


@pytest.fixture(autouse=True)
def host(settings) -> Iterator[None]:
    """A session with settings of the host's own, two customers and a policy."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": LOCK_TIMEOUT_MS}
    for key in ("acme", "other"):
        services.check(key)
    services.create_policy(
        "named", reset_interval=10, recovery="idle", thresholds=[0, -1, -2, -3, -4, -5, -6, -7]
    )
    with connection.cursor() as cursor:
        cursor.execute(HOST_SETTINGS[connection.vendor])
    yield
    connection.close()


def session_settings() -> tuple[object, ...]:
    with connection.cursor() as cursor:
        cursor.execute(READ_SETTINGS[connection.vendor])
        return cursor.fetchone()


def longest_wait(call: Callable[[], object]) -> float:
    """On MariaDB the single check is bounded to the millisecond."""
    return LOCK_TIMEOUT_MS / 1000 + SLACK if call in SINGLE_CHECKS else longest_of_others()


def longest_of_others() -> float:
    """InnoDB counts its waits in whole seconds."""
    return (1 if connection.vendor == "mysql" else LOCK_TIMEOUT_MS / 1000) + SLACK


def assert_busy_in_time(call: Callable[[], object], *, longest: float) -> None:
    started = time.monotonic()
    with pytest.raises(CounterBusy, match="200 ms") as raised:
        call()
    took = time.monotonic() - started
    assert raised.value.code == "counter_busy"
    assert LOCK_TIMEOUT_MS / 1000 * 0.9 < took < longest


@every_call
def test_a_counter_that_is_held(call: Callable[[], object]) -> None:
    before = everything_stored()
    settings = session_settings()
    with open_transaction(HOLD_COUNTERS):
        assert_busy_in_time(call, longest=longest_wait(call))
        assert everything_stored() == before
        assert session_settings() == settings
    call()
    assert everything_stored() != before
    assert session_settings() == settings


@every_call
def test_a_counter_that_is_held_inside_the_hosts_transaction(call: Callable[[], object]) -> None:
    before = everything_stored()
    settings = session_settings()
    if connection.vendor == "sqlite":
        # The host's transaction takes the write lock itself, so nobody else can hold it.
        with transaction.atomic():
            call()
            transaction.set_rollback(True)
    else:
        with open_transaction(HOLD_COUNTERS), pytest.raises(CounterBusy), transaction.atomic():
            call()
    assert everything_stored() == before
    assert session_settings() == settings


@pytest.mark.postgresql
@pytest.mark.mariadb
@every_call
def test_a_customer_that_is_held(call: Callable[[], object]) -> None:
    """Either the call does not need the customer's row, or it gives up in time."""
    settings = session_settings()
    with open_transaction(HOLD_CUSTOMER):
        started = time.monotonic()
        try:
            call()
        except CounterBusy:
            assert time.monotonic() - started < longest_wait(call)
    assert session_settings() == settings


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.parametrize(
    "call",
    [
        lambda: services.check("new"),
        lambda: services.check("new", document="D"),
        lambda: services.check_many(["acme", "new"]),
        lambda: services.check_many([("acme", "D"), ("new", "D")]),
    ],
    ids=["check", "check with a document", "check_many", "check_many with documents"],
)
def test_a_customer_somebody_else_is_making(call: Callable[[], object]) -> None:
    before = everything_stored()
    key = connection.ops.quote_name("key")
    make = f"INSERT INTO doc_priority_customer ({key}, name, created_at) VALUES ('new', '', 0)"
    with open_transaction(make):
        assert_busy_in_time(call, longest=longest_wait(call))
    assert everything_stored() == before


@pytest.mark.parametrize(
    "call",
    [CALLS["check with a document"], CALLS["check_many with documents"]],
    ids=["check", "check_many"],
)
def test_a_document_somebody_else_is_keeping(call: Callable[[], object]) -> None:
    """Their decision may yet be taken back, so nobody can be told of it."""
    before = everything_stored()
    keep = (
        "INSERT INTO doc_priority_documentdecision (customer_id, document, pending_documents,"
        " priority, pinned, reset, policy, decided_at) VALUES ('acme', 'D', 0, 1, {0}, {0}, '', 0)"
    ).format("0" if connection.vendor == "sqlite" else "false")
    settings = session_settings()
    with open_transaction(keep):
        assert_busy_in_time(call, longest=longest_of_others())
    assert everything_stored() == before
    assert session_settings() == settings


def test_the_session_is_the_hosts_inside_its_transaction() -> None:
    settings = session_settings()
    for call in CALLS.values():
        with transaction.atomic():
            call()
            assert session_settings() == settings
            transaction.set_rollback(True)
        assert session_settings() == settings


@pytest.mark.postgresql
def test_a_timeout_of_the_hosts_transaction_stays_when_a_document_comes_again() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '7s'")
        decisions = [services.check("acme", document="D") for _ in range(2)]
        assert [one.repeated for one in decisions] == [False, True]
        assert session_settings() == ("7s",)


@pytest.mark.postgresql
def test_a_timeout_of_the_hosts_transaction_stays() -> None:
    for call in CALLS.values():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '7s'")
            call()
            assert session_settings() == ("7s",)
            transaction.set_rollback(True)


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.parametrize("customers", [2, 12])
def test_nobody_waits_for_customers_of_others(customers: int) -> None:
    """Also where the table is so small that the database would rather read all of it."""
    keys = [f"customer-{number:02}" for number in range(customers)]
    services.check_many([*keys, "zeta"])
    with open_transaction(f"{HOLD_COUNTERS} WHERE customer_id = 'zeta'"):
        services.check_many(keys)
        services.check_many([(key, "D") for key in keys])
        services.reset_many(keys)
        for call in CALLS.values():
            call()


@pytest.mark.sqlite
def test_on_sqlite_there_is_one_lock_for_all_who_write() -> None:
    with open_transaction(f"{HOLD_COUNTERS} WHERE customer_id = 'acme'"):
        assert_busy_in_time(lambda: services.check("other"), longest=longest_of_others())
        assert services.peek("other").pending_documents == 0


@pytest.mark.sqlite
def test_on_sqlite_the_hosts_transaction_waits_where_it_begins() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 100")
    with open_transaction(HOLD_COUNTERS), pytest.raises(OperationalError), transaction.atomic():
        services.check("acme")


@pytest.mark.parametrize(
    "call",
    [CALLS["check"], CALLS["check with a document"], CALLS["check_many"], CALLS["reset_many"]],
    ids=["check", "check with a document", "check_many", "reset_many"],
)
def test_who_waits_behind_others_gives_up_in_time(call: Callable[[], object], settings) -> None:
    """The second comes to the head of the queue when the first gives up; its wait goes on."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 1000}

    def wait_for(after: float) -> float:
        Event().wait(after)
        started = time.monotonic()
        with pytest.raises(CounterBusy, match="1000 ms"):
            call()
        return time.monotonic() - started

    with open_transaction(HOLD_COUNTERS):
        waits = in_threads([partial(wait_for, place / 10) for place in range(4)])
    assert 0.9 < min(waits) <= max(waits) < 1 + SLACK


@pytest.mark.parametrize(
    "call",
    [
        lambda: services.check("acme"),
        lambda: services.check("acme", document="D"),
        lambda: services.check_many(["acme"])[0],
    ],
    ids=["check", "check with a document", "check_many"],
)
def test_who_waited_is_counted_at_the_moment_of_its_turn(
    call: Callable[[], Decision], settings
) -> None:
    """Not at the moment it began to wait: a customer's times never go back."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 5000}
    held = Event()

    def hold() -> datetime:
        with open_transaction(HOLD_COUNTERS):
            held.set()
            Event().wait(0.3)
            return datetime.now(UTC)

    def wait_for_its_turn() -> datetime:
        held.wait(5)
        return call().decided_at

    released, counted = in_threads([hold, wait_for_its_turn])
    a_tick = timedelta(milliseconds=1)  # of SQLite's clock, which tells no less
    assert released - a_tick < counted


def test_the_same_call_works_once_the_row_is_free() -> None:
    with open_transaction(HOLD_COUNTERS):
        call = CALLS["check with a document"]
        assert_busy_in_time(call, longest=longest_wait(call))
    assert services.check("acme", document="D").pending_documents == -1
    assert Counter.objects.get(customer="acme").pending_documents == -1
