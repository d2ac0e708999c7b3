"""What others commit while a call waits for them is what the call decides by."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
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
from tests.sessions import another_session

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

DEADLINE = timedelta(seconds=30)
BETWEEN_LOOKS = 0.15
"""MariaDB renews its list of transactions only when nobody has read it for a tenth of a second."""
OWN_SESSION = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}
WAITS = {
    "postgresql": "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
    "mysql": "SELECT 1 FROM information_schema.innodb_trx"
    " WHERE trx_mysql_thread_id = %s AND trx_state = 'LOCK WAIT'",
}
ISOLATION = {
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "mysql": "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
}

Call = Callable[[], Any]


@pytest.fixture(autouse=True)
def customers(settings: Any) -> None:
    """Two customers under the default policy, at priority 5, and two policies they could have."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 10_000}
    services.check_many(["a", "r1"] * 10)
    gold = range(-20, -28, -1)
    services.create_policy("gold", reset_interval=1500, recovery="idle", thresholds=gold)
    services.create_policy(
        "iron", reset_interval=1500, recovery="idle", thresholds=range(-1, -9, -1)
    )


class Waiting:
    """A call in a thread and session of its own, watched until it waits for somebody's lock."""

    def __init__(self, call: Call, *, statement: str = "") -> None:
        self._pool = ThreadPoolExecutor(1)
        self._session: SimpleQueue[Any] = SimpleQueue()
        self.future: Future[Any] = self._pool.submit(self._call, call, statement)

    def _call(self, call: Call, statement: str) -> Any:
        try:
            with connection.cursor() as cursor:
                for sql in filter(None, [statement, OWN_SESSION.get(connection.vendor)]):
                    cursor.execute(sql)
                session = cursor.fetchone() if connection.vendor in OWN_SESSION else None
            self._session.put(session)
            return call()
        finally:
            connections.close_all()

    def until_it_waits(self) -> None:
        """Come back when it waits or has ended. SQLite tells nobody who waits for its one lock."""
        session = self._session.get(timeout=DEADLINE.total_seconds())
        if session is None:
            return
        latest = datetime.now(UTC) + DEADLINE
        with another_session() as other, other.cursor() as cursor:
            while not self.future.done():
                assert datetime.now(UTC) < latest, "the call neither waits nor ends"
                cursor.execute(WAITS[other.vendor], session)
                if cursor.fetchone():
                    return
                Signal().wait(BETWEEN_LOOKS)

    def result(self) -> Any:
        """What it returned, or the error of ours that it raised."""
        try:
            return self.future.result(DEADLINE.total_seconds())
        except DocPriorityError as error:
            return type(error)
        finally:
            self._pool.shutdown()


def meanwhile(first: Call, call: Call, *, statement: str = "") -> Any:
    """Let `call` wait for a transaction that has done `first`, and commits then."""
    with transaction.atomic():
        first()
        waiting = Waiting(call, statement=statement)
        waiting.until_it_waits()
    return waiting.result()


def give(policy: str | None) -> Call:
    return lambda: services.set_policy("r1", policy=policy)


def policies_told() -> list[tuple[str, str]]:
    events = Event.objects.filter(customer="r1", kind=Event.Kind.POLICY).order_by("pk")
    return [(event.before["policy"], event.after["policy"]) for event in events]


@pytest.fixture(params=["usual isolation", "repeatable read"])
def statement(request: pytest.FixtureRequest) -> str:
    """What the session of the call that waits begins with."""
    return ISOLATION.get(connection.vendor, "") if request.param == "repeatable read" else ""


def test_a_rename_keeps_the_policy_that_somebody_gives_meanwhile(statement: str) -> None:
    rename = partial(services.change_customer, "r1", name="Renamed")
    decision = meanwhile(give("gold"), rename, statement=statement)
    customer = Customer.objects.get(key="r1")
    assert (customer.name, customer.policy.name, decision.policy) == ("Renamed", "gold", "gold")
    assert policies_told() == [("", "gold")]


def test_a_rename_survives_that_the_policy_is_taken_away_meanwhile(statement: str) -> None:
    services.set_policy("r1", policy="gold")

    def take_away() -> None:
        services.set_policy("r1", policy=None)
        services.delete_policy("gold")

    rename = partial(services.change_customer, "r1", name="Renamed")
    assert meanwhile(take_away, rename, statement=statement).policy == ""
    assert Customer.objects.get(key="r1").name == "Renamed"


