"""A row that stays locked gives CounterBusy in time, and the host's session settings stay."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event

import pytest
from django.db import OperationalError, connection, transaction

from doc_priority import services
from doc_priority.counters import counters_of
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter
from doc_priority.services import transactions
from doc_priority.services.transactions import in_one_transaction
from doc_priority.types import Decision
from tests.concurrency.crowd import in_threads
from tests.databases import HOLD_COUNTERS, conflict, everything_stored, open_transaction

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]

LOCK_TIMEOUT_MS = 200
SLACK = 3
"""Seconds that a busy machine may take; the host's own limits in `host` are longer still."""


Call = Callable[[], object]
CALLS: dict[str, Call] = {
    "check": lambda: services.check("acme"),
    "check with a document": lambda: services.check("acme", document="D"),
    "check_many": lambda: services.check_many(["acme", "other"]),
    "check_many with documents": lambda: services.check_many([("acme", "E"), ("other", "E")]),
    "reset": lambda: services.reset("acme"),
    "reset_many": lambda: services.reset_many(["acme", "other"]),
    "pin": lambda: services.pin("acme", priority=2, until=datetime.now(UTC) + timedelta(hours=1)),
    "set_policy": lambda: services.set_policy("acme", policy="named"),
    "forget": lambda: services.forget("acme"),
}


@pytest.fixture(autouse=True)
def host(settings) -> Iterator[None]:
    """A session with settings of the host's own, two customers and a policy."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": LOCK_TIMEOUT_MS}
    for key in ("acme", "other"):
        services.check(key)
    services.create_policy(
        "named", reset_interval=10, recovery="idle", thresholds=[0, -1, -2, -3, -4, -5, -6, -7]
    )
    host_settings = {
        "postgresql": "SET lock_timeout = '12345ms'",
        "mysql": "SET innodb_lock_wait_timeout = 33, max_statement_time = 44, time_zone = '+05:00'",
        "sqlite": "PRAGMA busy_timeout = 43210",
    }
    with connection.cursor() as cursor:
        cursor.execute(host_settings[connection.vendor])
    yield
    connection.close()


def session_settings() -> tuple[object, ...]:
    read = {
        "postgresql": "SHOW lock_timeout",
        "mysql": "SELECT @@innodb_lock_wait_timeout, @@max_statement_time, @@time_zone",
        "sqlite": "PRAGMA busy_timeout",
    }
    with connection.cursor() as cursor:
        cursor.execute(read[connection.vendor])
        return cursor.fetchone()


def longest_wait(name: str = "") -> float:
    """MariaDB limits a single check to the millisecond; InnoDB's lock waits have whole seconds."""
    to_the_millisecond = connection.vendor != "mysql" or name in ("check", "check with a document")
    return (LOCK_TIMEOUT_MS / 1000 if to_the_millisecond else 1) + SLACK


def assert_busy_in_time(call: Call, *, longest: float) -> None:
    started = time.monotonic()
    with pytest.raises(CounterBusy, match=f"{LOCK_TIMEOUT_MS} ms") as raised:
        call()
    took = time.monotonic() - started
    assert raised.value.code == "counter_busy"
    assert LOCK_TIMEOUT_MS / 1000 * 0.9 < took < longest


