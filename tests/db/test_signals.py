"""What receivers and observers are given, what is logged, and when."""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError, connection, transaction
from rest_framework.test import APIClient

from doc_priority import observing, services, signals
from doc_priority.contrib.tasks.recovering import put_back_abandoned
from doc_priority.exceptions import CounterBusy, CustomerNotFound, TransactionConflict
from doc_priority.models import Event
from doc_priority.observing import Checked, Observer, Result
from doc_priority.services.transactions import in_one_transaction
from doc_priority.testing import frozen_time
from tests.databases import HOLD_COUNTERS, conflict, open_transaction
from tests.logged import records
from tests.vectors import START

pytestmark = pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])


@pytest.fixture
def heard() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """All signals that were sent, in order."""
    told: list[tuple[str, dict[str, Any]]] = []
    receivers = {}
    for name in signals.__all__:

        def receive(name=name, **values) -> None:
            told.append((name, values))

        receivers[name] = receive
        getattr(signals, name).connect(receive)
    yield told
    for name, receive in receivers.items():
        getattr(signals, name).disconnect(receive)


def moves(told) -> list[tuple[str, int, int]]:
    return [
        (values["customer"], values["before"], values["after"])
        for name, values in told
        if name == "priority_changed"
    ]


def test_checks_tell_of_a_move_only_and_once_for_each_customer(heard) -> None:
    for _ in range(6):
        services.check("acme")
    assert moves(heard) == [("acme", 1, 2), ("acme", 2, 3)]
    heard.clear()
    services.check_many(["a"] * 6 + ["b"] * 2 + ["c"] * 4)
    services.check_many(["a", ("b", "D-1"), ("b", "D-1")])
    assert moves(heard) == [("a", 1, 3), ("c", 1, 2)]

    # Corrections tell of their event.
    services.forget("acme")
    Event.objects.all().delete()
    now = services.check_many(["acme"] * 15)[-1].decided_at
    heard.clear()
    services.reset("acme")
    services.pin("acme", priority=4, until=now + timedelta(hours=1))
    services.unpin("acme")
    services.unpin("acme")
    services.forget("acme")
    names = [name for name, _ in heard if name != "priority_changed"]
    assert names == ["customer_reset", "customer_pinned", "customer_unpinned", "customer_forgotten"]
    assert moves(heard) == [("acme", 7, 1), ("acme", 1, 4), ("acme", 4, 1)]
    assert heard[-1][1]["event"] == Event.objects.get().pk


def test_a_pinned_customer_does_not_move_and_nothing_tells_of_the_end_of_a_pin(heard) -> None:
    with frozen_time(START) as clock:
        services.check("acme")
        services.pin("acme", priority=5, until=START + timedelta(hours=1))
        services.check_many(["acme"] * 30)
        services.check("acme")
        assert moves(heard) == [("acme", 1, 5)]
        heard.clear()
        clock.move_to(START + timedelta(hours=1))
        services.unpin("acme")
    assert heard == []

    # Policies tell, too.
    services.forget("acme")
    heard.clear()
    services.create_policy("p", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    services.check_many(["acme"] * 2)
    services.set_policy("acme", policy="p")
    services.change_policy("p", reset_interval=70)
    services.change_policy("p", reset_interval=70)
    services.set_policy("acme", policy=None)
    services.change_customer("acme", policy="p")
    services.change_customer("acme", name="Acme", policy="")
    services.change_customer("acme", name="Acme & Sons", policy="")
    services.delete_policy("p")
    told = [(values["customer"], values["policy"]) for name, values in heard if "policy" in values]
    moved = [("acme", "p"), ("acme", "")]
    assert told == [("", "p"), moved[0], ("", "p"), moved[1], *moved, ("", "p")]
    assert moves(heard) == [("acme", 1, 2), ("acme", 2, 1)] * 2


def test_nothing_is_told_before_the_commit_or_after_a_rollback(heard, caplog) -> None:
    """A portal that commits by hand gets signals immediately: Django does not see its commit."""
    with transaction.atomic():
        services.check_many(["acme"] * 4)
        transaction.set_rollback(True)
    with transaction.atomic():
        services.check_many(["acme"] * 4)
        assert heard == []
    assert moves(heard) == [("acme", 1, 2)]

    services.forget("acme")
    heard.clear()
    transaction.set_autocommit(False)
    try:
        with caplog.at_level("INFO", "doc_priority"):
            for _ in range(4):
                services.check("acme")
            services.reset("acme")
            with transaction.atomic():
                services.set_policy("acme", policy=None)
                services.check_many(["acme"] * 3)
            assert moves(heard) == [("acme", 1, 2), ("acme", 2, 1), ("acme", 1, 2)]
            assert "reset of acme" in caplog.messages
        transaction.commit()
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)
    assert services.peek("acme").pending_documents == -3
    assert len(moves(heard)) == 3


