"""A call that waits for others decides by what they have committed."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import SimpleQueue
from threading import Event as Signal
from typing import Any

import pytest
from django.db import connection, connections, transaction

from doc_priority import services
from doc_priority.exceptions import DocPriorityError, PolicyInUse, PolicyNotFound
from doc_priority.models import Customer, Event
from tests.databases import another_session

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]

DEADLINE = 30

Call = Callable[..., Any]
CHECKS: tuple[Call, ...] = (
    lambda: services.check("r1"),
    lambda: services.check("r1", document="D"),
    lambda: services.check_many(["a", "r1"])[1],
    lambda: services.check_many([("a", "E"), ("r1", "E")])[1],
)


@pytest.fixture(autouse=True)
def customers(settings: Any) -> None:
    """Two customers under the default policy, at priority 5, and two more policies."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 10_000}
    services.check_many(["a", "r1"] * 10)
    gold = range(-20, -28, -1)
    services.create_policy("gold", reset_interval=1500, recovery="idle", thresholds=gold)
    services.create_policy(
        "iron", reset_interval=1500, recovery="idle", thresholds=range(-1, -9, -1)
    )


def begin(call: Call, *, statement: str = "") -> Future[Any]:
    """Begin it in a thread and session of its own; come back when it waits for somebody's lock.

    Or has ended. SQLite tells nobody who waits for its one lock. An error of ours is a result.
    """
    sessions: SimpleQueue[Any] = SimpleQueue()
    own = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}

    def in_a_session_of_its_own() -> Any:
        try:
            with connection.cursor() as cursor:
                for sql in filter(None, [statement, own.get(connection.vendor)]):
                    cursor.execute(sql)
                sessions.put(None if connection.vendor == "sqlite" else cursor.fetchone())
            return call()
        except DocPriorityError as error:
            return type(error)
        finally:
            connections.close_all()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(in_a_session_of_its_own)
    pool.shutdown(wait=False)
    session = sessions.get(timeout=DEADLINE)
    if session is None:
        return future
    latest = time.monotonic() + DEADLINE
    with another_session() as other, other.cursor() as cursor:
        while not future.done() and not waits_for_a_lock(cursor, *session):
            assert time.monotonic() < latest, "the call neither waits nor ends"
            Signal().wait(0.02)
    return future


def waits_for_a_lock(cursor: Any, session: int) -> bool:
    """By the server's current state: MariaDB's table `innodb_trx` is a copy, which may be old."""
    if connection.vendor == "postgresql":
        cursor.execute("SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s", [session])
        return cursor.fetchone() == ("Lock",)
    cursor.execute("SHOW ENGINE INNODB STATUS")
    _, _, status = cursor.fetchone()
    transactions = status.split("---TRANSACTION")
    return any("LOCK WAIT" in one and f"thread id {session}," in one for one in transactions)


def meanwhile(first: Call, call: Call, *, statement: str = "") -> Any:
    """Let `call` wait for a transaction that has done `first` and then commits."""
    with transaction.atomic():
        first()
        waiting = begin(call, statement=statement)
    return waiting.result(DEADLINE)


def give(policy: str | None) -> Call:
    return lambda: services.set_policy("r1", policy=policy)


def replaced_policies() -> list[tuple[str, str]]:
    events = Event.objects.filter(customer="r1", kind=Event.Kind.POLICY).order_by("pk")
    return [(event.before["policy"], event.after["policy"]) for event in events]


@pytest.fixture(params=["usual isolation", "repeatable read"])
def statement(request: pytest.FixtureRequest) -> str:
    """The first statements in the session of the call that waits."""
    repeatable_read = {
        "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "mysql": "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    }
    return repeatable_read.get(connection.vendor, "") if request.param != "usual isolation" else ""