@pytest.mark.parametrize("name", CALLS)
def test_a_counter_that_is_held(name: str) -> None:
    """The same call works once the row is free."""
    call, settings, before = CALLS[name], session_settings(), everything_stored()
    with open_transaction(HOLD_COUNTERS):
        assert_busy_in_time(call, longest=longest_wait(name))
        assert everything_stored() == before
        assert session_settings() == settings

    # Inside the host's transaction.
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

    call()
    assert everything_stored() != before
    assert session_settings() == settings
    if name == "check with a document":
        assert Counter.objects.get(customer="acme").pending_documents == -1


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_a_customer_that_is_held_or_somebody_else_is_making() -> None:
    """Either the call does not need the customer's row, or it gives up in time."""
    settings = session_settings()
    for name, call in CALLS.items():
        with open_transaction("SELECT * FROM doc_priority_customer FOR UPDATE"):
            started = time.monotonic()
            try:
                call()
            except CounterBusy:
                assert time.monotonic() - started < longest_wait(name), name
        assert session_settings() == settings, name

    services.check("acme")
    before = everything_stored()
    key = connection.ops.quote_name("key")
    make = f"INSERT INTO doc_priority_customer ({key}, name, created_at) VALUES ('new', '', 0)"
    for call in (
        lambda: services.check("new"),
        lambda: services.check("new", document="D"),
        lambda: services.check_many(["acme", "new"]),
        lambda: services.check_many([("acme", "D"), ("new", "D")]),
    ):
        with open_transaction(make):
            assert_busy_in_time(call, longest=longest_wait())
        assert everything_stored() == before


def test_a_document_somebody_else_is_keeping() -> None:
    """Their decision may yet be rolled back, so it cannot be returned."""
    before = everything_stored()
    settings = session_settings()
    false = "0" if connection.vendor == "sqlite" else "false"
    for document, name in (("D", "check with a document"), ("E", "check_many with documents")):
        keep = (
            "INSERT INTO doc_priority_documentdecision (customer_id, document, pending_documents,"
            " priority, pinned, reset, policy, decided_at)"
            f" VALUES ('acme', '{document}', 0, 1, {false}, {false}, '', 0)"
        )
        with open_transaction(keep):
            assert_busy_in_time(CALLS[name], longest=longest_wait())
        assert everything_stored() == before, name
        assert session_settings() == settings, name


def test_the_session_is_the_hosts_inside_its_transaction() -> None:
    settings = session_settings()
    for name, call in CALLS.items():
        with transaction.atomic():
            call()
            assert session_settings() == settings, name
            transaction.set_rollback(True)
        assert session_settings() == settings, name

    # A timeout of its transaction stays, too.
    for name, call in CALLS.items() if connection.vendor == "postgresql" else ():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '7s'")
            call()
            assert session_settings() == ("7s",), name
            if name == "check with a document":
                assert services.check("acme", document="D").repeated
                assert session_settings() == ("7s",)
            transaction.set_rollback(True)


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_nobody_waits_for_customers_of_others() -> None:
    """Also with a small table, which the database would rather read as a whole."""
    for customers in (2, 12):
        keys = [f"customer-{number:02}" for number in range(customers)]
        services.check_many([*keys, "acme", "zeta"])
        with open_transaction(f"{HOLD_COUNTERS} WHERE customer_id = 'zeta'"):
            services.check_many(keys)
            services.check_many([(key, f"D of {customers}") for key in keys])
            services.reset_many(keys)
            for call in CALLS.values():
                call()


@pytest.mark.sqlite
def test_on_sqlite_there_is_one_lock_for_all_who_write() -> None:
    """The host's transaction waits for the lock when it begins."""
    with open_transaction(f"{HOLD_COUNTERS} WHERE customer_id = 'acme'"):
        assert_busy_in_time(lambda: services.check("other"), longest=longest_wait())
        assert services.peek("other").pending_documents == 0

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 100")
    with open_transaction(HOLD_COUNTERS), pytest.raises(OperationalError), transaction.atomic():
        services.check("acme")