@pytest.mark.parametrize("last", ["iron", None])
def test_who_gives_a_policy_last_has_the_last_word(last: str | None, statement: str) -> None:
    decision = meanwhile(give("gold"), give(last), statement=statement)
    assert decision.policy == (last or "")
    assert policies_told() == [("", "gold"), ("gold", last or "")]
    assert Customer.objects.filter(key="r1", policy__name=last).exists()


CALLS: dict[str, Call] = {
    "check": lambda: services.check("r1"),
    "check with a document": lambda: services.check("r1", document="D"),
    "check_many": lambda: services.check_many(["a", "r1"])[1],
    "check_many with documents": lambda: services.check_many([("a", "D"), ("r1", "D")])[1],
    "pin_many": lambda: services.pin_many(
        ["a", "r1"], priority=7, until=datetime.now(UTC) + timedelta(hours=1)
    )[1],
    "reset_many": lambda: services.reset_many(["a", "r1"])[1],
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@every_call
def test_a_call_is_judged_by_the_policy_given_meanwhile(call: Call, statement: str) -> None:
    assert meanwhile(give("gold"), call, statement=statement).policy == "gold"


@pytest.mark.parametrize("call", list(CALLS.values())[:4], ids=list(CALLS)[:4])
def test_a_check_is_judged_by_thresholds_that_are_changed_meanwhile(call: Call) -> None:
    services.set_policy("r1", policy="gold")

    def change() -> None:
        services.check("r1")
        services.change_policy("gold", thresholds=range(0, -8, -1))

    assert meanwhile(change, call).priority == 9


@pytest.mark.parametrize(
    "add", [{"policy": "iron"}, {"policy": ""}, {"name": "Renamed", "policy": "iron"}]
)
def test_an_event_tells_the_policy_that_was_replaced(add: dict[str, str]) -> None:
    meanwhile(give("gold"), partial(services.change_customer, "r1", **add))
    assert policies_told() == [("", "gold"), ("gold", add["policy"])]


def test_a_customer_made_under_a_policy_that_is_deleted_meanwhile() -> None:
    delete = partial(services.delete_policy, "gold")
    create = partial(services.create_customer, "new", policy="gold")
    assert meanwhile(delete, create) is PolicyNotFound
    assert not Customer.objects.filter(key="new").exists()


@pytest.mark.parametrize(
    "use", [partial(services.create_customer, "new", policy="gold"), give("gold")]
)
def test_a_policy_in_use_in_an_open_transaction_is_not_deleted(use: Call) -> None:
    assert meanwhile(use, partial(services.delete_policy, "gold")) is PolicyInUse
    assert Customer.objects.filter(policy__name="gold").count() == 1


@contextmanager
def before_statements(beginning: str, act: Call) -> Iterator[None]:
    """Act once, before this session's first statement that begins like this."""
    acts = [act]

    def execute(run: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if acts and beginning in sql:
            acts.pop()()
        return run(sql, *rest)

    with connection.execute_wrapper(execute):
        yield
    assert not acts, f"no statement has {beginning!r}"


@pytest.mark.mariadb
@pytest.mark.parametrize(
    ("call", "statement", "other"),
    [
        (give("gold"), "UPDATE `doc_priority_customer`", CALLS["check"]),
        (lambda: services.forget("r1"), "DELETE FROM `doc_priority_customer`", CALLS["check"]),
        (
            CALLS["check_many with documents"],
            "INSERT INTO `doc_priority_documentdecision`",
            give("gold"),
        ),
    ],
    ids=["set_policy", "forget", "check_many"],
)
def test_customers_and_counters_are_locked_in_one_order(
    call: Call, statement: str, other: Call, caplog: pytest.LogCaptureFixture
) -> None:
    """A check locks the customer, by a foreign key, and then the counter."""
    others: list[Waiting] = []

    def begin_the_other() -> None:
        others.append(Waiting(other))
        others[0].until_it_waits()

    with caplog.at_level("INFO", "doc_priority"), before_statements(statement, begin_the_other):
        call()
    assert others[0].result().customer == "r1"
    assert "Beginning again after a conflict" not in caplog.text