def test_a_rename_keeps_the_policy_that_somebody_gives_meanwhile(statement: str) -> None:
    """Also when others take the policy away."""
    rename = partial(services.change_customer, "r1", name="Renamed")
    decision = meanwhile(give("gold"), rename, statement=statement)
    customer = Customer.objects.get(key="r1")
    assert (customer.name, customer.policy.name, decision.policy) == ("Renamed", "gold", "gold")
    assert replaced_policies() == [("", "gold")]

    def take_away() -> None:
        services.set_policy("r1", policy=None)
        services.delete_policy("gold")

    rename = partial(services.change_customer, "r1", name="Renamed again")
    assert meanwhile(take_away, rename, statement=statement).policy == ""
    assert Customer.objects.get(key="r1").name == "Renamed again"


def test_who_gives_a_policy_last_has_the_last_word(statement: str) -> None:
    for last in ("iron", None):
        services.set_policy("r1", policy=None)
        Event.objects.all().delete()
        decision = meanwhile(give("gold"), give(last), statement=statement)
        assert decision.policy == (last or "")
        assert replaced_policies() == [("", "gold"), ("gold", last or "")]
        assert Customer.objects.filter(key="r1", policy__name=last).exists()

    # An event tells the policy that was replaced.
    for add in ({"policy": "iron"}, {"policy": ""}, {"name": "Renamed", "policy": "iron"}):
        services.set_policy("r1", policy=None)
        Event.objects.all().delete()
        meanwhile(give("gold"), partial(services.change_customer, "r1", **add))
        assert replaced_policies() == [("", "gold"), ("gold", add["policy"])]


def test_a_call_is_judged_by_the_policy_given_meanwhile(statement: str) -> None:
    until = datetime.now(UTC) + timedelta(hours=1)
    for call in (
        *CHECKS,
        lambda: services.pin_many(["a", "r1"], priority=7, until=until)[1],
        lambda: services.reset_many(["a", "r1"])[1],
    ):
        services.set_policy("r1", policy=None)
        assert meanwhile(give("gold"), call, statement=statement).policy == "gold"


def test_a_check_is_judged_by_thresholds_that_are_changed_meanwhile() -> None:
    for call in CHECKS:
        services.set_policy("r1", policy="gold")
        services.change_policy("gold", thresholds=range(-20, -28, -1))

        def change() -> None:
            services.check("r1")
            services.change_policy("gold", thresholds=range(0, -8, -1))

        assert services.peek("r1").priority == 1
        assert meanwhile(change, call).priority == 9


def test_a_policy_is_used_and_deleted_at_the_same_time() -> None:
    """A policy in use by an open transaction is not deleted; one deleted there cannot be used."""
    delete = partial(services.delete_policy, "gold")
    for use in (partial(services.create_customer, "new", policy="gold"), give("gold")):
        assert meanwhile(use, delete) is PolicyInUse
    assert Customer.objects.filter(policy__name="gold").count() == 2

    services.forget("new")
    services.set_policy("r1", policy=None)
    create = partial(services.create_customer, "new", policy="gold")
    assert meanwhile(delete, create) is PolicyNotFound
    assert not Customer.objects.filter(key="new").exists()


@pytest.mark.mariadb
def test_customers_and_counters_are_locked_in_one_order(caplog: pytest.LogCaptureFixture) -> None:
    """A check locks the customer, by a foreign key, and then the counter."""
    check = partial(services.check, "r1")
    for call, beginning, other in [
        (give("gold"), "UPDATE `doc_priority_customer`", check),
        (
            lambda: services.check_many([("a", "D"), ("r1", "D")]),
            "INSERT INTO `doc_priority_documentdecision`",
            give("iron"),
        ),
        (lambda: services.forget("r1"), "DELETE FROM `doc_priority_customer`", check),
    ]:
        others: list[Future[Any]] = []

        def execute(
            run: Call, sql: str, *rest: Any, others=others, beginning=beginning, other=other
        ) -> Any:
            """The other begins before this session's first statement of this kind."""
            if not others and beginning in sql:
                others.append(begin(other))
            return run(sql, *rest)

        with caplog.at_level("INFO", "doc_priority"), connection.execute_wrapper(execute):
            call()
        assert others, f"no statement has {beginning!r}"
        assert others[0].result(DEADLINE).customer == "r1"
        assert "Beginning again after a conflict" not in caplog.text