def test_who_waits_behind_others_gives_up_in_time(settings) -> None:
    """When the first waiter gives up, the second becomes the first, and goes on waiting."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 2000}

    def wait(call: Call, after: float) -> float:
        Event().wait(after)
        started = time.monotonic()
        with pytest.raises(CounterBusy, match="2000 ms"):
            call()
        return time.monotonic() - started

    names = ["check", "check with a document", "check_many", "reset_many"] * 2
    with open_transaction(HOLD_COUNTERS):
        works = [partial(wait, CALLS[name], place / 10) for place, name in enumerate(names)]
        waits = in_threads(works)
    # With a wait for its turn and another for the row, one would take almost four seconds.
    assert 1.8 < min(waits) <= max(waits) < 3.5, waits


def test_who_waited_is_counted_at_the_moment_of_its_turn(settings) -> None:
    """Not by the time when it began to wait: a customer's times never go back."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 5000}
    for call in (
        lambda: services.check("acme"),
        lambda: services.check("acme", document="D"),
        lambda: services.check_many(["acme"])[0],
    ):
        held = Event()

        def hold(held: Event = held) -> datetime:
            with open_transaction(HOLD_COUNTERS):
                held.set()
                Event().wait(0.2)
                return datetime.now(UTC)

        def wait_for_its_turn(held: Event = held, call: Callable[[], Decision] = call) -> datetime:
            held.wait(5)
            return call().decided_at

        released, counted = in_threads([hold, wait_for_its_turn])
        a_tick = timedelta(milliseconds=1)  # of SQLite's clock, which tells no less
        assert released - a_tick < counted


def test_a_call_begins_again_after_pauses_and_never_in_a_transaction_of_the_hosts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[int] = []
    """Before which attempts there was one."""
    monkeypatch.setattr(transactions, "pause_before", pauses.append)
    obstacles = [conflict] * 3

    def check_and_meet() -> None:
        services.check("acme")
        if obstacles:
            obstacles.pop()()

    in_one_transaction(check_and_meet)
    assert pauses == [2, 3, 4]
    assert Counter.objects.get(customer="acme").pending_documents == -1

    # The first call of a thread, too, begins again.
    obstacles = [conflict]
    in_threads([lambda: in_one_transaction(check_and_meet)], prepare=lambda: None)
    assert pauses[-1] == 2
    assert Counter.objects.get(customer="acme").pending_documents == -2

    # There is a pause before counters are made.
    pauses.clear()
    services.check_many(["new"])
    services.check_many(["new"])
    assert pauses == [0, 1, 0]

    # Who commits by hand is told of a conflict.
    pauses.clear()
    transaction.set_autocommit(False)
    try:
        with pytest.raises(TransactionConflict):
            in_one_transaction(conflict)
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)
    assert pauses == []


def test_longer_and_longer_and_never_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random, up to a limit that doubles; a new call begins without a pause."""
    drawn: list[tuple[float, float]] = []
    slept: list[float] = []

    def longest(least: float, most: float) -> float:
        drawn.append((least, most))
        return most

    monkeypatch.setattr(transactions.random, "uniform", longest)
    monkeypatch.setattr(transactions.time, "sleep", slept.append)
    for attempt in range(10):
        transactions.pause_before(attempt)
    assert slept == pytest.approx([0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.1, 0.1])
    assert [least for least, _ in drawn] == [0] * len(slept)


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_the_drivers_errors_that_mean_busy_or_a_conflict() -> None:
    """psycopg tells the state, and its forerunner did by another name; MariaDB has numbers."""
    counters = counters_of(connection)

    def postgresqls_error(**state: str) -> OperationalError:
        error = OperationalError("could not serialize access")
        error.__cause__ = type("DriversError", (Exception,), state)()
        return error

    if connection.vendor == "mysql":
        # A deadlock, an outdated snapshot, an id that a deadlock kept from being given, and a
        # customer deleted while it was counted.
        conflicts = [OperationalError(code, "Deadlock found") for code in (1213, 1020, 1467, 1452)]
        busy = []
    else:
        conflicts = [postgresqls_error(sqlstate=state) for state in ("40001", "40P01", "23503")]
        busy = [postgresqls_error(sqlstate="55P03"), postgresqls_error(pgcode="55P03")]
    for error in conflicts:
        assert counters.is_conflict(error)
        assert not counters.is_busy(error)
    for error in busy:
        assert counters.is_busy(error)
        assert not counters.is_conflict(error)
