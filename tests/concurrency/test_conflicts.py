"""Transactions the database gives up: repeated when they are the app's, told when the host's."""

from collections.abc import Callable, Iterator
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction

from doc_priority import services
from doc_priority.exceptions import TransactionConflict
from doc_priority.models import Counter, Customer, DocumentDecision
from doc_priority.services.transactions import together
from doc_priority.types import Decision
from tests.concurrency.counting import Counted, assert_counted_exactly
from tests.concurrency.crowd import in_threads
from tests.sessions import count_elsewhere
from tests.stored import everything_stored

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

THREADS = 16
CALLS = 12

Work = Callable[[int], list[Decision]]


def single(_thread: int) -> list[Decision]:
    return [services.check("acme") for _ in range(CALLS)]


def named(thread: int) -> list[Decision]:
    return [services.check("acme", document=f"{thread}-{number}") for number in range(CALLS)]


def shared(_thread: int) -> list[Decision]:
    return [services.check("acme", document=f"D-{number}") for number in range(CALLS)]


def many(_thread: int) -> list[Decision]:
    return [
        decision
        for _ in range(CALLS)
        for decision in services.check_many(["zeta", "acme", "zeta", "beta"])
    ]


def many_shared(thread: int) -> list[Decision]:
    """Documents that other threads name too, of customers in another order."""
    keys = ["acme", "beta", "zeta"][:: 1 if thread % 2 else -1]
    return [
        decision
        for number in range(CALLS)
        for decision in services.check_many([(key, f"D-{number}") for key in keys])
    ]


def within_one_transaction(_thread: int) -> list[Decision]:
    """As the admin's corrections and the queues' adapters do what belongs together."""
    return [together(lambda: services.check("acme")) for _ in range(CALLS)]


WORKS = [single, named, shared, many, many_shared, within_one_transaction]


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def set_isolation(level: str) -> None:
    whose = {"postgresql": "SESSION CHARACTERISTICS AS", "mysql": "SESSION"}[connection.vendor]
    run(f"SET {whose} TRANSACTION ISOLATION LEVEL {level}")


def set_snapshot_isolation() -> None:
    """As it is by default from MariaDB 11.6.2 on."""
    set_isolation("REPEATABLE READ")
    run("SET SESSION innodb_snapshot_isolation = ON")


READ_COMMITTED = pytest.param(partial(set_isolation, "READ COMMITTED"), id="read committed")
REPEATABLE_READ = pytest.param(partial(set_isolation, "REPEATABLE READ"), id="repeatable read")
SERIALIZABLE = pytest.param(partial(set_isolation, "SERIALIZABLE"), id="serializable")


def assert_all_counted(work: Work, prepare: Callable[[], None]) -> None:
    decided = in_threads([partial(work, thread) for thread in range(THREADS)], prepare=prepare)
    counted = [one for decisions in decided for one in decisions if not one.repeated]
    assert_counted_exactly(map(Counted.by, counted))
    repeats = THREADS if work in (shared, many_shared) else 1
    assert len(counted) == sum(map(len, decided)) / repeats


