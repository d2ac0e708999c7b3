"""Rows that somebody keeps, sessions that the server ends, and the bottom of a count's range."""

import gc
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http.client import HTTPConnection
from itertools import count
from statistics import median, quantiles
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    close_old_connections,
    connection,
    connections,
    transaction,
)
from django.db.models import QuerySet
from django.test import Client
from knox.models import AuthToken
from pytest_django.live_server_helper import LiveServer

from doc_priority import services
from doc_priority.exceptions import CounterBusy
from doc_priority.models import Counter, Customer
from doc_priority.types import FLOOR, WORST_PRIORITY, Decision
from tests.concurrency.crowd import in_threads
from tests.databases import (
    BEGIN,
    another_session,
    everything_stored,
    idle_until_ended,
    open_transaction,
)

pytestmark = [pytest.mark.proof, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def token() -> str:
    """Of somebody who may do everything."""
    user = User.objects.create(username="root", is_superuser=True)
    return AuthToken.objects.create(user)[1]


@pytest.fixture
def grace(full: bool) -> float:
    """After what it had to wait for, a caller is told in so many seconds; CI is a busy machine."""
    return 0.5 if full else 2.0


def over_rest(token: str, path: str, body: object) -> str:
    client = Client(headers={"Authorization": f"Token {token}"})
    answer = client.post(f"/api/v1/{path}", body, content_type="application/json")
    if answer.status_code == 503:
        assert int(answer["Retry-After"]) >= 1
    return f"{answer.status_code} {answer.json().get('code', '')}".strip()


Seen = list[tuple[str, float]]
"""What each call was told, and after how many seconds."""


def test_who_waits_for_a_kept_row_is_told_in_time_and_others_do_not_notice(
    full: bool, grace: float, settings: Any, token: str
) -> None:
    lock_timeout, seconds, rounds, slowing = (2.0, 30, 3, 2) if full else (1.0, 1.5, 1, 20)

    def over_services(call: Callable[[], object]) -> str:
        try:
            call()
        except CounterBusy:
            return "CounterBusy"
        return "answered"

    def calls_for_others(person: int) -> Iterator[str]:
        """Call after call for customers of one's own; on SQLite, which has one lock, only looks."""
        keys = [f"other-{person}-{number}" for number in range(10)]
        for number in count():
            if connection.vendor == "sqlite":
                services.peek(keys[number % 10])
            elif number % 20 == 0:
                services.check_many(keys)
            else:
                document = "" if number % 2 == 0 else f"D-{number}"
                services.check(keys[number % 10], document=document)
            yield "answered"

    def repeatedly(call: Callable[[], str], pause: float = 0) -> Seen:
        until, seen = time.monotonic() + seconds, []
        while (began := time.monotonic()) < until:
            told = call()
            seen.append((told, time.monotonic() - began))
            Event().wait(pause)
        return seen

    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": round(lock_timeout * 1000)}
    free = [f"free-{number}" for number in range(24)]
    services.check_many(["stuck", *free])
    over_rest(token, "customers/stuck/check/", {})  # the first request loads the portal

    # Each call gets a customer whom nobody keeps.
    calls: Sequence[Callable[[str], object]] = [
        lambda key: services.check("stuck"),
        lambda key: services.check("stuck", document=key),
        lambda key: services.check_many([key, "stuck"]),
        lambda key: services.reset_many([key, "stuck"]),
    ]
    kinds: list[Callable[[str], str]] = [
        *(lambda key, call=call: over_services(partial(call, key)) for call in calls),
        lambda key: over_rest(token, "customers/stuck/check/", {"document": key}),
        lambda key: over_rest(
            token, "checks/", {"items": [{"customer": key}, {"customer": "stuck"}]}
        ),
    ]
    waiters = [partial(kinds[number % 6], key) for number, key in enumerate(free[:20])]
    # In a transaction of the portal's, PostgreSQL may wait twice for one row. On SQLite such a
    # transaction begins with the lock, so nothing waits within it.
    waits_within = {"postgresql": 2, "mysql": 1, "sqlite": 0}[connection.vendor]
    if waits_within:
        waiters += [
            partial(over_services, partial(transaction.atomic(call), key))
            for call, key in zip(calls, free[20:], strict=True)
        ]
    waiting = [partial(repeatedly, waiter) for waiter in waiters]
    # Who asks without a pause takes the processor from those who wait.
    others = [
        partial(repeatedly, partial(next, calls_for_others(person)), 0.02) for person in range(4)
    ]
    services.check_many([f"other-{person}-{number}" for person in range(4) for number in range(10)])

    def kept() -> list[tuple[Any, ...]]:
        """All rows but those of the others."""
        rows = [row for table in everything_stored().values() for row in table]
        return [row for row in rows if "'other-" not in str(row)]

    calm, held, alone, within, before = [], [], Seen(), Seen(), kept()
    keep = "UPDATE doc_priority_counter SET pending_documents = 0 WHERE customer_id = 'stuck'"
    # A thread may throw away what another one left behind; to end a statement of SQLite it then
    # waits for that one's connection.
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            calm.append(sum(in_threads(others, patience=600), Seen()))
            with open_transaction(keep):
                seen = in_threads([*others, *waiting], patience=600)
            held.append(sum(seen[:4], Seen()))
            alone += sum(seen[4:24], Seen())
            within += sum(seen[24:], Seen())
    finally:
        gc.enable()

    def slowest_hundredth(slices: list[Seen]) -> float:
        return median(quantiles([took for _, took in seen], n=100)[98] for seen in slices)

    longest = max(took for _, took in alone)
    longest_within = max((took for _, took in within), default=0)
    slower = slowest_hundredth(held) / slowest_hundredth(calm)
    print(
        f"\n{len(alone)} calls told busy, the last after {longest:.2f} s; "
        f"{len(within)} within a transaction, the last after {longest_within:.2f} s; others: "
        f"{1000 * slowest_hundredth(held):.1f} ms, calm {1000 * slowest_hundredth(calm):.1f} ms "
        f"({slower:.2f} times, {sum(map(len, held)):,} calls)"
    )
    assert {told for told, _ in alone} == {"CounterBusy", "503 counter_busy"}
    assert {told for told, _ in within} <= {"CounterBusy"}
    assert longest <= lock_timeout + grace
    assert longest_within <= lock_timeout * waits_within + grace
    assert slower <= slowing
    assert kept() == before

    assert {waiter() for waiter in waiters} == {"answered", "200"}
    assert kept() != before


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_a_session_that_the_server_ends_keeps_no_row_and_fails_by_name(grace: float) -> None:
    services.check("acme")
    with another_session() as keeper:
        with keeper.cursor() as cursor:
            cursor.execute(BEGIN[keeper.vendor])
            cursor.execute("UPDATE doc_priority_counter SET pending_documents = -7")
        idle_until_ended(keeper)
        began = time.monotonic()
        assert services.check("acme").pending_documents == -1
        free_after = time.monotonic() - began
    before = everything_stored()

    @transaction.atomic
    def check_idle_and_check() -> None:
        services.check("acme")
        idle_until_ended(connection)
        ended.append(time.monotonic())
        services.check("acme", document="2")

    ended = list[float]()
    with pytest.raises(DatabaseError) as raised:
        check_idle_and_check()
    told_after = time.monotonic() - ended[0]
    close_old_connections()  # as when a request begins

    code = getattr(raised.value.__cause__, "sqlstate", None) or raised.value.args[0]
    print(f"\nanswered in {free_after:.2f} s; {code} in {told_after:.2f} s")
    assert code == {"postgresql": "25P03", "mysql": 2006}[connection.vendor]
    assert max(free_after, told_after) <= grace
    assert everything_stored() == before
    assert services.check("acme").pending_documents == -2


def idle_for_too_long(user: User) -> "QuerySet[Customer]":
    """Whom a user may reach, found out in the request's own transaction, and far too slowly."""
    idle_until_ended(connection)
    return Customer.objects.all()


@pytest.mark.postgresql
@pytest.mark.mariadb
def test_after_a_request_whose_session_was_ended_the_same_thread_answers_the_next(
    grace: float,
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    token: str,
) -> None:
    """A line to the site is served by one thread, with one session."""
    services.check("acme")
    monkeypatch.setitem(connections.settings[DEFAULT_DB_ALIAS], "ATOMIC_REQUESTS", True)
    line = HTTPConnection(live_server.thread.host, live_server.thread.port, timeout=60)

    def check() -> tuple[int, dict[str, Any], float]:
        headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        began = time.monotonic()
        line.request("POST", "/api/v1/customers/acme/check/", "{}", headers)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read()), time.monotonic() - began

    assert check()[0] == 200
    settings.DOC_PRIORITY = {"API_CUSTOMERS": f"{__name__}.idle_for_too_long"}
    status, refusal, refused_after = check()
    settings.DOC_PRIORITY = {}
    next_status, decision, answered_after = check()
    line.close()

    print(f"\n503 in {refused_after:.2f} s, then 200 in {answered_after:.2f} s")
    assert (status, refusal["code"]) == (503, "database_unavailable")
    assert (next_status, decision["pending_documents"]) == (200, -2)
    assert refused_after <= 2 + grace  # MariaDB counts whole seconds of idleness
    assert answered_after <= grace


def test_a_counter_stops_at_its_lowest_number_without_an_error(token: str) -> None:
    services.check("deep")
    ways: dict[str, Callable[[], list[Decision]]] = {
        "check": lambda: [services.check("deep") for _ in range(10)],
        "check with documents": lambda: [
            services.check("deep", document=f"D-{number}") for number in range(10)
        ],
        "check_many": lambda: services.check_many(["deep"] * 10),
        "check_many with documents": lambda: services.check_many(
            [("deep", f"M-{number}") for number in range(10)]
        ),
    }
    for name, way in ways.items():
        Counter.objects.update(pending_documents=FLOOR + 3)
        decisions = way()
        counts = [decision.pending_documents for decision in decisions]
        assert counts == [FLOOR + 2, FLOOR + 1, *[FLOOR] * 8], name
        assert {decision.priority for decision in decisions} == {WORST_PRIORITY}, name
    assert over_rest(token, "customers/deep/check/", {}) == "200"
    assert Counter.objects.get().pending_documents == FLOOR
