"""SQLite's write lock: how long statements wait for it, and when they take it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest
from django.db import OperationalError, connection, transaction

from doc_priority import services
from doc_priority.counters import sqlite
from doc_priority.counters.sqlite import ADD_CUSTOMERS, FOUND, TAKE_WRITE_LOCK
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter, Customer
from tests.databases import HOLD_COUNTERS, another_session, count_elsewhere, open_transaction

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]


@pytest.fixture(autouse=True)
def own_connection() -> Iterator[None]:
    """A new connection for each test, so that its settings end with it."""
    connection.close()
    yield
    connection.close()


@pytest.fixture
def deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django's default transactions, which take the lock with their first write."""
    monkeypatch.delitem(connection.settings_dict["OPTIONS"], "transaction_mode")


def test_a_statement_waits_as_long_as_the_shorter_of_both_limits(
    settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection without a timeout of its own waits five seconds."""
    seen: list[int] = []

    def busy_timeout() -> int:
        connection.ensure_connection()
        return int(connection.connection.execute("PRAGMA busy_timeout").fetchone()[0])

    def look(execute, *statement):
        seen.append(busy_timeout())
        return execute(*statement)

    for of_the_host, of_ours, waits in [
        *((10, 2000, 2000), (1, 2000, 1000)),
        *((4.999, 5000, 4999), (None, 6000, 5000)),
    ]:
        connection.close()
        if of_the_host is None:
            monkeypatch.delitem(connection.settings_dict["OPTIONS"], "timeout")
        else:
            monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", of_the_host)
        settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": of_ours}
        before = busy_timeout()
        seen.clear()
        with connection.execute_wrapper(look):
            services.check("acme")
        assert set(seen) == {waits}
        assert busy_timeout() == before

    # A lock that may take several waits, as on PostgreSQL, is waited for in shares.
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 1000}
    monkeypatch.setattr(sqlite, "WAITS_FOR_ONE_LOCK", 2)
    pending = services.peek("acme").pending_documents
    seen.clear()
    started = monotonic()
    with (
        open_transaction(HOLD_COUNTERS),
        connection.execute_wrapper(look),
        pytest.raises(CounterBusy, match="1000 ms"),
    ):
        services.check("acme")
    assert 0.9 < monotonic() - started < 3
    assert seen[0] == 500
    assert 0 < seen[1] <= 250
    assert sum(seen) < 1010
    assert services.check("acme").pending_documents == pending - 1


@pytest.mark.usefixtures("deferred")
def test_what_is_read_to_be_counted_is_locked() -> None:
    """And a call that reads a policy takes the write lock first."""
    services.check("acme")
    tried = []

    def try_to_count(execute, sql, *rest):
        found = execute(sql, *rest)
        if sql == FOUND:
            with another_session() as other, other.cursor() as cursor:
                cursor.execute("PRAGMA busy_timeout = 0")
                with pytest.raises(OperationalError, match="locked"):
                    cursor.execute(HOLD_COUNTERS)
            tried.append(sql)
        return found

    with connection.execute_wrapper(try_to_count):
        services.check_many(["acme"])
    assert tried
    assert Counter.objects.get().pending_documents == -1

    services.create_policy("gold", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    for call in (
        lambda: services.set_policy("acme", policy="gold"),
        lambda: services.create_customer("new", policy="gold"),
    ):
        statements: list[str] = []

        def look(execute, sql, *rest, statements=statements):
            statements.append(sql)
            return execute(sql, *rest)

        with connection.execute_wrapper(look):
            call()
        reading = next(sql for sql in statements if "doc_priority_policy" in sql)
        assert statements.index(TAKE_WRITE_LOCK) < statements.index(reading)


@pytest.mark.usefixtures("deferred")
def test_a_conflict_in_the_hosts_transaction_is_named() -> None:
    """After it has read and others have written, SQLite lets it write no more."""

    def after_others_counted(call) -> None:
        with transaction.atomic():
            assert Counter.objects.get().pending_documents == 0
            count_elsewhere()
            call()

    services.check("acme")
    for call in (
        lambda: services.check("acme"),
        lambda: services.check("acme", document="D"),
        lambda: services.check_many(["acme"]),
        lambda: services.reset("acme"),
    ):
        services.reset("acme")
        with pytest.raises(TransactionConflict) as raised:
            after_others_counted(call)
        assert raised.value.code == "transaction_conflict"
        assert Counter.objects.get().pending_documents == -7
        call()


def test_customers_are_made_and_locked_in_the_order_of_their_keys() -> None:
    """So that on databases with row locks no two calls wait for each other."""
    asked: dict[str, list[list[str]]] = {FOUND: [], ADD_CUSTOMERS: []}

    def look(execute, sql, params, *rest):
        if sql in asked:
            asked[sql].append(json.loads(params["keys"]))
        return execute(sql, params, *rest)

    unordered = ["zeta", "acme", "mill", "birch"]
    services.check_many(["birch", "zeta"])
    with connection.execute_wrapper(look):
        services.check_many([*unordered, "dune"])
        assert asked[ADD_CUSTOMERS] == [["acme", "dune", "mill"]]
        for call in (
            lambda: services.check_many(unordered),
            lambda: services.check_many([(key, "D") for key in unordered]),
            lambda: services.reset_many(unordered),
        ):
            looks = len(asked[FOUND])
            call()
            assert len(asked[FOUND]) > looks
    assert all(keys == sorted(keys) for keys in asked[FOUND])

    # A customer's counter is not a new one any more when somebody else counts first.
    Customer.objects.all().delete()
    others: list[str] = []
    begin = datetime(2030, 5, 1, 9, tzinfo=UTC)
    hour = timedelta(hours=1)

    def count_meanwhile(execute, *statement):
        result = execute(*statement)
        if not others:
            others.append("counted")
            services.check("acme", at=begin)
        return result

    with connection.execute_wrapper(count_meanwhile):
        decision = services.check("acme", at=begin + hour)
    assert (decision.pending_documents, decision.reset) == (0, True)
    assert Counter.objects.get().updated_at == begin + hour