def test_a_receiver_that_fails_does_not_undo_the_check(heard, caplog) -> None:
    def fail(**_):
        raise RuntimeError("receiver")

    signals.priority_changed.connect(fail)
    try:
        decisions = services.check_many(["acme"] * 4)
    finally:
        signals.priority_changed.disconnect(fail)
    assert decisions[-1].priority == 2
    assert "receiver" in caplog.text


# What observers are told.


class Witness(Observer):
    """Keeps everything that it is called with."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.calls: list[observing.Call] = []

    def began(self, service: str) -> str:
        return f"{service} began"

    def ended(self, call: observing.Call, begun: str) -> None:
        assert begun == f"{call.service} began"
        self.calls.append(call)

    def checked(self, checks: Any) -> None:
        self.told.append(("checked", dict(checks)))

    def corrected(self, kind: str, source: str, number: int) -> None:
        self.told.append(("corrected", kind, source, number))

    def waited(self, seconds: float) -> None:
        self.told.append(("waited", seconds))

    def retried(self) -> None:
        self.told.append(("retried",))

    def all(self, what: str) -> list[Any]:
        return [one[1:] for one in self.told if one[0] == what]


@pytest.fixture
def witness() -> Iterator[Witness]:
    one = Witness()
    observing.register(one)
    yield one
    observing.unregister(one)


def test_each_result_of_a_check(witness: Witness) -> None:
    with frozen_time(datetime(2030, 1, 1, tzinfo=UTC)) as clock:
        services.check("acme")
        services.check("acme", document="INV-1")
        services.check("acme", document="INV-1")
        clock.tick(1501)
        services.check("acme")
    services.pin("acme", priority=5, until=datetime(2040, 1, 1, tzinfo=UTC))
    with frozen_time(datetime(2030, 1, 1, 0, 26, tzinfo=UTC)):
        services.check("acme")
    assert witness.all("checked") == [
        ({Checked(Result.FIRST, 1, False): 1},),
        ({Checked(Result.COUNTED, 1, False): 1},),
        ({Checked(Result.REPEATED, 1, False): 1},),
        ({Checked(Result.RESET, 1, False): 1},),
        ({Checked(Result.COUNTED, 5, True): 1},),
    ]

    # Many checks are told together.
    services.forget("acme")
    witness.told.clear()
    witness.calls.clear()
    services.check_many(["acme"] * 4 + [("other", "INV-1"), ("other", "INV-1")])
    services.check_many([])
    tally = {
        Checked(Result.FIRST, 1, False): 2,
        Checked(Result.COUNTED, 1, False): 2,
        Checked(Result.COUNTED, 2, False): 1,
        Checked(Result.REPEATED, 1, False): 1,
    }
    assert witness.all("checked") == [(tally,)]
    assert [(call.service, call.checks) for call in witness.calls] == [
        ("check_many", tally),
        ("check_many", {}),
    ]


def test_corrections_by_kind_and_source(witness: Witness) -> None:
    services.check_many(["acme", "other"])
    services.reset_many(["acme", "other"], source="admin")
    services.pin("acme", priority=2, until=datetime(2040, 1, 1, tzinfo=UTC), source="api")
    services.unpin("acme")
    services.unpin("acme")
    services.create_policy("p", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    services.set_policy("acme", policy="p", source="admin")
    services.forget("acme", source="command")
    assert witness.all("corrected") == [
        ("reset", "admin", 2),
        ("pin", "api", 1),
        ("unpin", "", 1),
        ("policy", "", 1),
        ("policy", "admin", 1),
        ("forget", "command", 1),
    ]


def test_every_service_is_told_by_its_name(witness: Witness) -> None:
    """The name of the service for many, which the one for a single customer calls."""
    later = datetime(2040, 1, 1, tzinfo=UTC)
    brief: dict[str, Any] = {"recovery": "idle", "thresholds": range(-1, -9, -1)}
    tour: list[tuple[str, Callable[[], object]]] = [
        ("create_customer", lambda: services.create_customer("acme")),
        ("rename_customer", lambda: services.rename_customer("acme", name="Acme")),
        ("keep_customer", lambda: services.keep_customer("acme", name="Acme & Sons")),
        ("change_customer", lambda: services.change_customer("acme", name="Acme")),
        ("create_policy", lambda: services.create_policy("brief", reset_interval=60, **brief)),
        ("change_policy", lambda: services.change_policy("brief", reset_interval=90)),
        ("set_policy", lambda: services.set_policy("acme", policy="brief")),
        ("set_policy", lambda: services.set_policy("acme", policy=None)),
        ("delete_policy", lambda: services.delete_policy("brief")),
        ("check", lambda: services.check("acme")),
        ("check_many", lambda: services.check_many(["acme"])),
        ("peek", lambda: services.peek("acme")),
        ("reset", lambda: services.reset("acme")),
        ("reset", lambda: services.reset_many(["acme"])),
        ("pin", lambda: services.pin("acme", priority=2, until=later)),
        ("pin", lambda: services.pin_many(["acme"], priority=2, until=later)),
        ("unpin", lambda: services.unpin("acme")),
        ("unpin", lambda: services.unpin_many(["acme"])),
        ("forget", lambda: services.forget("acme")),
    ]
    for _, call in tour:
        call()
    assert [call.service for call in witness.calls] == [name for name, _ in tour]

    # It is timed, and its error is named.
    witness.calls.clear()
    started = time.perf_counter()
    services.check("acme")
    with pytest.raises(CustomerNotFound):
        services.unpin("nobody")
    with pytest.raises(ZeroDivisionError):
        services.check_many(str(1 // number) for number in (1, 0))
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(DatabaseError):
            services.check("acme")
    assert [(call.service, call.error) for call in witness.calls] == [
        ("check", ""),
        ("unpin", "customer_not_found"),
        ("check_many", "unexpected_error"),
        ("check", "database_error"),
    ]
    assert all(call.seconds > 0 for call in witness.calls)
    assert sum(call.seconds for call in witness.calls) < time.perf_counter() - started


def test_every_call_that_locks_tells_how_long_it_waited(settings: Any, witness: Witness) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 200}
    services.check("acme")
    for call in (services.check, services.reset):
        witness.told.clear()
        with open_transaction(HOLD_COUNTERS), pytest.raises(CounterBusy):
            call("acme")
        ((seconds,),) = witness.all("waited")
        assert seconds >= 0.2 * 0.9
        assert witness.calls[-1].error == "counter_busy"
        assert witness.calls[-1].seconds >= seconds

    settings.DOC_PRIORITY = {}
    for call in (
        lambda: services.check("acme"),
        lambda: services.check("acme", document="D"),
        lambda: services.check_many(["acme"]),
        lambda: services.check_many([("acme", "E")]),
        lambda: services.reset("acme"),
        lambda: services.set_policy("acme", policy=None),
    ):
        witness.told.clear()
        call()
        ((seconds,),) = witness.all("waited")
        assert 0 < seconds < min(witness.calls[-1].seconds, 0.2 * 0.9)


def test_a_conflict_is_retried_and_given_up_in_the_callers_transaction(
    witness: Witness, caplog: pytest.LogCaptureFixture
) -> None:
    """All of it is run again, and only what is committed is counted."""
    caplog.set_level(logging.INFO, "doc_priority")
    obstacles = [conflict]

    def work() -> None:
        services.check("acme")
        if obstacles:
            obstacles.pop()()

    in_one_transaction(work)
    assert len(witness.all("retried")) == 1
    assert witness.all("checked") == [({Checked(Result.FIRST, 1, False): 1},)]
    (record,) = records(caplog)
    assert record.getMessage() == "Beginning again after a conflict"
    assert (record.action, record.levelname) == ("retry", "INFO")

    caplog.clear()
    witness.told.clear()
    with pytest.raises(TransactionConflict), transaction.atomic():
        in_one_transaction(conflict)
    assert witness.all("retried") == []
    (record,) = records(caplog)
    assert (record.action, record.levelname) == ("conflict", "WARNING")


def test_an_observer_that_fails_changes_nothing(
    witness: Witness, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Observer):
        """Raises, whatever it is told."""

        def __getattribute__(self, name: str) -> Any:
            if name in ("began", "ended", "checked", "corrected", "waited", "retried"):
                raise RuntimeError("no ink")
            return super().__getattribute__(name)

    failing = Failing()
    observing.register(failing)
    try:
        assert services.check("acme").pending_documents == 0
        services.reset("acme")
    finally:
        observing.unregister(failing)
    assert len(witness.all("checked")) == len(witness.all("corrected")) == 1
    assert {record.action for record in records(caplog)} == {"observer_failed"}
    assert {record.observer for record in records(caplog)} == {Failing.__qualname__}
    assert "no ink" in caplog.text

    # Who is registered twice is told once, one may watch nothing, and a portal commit by hand.
    witness.told.clear()
    silent = Observer()
    observing.register(witness)
    observing.register(silent)
    try:
        services.check("acme")
        services.reset("acme")
        silent.retried()
    finally:
        observing.unregister(silent)
    assert len(witness.all("checked")) == 1

    transaction.set_autocommit(False)
    try:
        services.check("acme")
        transaction.commit()
    finally:
        transaction.set_autocommit(True)
    assert len(witness.all("checked")) == 2


# What the log says, and what it never says.


@pytest.mark.django_db(transaction=True)
def test_the_log_of_a_tour(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Every line has an action, and none has a reason or a name."""
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

    def refuse(*_: Any) -> Any:
        raise OperationalError("server closed the connection")

    client = APIClient()
    client.force_authenticate(User(username="jane", is_superuser=True))
    with connection.execute_wrapper(refuse):
        assert client.get("/api/v1/customers/").status_code == 503
    services.forget("acme", source="api", **said)

    found = records(caplog)
    assert [record.action for record in found] == [
        *("policy", "reset", "pin", "unpin", "policy", "busy", "put_back"),
        *("database_unavailable", "forget"),
    ]
    about_customers = [record for record in found if getattr(record, "customer", "")]
    assert {record.customer for record in about_customers} == {"acme"}
    assert [record.source for record in about_customers] == ["admin", "", "", "", "api"]
    for record in found:
        told = f"{record.getMessage()} {vars(record)}"
        assert not [word for word in ("Ada", "Jane", "jane", "asked", "will-of") if word in told]
        assert record.getMessage().isprintable()


def test_the_log_names_the_event_of_a_correction_once_it_is_committed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "doc_priority")
    services.check("acme")
    with transaction.atomic():
        services.reset("acme")
        transaction.set_rollback(True)
    assert records(caplog) == []

    services.reset("acme")
    services.create_policy("p", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    found = records(caplog)
    assert [record.getMessage() for record in found] == ["reset of acme", "policy of a policy"]
    events = Event.objects.order_by("pk").values_list("pk", flat=True)
    assert [record.event for record in found] == list(events)