@pytest.fixture
def patience(settings: Any) -> None:
    """So many at once take turns for longer on a busy machine than a portal would wait."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 20_000}


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("prepare", [READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE])
@pytest.mark.parametrize("work", WORKS)
def test_on_a_hot_row_every_call_succeeds(work: Work, prepare: Callable[[], None]) -> None:
    assert_all_counted(work, prepare)


@pytest.mark.mariadb
@pytest.mark.parametrize("work", WORKS)
def test_under_snapshot_isolation_every_call_succeeds(work: Work) -> None:
    assert_all_counted(work, set_snapshot_isolation)


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.parametrize("prepare", [READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE])
def test_resets_of_a_hot_row_succeed(prepare: Callable[[], None]) -> None:
    services.check_many(["acme", "beta", "zeta"])

    def resets(_thread: int) -> None:
        for _ in range(CALLS):
            services.reset_many(["zeta", "acme", "beta"])
            services.check_many(["beta", "acme"])

    in_threads([partial(resets, thread) for thread in range(THREADS // 2)], prepare=prepare)
    services.reset_many(["zeta", "acme", "beta"])
    assert set(Counter.objects.values_list("pending_documents", flat=True)) == {0}


CALLED: dict[str, Callable[[str], object]] = {
    "check": services.check,
    "check with a document": lambda key: services.check(key, document="D"),
    "check_many": lambda key: services.check_many([key]),
    "check_many with documents": lambda key: services.check_many([(key, "E")]),
    "reset": services.reset,
}
every_call = pytest.mark.parametrize("call", CALLED.values(), ids=CALLED)


@pytest.fixture
def own_session() -> Iterator[None]:
    """What a test sets in its session ends with it."""
    yield
    connection.close()


def call_after_others_counted(call: Callable[[str], object]) -> None:
    with transaction.atomic():
        assert Counter.objects.get().pending_documents == 0
        services.check("beta", document="D")
        count_elsewhere()
        call("acme")


def assert_conflict(call: Callable[[str], object]) -> None:
    """In the host's transaction nothing is repeated, and nothing of it stays."""
    services.check("acme")
    with pytest.raises(TransactionConflict) as raised:
        call_after_others_counted(call)
    assert raised.value.code == "transaction_conflict"
    assert Counter.objects.get().pending_documents == -7
    assert not DocumentDecision.objects.exists()
    call("acme")


@pytest.mark.postgresql
@pytest.mark.usefixtures("own_session")
@pytest.mark.parametrize("prepare", [REPEATABLE_READ, SERIALIZABLE])
@every_call
def test_a_conflict_in_the_hosts_transaction(
    call: Callable[[str], object], prepare: Callable[[], None]
) -> None:
    prepare()
    assert_conflict(call)


@pytest.mark.mariadb
@pytest.mark.usefixtures("own_session")
@every_call
def test_a_conflict_under_snapshot_isolation(call: Callable[[str], object]) -> None:
    set_snapshot_isolation()
    assert_conflict(call)


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.usefixtures("own_session")
@pytest.mark.parametrize("prepare", [READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE])
@pytest.mark.parametrize(
    "call",
    [CALLED["check with a document"], CALLED["check_many with documents"]],
    ids=["check", "check_many"],
)
def test_a_document_others_decided_since_the_hosts_transaction_began(
    call: Callable[[str], object], prepare: Callable[[], None]
) -> None:
    """The host's snapshot is older than the decision: it is found, or the host is told."""
    prepare()
    services.check("acme")
    try:
        with transaction.atomic():
            assert not Customer.objects.filter(key="nobody").exists()
            in_threads([lambda: services.check_many([("acme", "D"), ("acme", "E")])])
            call("acme")
    except TransactionConflict:
        call("acme")
    assert Counter.objects.get().pending_documents == -2
    assert DocumentDecision.objects.count() == 2


def in_opposite_orders(call: Callable[[str], object]) -> list[str]:
    """Two hosts' transactions that take two customers crosswise; how each of them ended."""
    meeting = Barrier(2)

    def host(first: str, second: str) -> str:
        try:
            with transaction.atomic():
                call(first)
                meeting.wait(10)
                call(second)
        except TransactionConflict as conflict:
            return conflict.code
        return "committed"

    return in_threads([partial(host, "left", "right"), partial(host, "right", "left")])


@pytest.mark.postgresql
@pytest.mark.mariadb
@every_call
def test_a_deadlock_of_two_hosts(call: Callable[[str], object]) -> None:
    """No other test has these customers: where MariaDB removed a row, the next one is locked."""
    services.check_many(["left", "right", "left", "right"])
    before = everything_stored()
    assert sorted(in_opposite_orders(call)) == ["committed", "transaction_conflict"]
    assert len(set(Counter.objects.values_list("pending_documents", flat=True))) == 1
    assert everything_stored() != before
