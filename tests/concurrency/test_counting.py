"""Many calls at the same time: no document is lost, counted twice or goes back in time."""

import json
import random
import subprocess
import sys
from collections import Counter as Tally
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import product
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest

from doc_priority import services
from doc_priority.exceptions import CounterBusy, CustomerNotFound
from doc_priority.models import Counter, Customer, DocumentDecision
from doc_priority.types import Decision
from tests.concurrency.crowd import assert_counted_exactly, in_threads
from tests.databases import environment_of_the_test_database
from tests.settings import BASE_DIR

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]

THREADS = 16
PROCESSES = 4
CHECKS = 800
"""For the threads, and again for the processes; `make proof` counts 100,000."""

KEYS = [f"customer-{number:02}" for number in range(20)]


@pytest.fixture(autouse=True)
def patience(settings: Any) -> None:
    """On a busy machine so many take longer than a portal would wait."""
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 20_000}


def make_customers(*keys: str) -> None:
    """Customers with a counter at 0 that was never updated."""
    Customer.objects.bulk_create([Customer(key=key) for key in keys])
    Counter.objects.bulk_create([Counter(customer_id=key) for key in keys])


def shares_of(total: int, workers: int, customers: list[str]) -> list[list[str]]:
    """The keys for each worker: every customer equally often, in different orders."""
    return [
        [customers[(worker + number) % len(customers)] for number in range(total // workers)]
        for worker in range(workers)
    ]


def test_every_check_of_a_crowd_of_threads_counts_once() -> None:
    """Also of new customers that many check at the same time."""

    def check(keys: list[str]) -> list[Decision]:
        return [services.check(key) for key in keys]

    for count, new in product((1, 50), (False, True)):
        Customer.objects.all().delete()
        customers = [f"customer-{number:02}" for number in range(count)]
        if not new:
            make_customers(*customers)
        shares = shares_of(CHECKS, THREADS, customers)
        decided = in_threads([partial(check, share) for share in shares])
        decisions = [decision for of_thread in decided for decision in of_thread]
        assert Tally(one.customer for one in decisions) == dict.fromkeys(customers, CHECKS // count)
        assert_counted_exactly(decisions)

    # The same crowd finds counts that get lost between reading and saving.
    Customer.objects.all().delete()
    make_customers("acme")

    def read_then_save() -> None:
        for _ in range(CHECKS // THREADS):
            counter = Counter.objects.get()
            counter.pending_documents -= 1
            counter.save()

    in_threads([read_then_save] * THREADS)
    assert -CHECKS < Counter.objects.get().pending_documents < 0


def test_every_check_of_a_crowd_of_processes_counts_once() -> None:
    """And the same crowd does find lost counts with a way of counting that loses them."""
    make_customers("hot", "lossy")
    new = [f"new-{number:02}" for number in range(50)]
    child_does = """
import json, sys, django
django.setup()
from django.db import connection
from doc_priority import services
from doc_priority.models import Counter

connection.ensure_connection()
print("ready", flush=True)
keys = json.loads(sys.stdin.readline())
decisions = [services.check(key) for key in keys]
print(json.dumps([(d.customer, d.pending_documents, d.decided_at.isoformat()) for d in decisions]))
for _ in keys:
    counter = Counter.objects.get(customer="lossy")
    counter.pending_documents -= 1
    counter.save()
"""
    checks = CHECKS // 2
    shares = shares_of(2 * checks, PROCESSES, [*["hot"] * len(new), *new])
    with ExitStack() as stack:
        children = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", child_does],
                    cwd=BASE_DIR,
                    env=environment_of_the_test_database(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in shares
        ]
        stack.callback(lambda: [child.kill() for child in children])
        assert [child.stdout.readline() for child in children] == ["ready\n"] * PROCESSES
        for child, keys in zip(children, shares, strict=True):
            child.stdin.write(json.dumps(keys) + "\n")
            child.stdin.flush()
        outputs = [child.communicate(timeout=60)[0] for child in children]
        assert [child.returncode for child in children] == [0] * PROCESSES
    decisions = [
        SimpleNamespace(
            customer=key, pending_documents=count, decided_at=datetime.fromisoformat(at)
        )
        for output in outputs
        for key, count, at in json.loads(output)
    ]
    assert Tally(one.customer for one in decisions) == {
        "hot": checks,
        **dict.fromkeys(new, checks // len(new)),
    }
    assert_counted_exactly(decisions)
    assert -2 * checks < Counter.objects.get(customer="lossy").pending_documents < 0


def test_a_document_that_many_check_at_once_counts_once() -> None:
    documents = [f"D-{number}" for number in range(25)]

    def one_by_one() -> list[Decision]:
        return [services.check("acme", document=document) for document in documents]

    def all_at_once() -> list[Decision]:
        return services.check_many([("acme", document) for document in documents])

    def one_per_call() -> list[Decision]:
        return [services.check_many([("acme", document)])[0] for document in documents]

    for ways in (
        [one_by_one] * THREADS,
        [all_at_once] * THREADS,
        [one_by_one, one_per_call, one_per_call, all_at_once] * (THREADS // 4),
    ):
        Customer.objects.all().delete()
        decided = in_threads(ways)
        for decisions in zip(*decided, strict=True):
            assert [decision.repeated for decision in decisions].count(False) == 1
            assert len({replace(decision, repeated=False) for decision in decisions}) == 1
        counts = sorted(-decision.pending_documents for decision in decided[0])
        assert counts == list(range(len(documents)))
        assert Counter.objects.get().pending_documents == 1 - len(documents)
        assert DocumentDecision.objects.count() == len(documents)

    # Each thread has documents of its own between those that all of them repeat.
    Customer.objects.all().delete()

    def work(thread: int) -> list[Decision]:
        return [
            services.check("acme", document=name)
            for document in documents
            for name in (document, f"{document} of {thread}")
        ]

    decided = in_threads([partial(work, thread) for thread in range(THREADS)])
    counted = [one for decisions in decided for one in decisions if not one.repeated]
    assert len(counted) == len(documents) * (THREADS + 1)
    assert_counted_exactly(counted)


# Calls for many customers at once: none waits for another in a circle, and the sums are exact.


def test_overlapping_calls_do_not_deadlock_and_lose_nothing() -> None:
    def random_items(chance: random.Random) -> list[str | tuple[str, str]]:
        """Some customers, repeated and in any order, with and without documents."""
        keys = [chance.choice(KEYS) for _ in range(chance.randint(1, 40))]
        if chance.random() < 0.5:
            return list(keys)
        return [
            (key, f"D-{chance.randint(1, 60)}") if chance.random() < 0.7 else key for key in keys
        ]

    def check_many(seed: int) -> list[Decision]:
        chance = random.Random(seed)
        calls = [services.check_many(random_items(chance)) for _ in range(25)]
        return [decision for decisions in calls for decision in decisions]

    decided = in_threads([partial(check_many, seed) for seed in range(8)])
    decisions = [decision for of_thread in decided for decision in of_thread]
    counted = [decision for decision in decisions if not decision.repeated]
    assert_counted_exactly(counted)
    named = {(one.customer, one.document): one for one in counted if one.document}
    assert len(named) == sum(bool(one.document) for one in counted)
    assert DocumentDecision.objects.count() == len(named)
    for repeated in decisions:
        if repeated.repeated:
            first = named[repeated.customer, repeated.document]
            assert repeated.pending_documents == first.pending_documents

    # Beside single checks and resets, too, nobody gets an error: all take them in key order.
    Customer.objects.all().delete()
    services.check_many(KEYS)

    def single(seed: int) -> None:
        chance = random.Random(seed)
        for number in range(100):
            document = f"{seed}-{number}" if chance.random() < 0.5 else ""
            services.check(chance.choice(KEYS), document=document)

    def resets(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(25):
            services.reset_many(chance.sample(KEYS, 10), reason="test")

    in_threads([partial(work, seed) for work in (check_many, single, resets) for seed in range(3)])
    services.reset_many(KEYS)
    assert set(Counter.objects.values_list("pending_documents", flat=True)) == {0}


@pytest.mark.parametrize("kept_in_step", [True, False])
def test_a_customer_is_checked_and_kept_while_others_make_and_erase_it(kept_in_step: bool) -> None:
    """Each work begins each of 25 rounds together; who is told CounterBusy tries again."""

    def keep(number: int) -> None:
        assert services.keep_customer("acme", name=f"Acme {number}").key == "acme"

    def forget(_: int) -> None:
        with suppress(CustomerNotFound):  # when others have forgotten already
            services.forget("acme", reason="test")

    one = partial(services.check, "acme")
    works = [lambda _: one(), lambda number: one(document=f"D-{number % 3}"), forget]
    many = [lambda _: services.check_many(["acme", "birch"]), works[1]]
    works += [keep, keep] if kept_in_step else many
    barrier = Barrier(len(works))

    def in_rounds(work: Callable[[int], object]) -> None:
        try:
            for number in range(25):
                barrier.wait(30)
                for attempt in range(5):
                    try:
                        work(number)
                        break
                    except CounterBusy:
                        assert attempt < 4
        except BaseException:
            barrier.abort()
            raise

    in_threads([partial(in_rounds, work) for work in works])
    assert services.keep_customer("acme", name="Acme").name == "Acme"
    services.check("acme")
    last = Counter.objects.get(customer__key="acme").pending_documents
    assert DocumentDecision.objects.filter(customer__key="acme").count() <= 1 - last
