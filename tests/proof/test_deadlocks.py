"""Calls for many customers take the same ones in every order: no deadlock reaches a caller."""

import random
import time
from collections import Counter as Tally
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import F

from doc_priority import observing, services
from doc_priority.exceptions import CounterBusy, TransactionConflict
from doc_priority.models import Counter, DocumentDecision, Event
from tests.concurrency.crowd import in_threads

pytestmark = [
    pytest.mark.proof,
    pytest.mark.postgresql,
    pytest.mark.mariadb,
    pytest.mark.django_db(transaction=True),
]

Call = tuple[str, list[Any]]
"""What it does, and for which customers, some of them with a document."""


def test_no_deadlock_reaches_a_caller_and_all_is_counted(full: bool) -> None:
    customers, threads = [f"customer-{number:02}" for number in range(40)], 16

    services.check_many(customers)  # a first check counts nothing
    # Each call is for up to twelve customers in no order; eight of ten check, one resets, one pins.
    # A third of the customers of a check come twice. One of five items names its document, of
    # which there are so few that several calls name the same.
    total = 10_000 if full else 600
    chance, calls = random.Random(total), list[Call]()
    for _ in range(total):
        kind = chance.choice([*["check"] * 8, "reset", "pin"])
        items: list[Any] = chance.sample(customers, chance.randint(2, 12))
        if kind == "check":
            items += items[: len(items) // 3]
            items = [
                (customer, f"D-{chance.randrange(20)}") if chance.random() < 0.2 else customer
                for customer in items
            ]
        calls.append((kind, items))
    actions: dict[str, Callable[[list[Any]], object]] = {
        "check": services.check_many,
        "reset": services.reset_many,
        "pin": partial(services.pin_many, priority=2, until=datetime.now(UTC) + timedelta(hours=1)),
    }

    def make_until_done(share: list[Call]) -> Tally[str]:
        """Whoever is told that a call did nothing makes it again; how often the calls ended so."""
        ends = Tally[str]()
        for kind, items in share:
            end = ""
            while end != "made":
                try:
                    actions[kind](items)
                    end = "made"
                except TransactionConflict:
                    end = "deadlock"
                except CounterBusy:
                    end = "busy"
                ends[end] += 1
        return ends

    class Retries(observing.Observer):
        """Attempts that the database gave up, and that began again unseen by the caller."""

        def retried(self) -> None:
            retried.append(None)

    retried = list[None]()
    observer = Retries()
    observing.register(observer)
    began = time.monotonic()
    works = [partial(make_until_done, calls[number::threads]) for number in range(threads)]
    try:
        ends = sum(in_threads(works, patience=3_600), Tally[str]())
    finally:
        observing.unregister(observer)

    speed = len(calls) / (time.monotonic() - began)
    print(
        f"\n{ends['made']:,} calls from {threads} threads, {ends['deadlock']} deadlocks "
        f"({speed:,.0f}/s, {len(retried)} retried unseen, {ends['busy']} asked again)"
    )
    assert ends["made"] == len(calls)
    assert ends["deadlock"] == 0

    # What must have come of the calls, whichever came first: a document counts once.
    named = {item for _, items in calls for item in items if isinstance(item, tuple)}
    due = Tally((customer, "check") for customer, _ in named)
    for kind, items in calls:
        due.update((item, kind) for item in items if isinstance(item, str))

    stored = Tally[tuple[str, str]]()
    for counter in Counter.objects.all():
        stored[counter.customer_id, "check"] -= counter.pending_documents
    for event in Event.objects.all():
        stored[event.customer, event.kind] += 1
        if event.kind == Event.Kind.RESET:
            stored[event.customer, "check"] -= event.before["pending_documents"]
    assert stored == due
    assert set(DocumentDecision.objects.values_list("customer", "document")) == named

    # The control: taken in the order given, the same customers are taken in circles.
    codes = set[Any]()

    def count_until_somebody_met_one(share: list[Call]) -> None:
        for _, items in share:
            if codes:
                return
            try:
                with transaction.atomic():
                    for item in items:
                        customer = item if isinstance(item, str) else item[0]
                        counters = Counter.objects.filter(customer=customer)
                        counters.update(pending_documents=F("pending_documents") - 1)
            except OperationalError as error:
                codes.add(getattr(error.__cause__, "sqlstate", None) or error.args[0])

    works = [partial(count_until_somebody_met_one, calls[n::threads]) for n in range(threads)]
    in_threads(works)
    assert codes == {{"postgresql": "40P01", "mysql": 1213}[connection.vendor]}
