"""From a thousand customers to five million: what takes longer then, and what must not.

Short runs compare 1,000 with 20,000 customers, and --full goes up to 5,000,000. Equally many of
them count at each size: how many documents a pool of workers takes does not grow with the number
of customers. Only PostgreSQL makes millions of rows in one statement, and copies a database.
"""

import itertools
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from threading import Event
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import django
import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from doc_priority import services
from doc_priority.exceptions import CustomerNotFound
from doc_priority.models import DocumentDecision
from doc_priority.services.pruning import BUSY_PERCENT, prune
from tests.databases import connection_elsewhere, url_of_the_test_database
from tests.private_postgresql import obstacle, private_postgresql
from tests.settings import TEST_NAME

pytestmark = [pytest.mark.proof, pytest.mark.postgresql, pytest.mark.timeout(7_200)]

COUNTING = 500
"""So many customers have just sent documents and stand at all priorities; the others are idle."""
OLD = 20_000
"""So many decisions are old enough to be pruned."""

FILL = Path(__file__).with_name("scale.sql").read_text("utf-8")
GROW_OLD = """
INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT key, 'OLD-' || %(now)s || '-' || n, 0, 1, false, false, '', %(now)s - 5184000000000 + n
  FROM generate_series(1, %(old)s::bigint) n
  JOIN doc_priority_customer ON key = 'customer-' || lpad((n %% %(customers)s)::text, 7, '0')
"""
WAKE = """
UPDATE doc_priority_counter SET updated_at = %(now)s - 172800000000,
       recovered_at = %(now)s - 172800000000
 WHERE updated_at > %(now)s - 172800000000 AND customer_id <> ALL (%(keys)s);

UPDATE doc_priority_counter SET updated_at = %(now)s, recovered_at = %(now)s,
       pending_documents = -(substr(customer_id, 10)::bigint / %(every)s %% 30)
 WHERE customer_id = ANY (%(keys)s)
"""


class Size(NamedTuple):
    """A database with so many customers, and somebody who is signed in to its portal."""

    customers: int
    connection: BaseDatabaseWrapper
    client: Client

    def enter(self) -> None:
        """From now on this is the default database."""
        connections["default"] = self.connection
        ContentType.objects.clear_cache()

    @property
    def keys(self) -> list[str]:
        """Those who count."""
        every = self.customers // COUNTING
        return [f"customer-{number * every:07}" for number in range(COUNTING)]

    def run(self, statement: str, **values: int) -> None:
        told: dict[str, Any] = {
            "customers": self.customers,
            "every": self.customers // COUNTING,
            "keys": self.keys,
            "now": time.time_ns() // 1000,
            **values,
        }
        with self.connection.cursor() as cursor:
            cursor.execute(statement, told)

    def keep_old(self, decisions: int) -> None:
        """Have at least half of so many decisions that are pruned, or all of them again."""
        left = DocumentDecision.objects.filter(document__startswith="OLD-").count()
        if left < decisions / 2:
            self.run(GROW_OLD, old=decisions - left)
            self.run("VACUUM ANALYZE doc_priority_documentdecision")


@contextmanager
def database(name: str, *, template: str = "template0") -> Iterator[BaseDatabaseWrapper]:
    """A new one; while it is copied, nobody may be connected to it."""
    usual = connections["default"]
    own = usual.copy()
    own.settings_dict["NAME"] = name
    with usual._nodb_cursor() as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        connections["default"] = own
        try:
            yield own
        finally:
            connections["default"] = usual
            own.close()
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="module")
def sizes(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, full: bool
) -> Iterator[list[Size]]:
    """Databases of each size, all there at once, so that they can be asked in turns."""
    prefix = f"{TEST_NAME}_{os.environ.get('PYTEST_XDIST_WORKER', 'scale')}"
    sizes = []
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        empty = stack.enter_context(database(f"{prefix}_empty"))
        call_command("migrate", verbosity=0)
        empty.close()
        for customers in (1_000, 100_000, 1_000_000, 5_000_000) if full else (1_000, 20_000):
            made = database(f"{prefix}_{customers}", template=f"{prefix}_empty")
            size = Size(customers, stack.enter_context(made), Client())
            with transaction.atomic():
                size.run(FILL)
            size.run(GROW_OLD, old=OLD)
            size.run("VACUUM ANALYZE")
            size.client.force_login(User.objects.create_superuser("root"))
            sizes.append(size)
        yield sizes


def processes(count: int) -> Executor:
    """They use the database of DATABASE_URL."""
    return ProcessPoolExecutor(count, get_context("spawn"), initializer=django.setup)


def check_for(seconds: float, keys: list[str]) -> list[float]:
    """How long each took; every second one has a new document, and writes where prune deletes."""
    took: list[float] = []
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        document = f"new-{os.getpid()}-{began}" if len(took) % 2 else ""
        services.check(keys[len(took) % len(keys)], document=document)
        took.append(time.perf_counter() - began)
    return took


def prune_for(seconds: float, busy_percent: int) -> int:
    """How many batches."""
    end = time.perf_counter() + seconds
    batches = 0
    for _ in prune(busy_percent=busy_percent):
        batches += 1
        if time.perf_counter() > end:
            break
    return batches


def forget_for(seconds: float) -> int:
    """How many customers; each has a decision that the batch after the next prunes."""
    oldest = DocumentDecision.objects.order_by("decided_at")
    end = time.perf_counter() + seconds
    forgotten = 0
    while time.perf_counter() < end:
        for decision in oldest[300:301]:
            with suppress(CustomerNotFound):
                services.forget(decision.customer_id)
                forgotten += 1
    return forgotten


def check_anybody(checks: int, customers: int, seed: int) -> None:
    drawn = random.Random(seed)
    for first in range(0, checks, 100):
        keys = [
            f"customer-{drawn.randrange(customers):07}" for _ in range(min(100, checks - first))
        ]
        services.check_many(keys)


def page(size: Size, address: str) -> str:
    response = size.client.get(address)
    assert response.status_code == 200, address
    return str(response.content.decode())


def growth(name: str, ask: Callable[[Size], object], sizes: list[Size], rounds: int) -> float:
    """How many times as long it takes with the most customers as with the fewest.

    In each round all sizes are asked, one after the other. It takes as many queries at each size.
    """
    queries: dict[int, int] = {}
    for size in sizes:
        size.enter()
        size.run(WAKE)
        with CaptureQueriesContext(connection) as captured:
            ask(size)
        queries[size.customers] = len(captured)
    seconds: dict[int, list[float]] = {size.customers: [] for size in sizes}
    for turn in range(rounds):
        for size in sizes if turn % 2 else sizes[::-1]:
            size.enter()
            began = time.perf_counter()
            ask(size)
            seconds[size.customers].append(time.perf_counter() - began)
    # The fastest of each, for another program may have been busy in any turn.
    fastest = {customers: min(taken) for customers, taken in seconds.items()}
    few, many = sizes[0].customers, sizes[-1].customers
    grown = fastest[many] / fastest[few]
    times = ", ".join(f"{took * 1000:,.2f} ms with {one:,}" for one, took in fastest.items())
    print(f"\n{name}: {times}; {grown:.2f} times; {queries[few]} queries")
    assert len(set(queries.values())) == 1, f"{name} takes more queries: {queries}"
    return grown


def test_a_check_takes_as_long_with_many_customers(sizes: list[Size], full: bool) -> None:
    drawn, documents = random.Random(0), itertools.count()

    def hot(size: Size) -> None:
        for key in size.keys[:100]:
            services.check(key)

    def hot_with_documents(size: Size) -> None:
        for key in size.keys[:100]:
            services.check(key, document=f"N-{next(documents)}")

    def anybody(size: Size) -> None:
        """Pages of anybody among millions are seldom in the server's memory."""
        for _ in range(100):
            services.check(f"customer-{drawn.randrange(size.customers // 2):07}")

    for check, limit in ((hot, 1.15), (hot_with_documents, 1.15), (anybody, 1.5)):
        grown = growth(f"100 checks, {check.__name__}", check, sizes, 45 if full else 3)
        assert grown <= (limit if full else 10), check.__name__


ADMIN, API = "/admin/doc_priority", "/api/v1"


def test_a_page_grows_no_more_than_is_said(sizes: list[Size], full: bool) -> None:
    for address, limit in (
        # What shows those who count, the rest in the order of an index:
        (f"{ADMIN}/customer/", 1.5),
        (f"{ADMIN}/customer/?priority=7-9", 1.5),
        (f"{ADMIN}/customer/?state=counting", 1.5),
        (f"{ADMIN}/customer/?state=pinned", 1.5),
        (f"{ADMIN}/customer/?policy=1", 1.5),
        (f"{API}/customers/", 1.5),
        (f"{API}/customers/?ordering=-priority", 1.5),
        (f"{API}/customers/?state=counting", 1.5),
        # What counts or searches all customers, of whom there are up to 5,000 times as many:
        (f"{ADMIN}/customer/?priority=1", 20),
        (f"{ADMIN}/customer/?state=idle", 20),
        (f"{ADMIN}/customer/?policy=default", 20),
        (f"{ADMIN}/customer/?q=customer-0000777", 35),
        (f"{ADMIN}/customer/dashboard/", 5),
        (f"{ADMIN}/event/", 5),
        (f"{API}/stats/", 10),
    ):
        grown = growth(address, partial(page, address=address), sizes, 9 if full else 3)
        assert grown <= (limit if full else max(limit, 10)), address


def test_a_deep_page_takes_as_long_with_many_customers(sizes: list[Size], full: bool) -> None:
    number = 1_000 if full else 10
    asked = [size for size in sizes if size.customers >= number * 100]
    addresses: dict[int, str] = {}
    for size in asked:
        size.enter()
        address = f"{API}/customers/?limit=100"
        for _ in range(number // 2):
            address = json.loads(page(size, address))["next"]
        cursor = parse_qs(urlsplit(address).query)["cursor"][0]
        addresses[size.customers] = f"{API}/customers/?cursor={cursor}"

    def rest(size: Size) -> None:
        page(size, addresses[size.customers])

    def admin(size: Size) -> None:
        page(size, f"{ADMIN}/customer/?p={number}")

    rounds, limit = (9, 1.5) if full else (3, 10)
    assert growth(f"REST, page {number:,}", rest, asked, rounds) <= limit
    assert growth(f"live list, page {number:,}", admin, asked, rounds) <= limit


def test_prune_and_forget_take_as_long_with_many_customers(sizes: list[Size], full: bool) -> None:
    gone = itertools.count(1)

    def prune_once(size: Size) -> None:
        next(prune())

    def forget(size: Size) -> None:
        """From the end on, of whom none counts."""
        services.forget(f"customer-{size.customers + 1 - 2 * next(gone):07}")

    for size in sizes:
        size.enter()
        size.keep_old(OLD)
    rounds, limit = (9, 1.5) if full else (3, 10)
    assert growth("prune, one batch", prune_once, sizes, rounds) <= limit
    assert growth("forget", forget, sizes, rounds) <= limit


def test_what_is_asked_often_reads_by_an_index(sizes: list[Size], full: bool) -> None:
    """No table that grows with the customers is read from one end to the other.

    Where they are few, it need only be possible: a small table is read faster as a whole.
    """
    size = sizes[-1]
    size.enter()
    size.run(WAKE)
    size.keep_old(OLD)
    key = size.keys[1]
    asked: dict[str, Callable[[], object]] = {
        "check": lambda: services.check(key),
        "check with a document": lambda: services.check(key, document="explained"),
        "check of many": lambda: services.check_many(size.keys[:20]),
        "peek": lambda: services.peek(key),
        "reset": lambda: services.reset(key),
        "prune": lambda: next(prune()),
        "forget": lambda: services.forget("customer-0000501"),
        "REST, page 1": lambda: page(size, f"{API}/customers/"),
        "REST, a history": lambda: page(size, f"{API}/customers/{key}/documents/"),
    }
    for name, ask in asked.items():
        with CaptureQueriesContext(connection) as captured:
            ask()
        for query in captured.captured_queries:
            if query["sql"].startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
                with connection.cursor() as cursor:
                    cursor.execute(f"SET enable_seqscan = {'on' if full else 'off'}")
                    cursor.execute("EXPLAIN " + query["sql"].replace("%", "%%"), [])
                    plan = "\n".join(line for (line,) in cursor.fetchall())
                    cursor.execute("RESET enable_seqscan")
                # There is a handful of policies, of however many customers.
                read = re.search(r"Seq Scan on doc_priority_(?!policy)", plan)
                assert not read, f"{name}: {query['sql'][:500]}\n{plan[:2_000]}"


def test_prune_holds_nobody_up(
    sizes: list[Size], monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    rounds, seconds, limit, old = (20, 2, 1.2, 500_000) if full else (3, 0.4, 5, OLD)
    # Short runs bear a busy machine; a check that waits for 2 seconds fails by itself.
    turns, lock_limit = (8, 0.2) if full else (1, 5)
    size = sizes[-1]
    size.enter()
    monkeypatch.setenv("DATABASE_URL", url_of_the_test_database())
    with processes(2) as two_others:
        wait([two_others.submit(check_for, 0.1, size.keys) for _ in range(2)])
        check_for(0.1, size.keys)

        # The slowest hundredth of checks, beside prune and beside nobody, in turns.
        calm, beside, batches = [], [], 0
        for turn in range(rounds):
            size.keep_old(old)
            if turn % 2:
                calm.append(check_for(seconds, size.keys))
            pruning = two_others.submit(prune_for, seconds, BUSY_PERCENT)
            beside.append(check_for(seconds, size.keys))
            batches += pruning.result()
            if not turn % 2:
                calm.append(check_for(seconds, size.keys))
        slowest = [[quantiles(took, n=100)[-1] * 1000 for took in part] for part in (calm, beside)]
        times = median(there / alone for alone, there in zip(*slowest, strict=True))
        print(
            f"\n99th percentile of {sum(map(len, [*calm, *beside])):,} checks: "
            f"{median(slowest[0]):.2f} ms, beside {batches:,} batches of prune "
            f"{median(slowest[1]):.2f} ms, {times:.2f} times"
        )
        assert batches >= rounds
        assert times <= limit

        # Its locks, without its pauses, beside others who check, or forget whose decisions it
        # deletes.
        held = waited = 0.0
        looks = batches = 0
        for other, arguments in (
            (check_for, (seconds, size.keys)),
            (forget_for, (seconds,)),
        ) * turns:
            size.keep_old(old)
            others: Future[Any] = two_others.submit(other, *arguments)
            pruning = two_others.submit(prune_for, seconds, 100)
            while wait([pruning, others], timeout=0.005).not_done:
                with connection.cursor() as cursor:
                    cursor.execute(
                        "SELECT coalesce(max(EXTRACT(EPOCH FROM clock_timestamp() - xact_start))"
                        " FILTER (WHERE granted), 0),"
                        " coalesce(max(EXTRACT(EPOCH FROM clock_timestamp() - waitstart))"
                        " FILTER (WHERE NOT granted), 0)"
                        " FROM pg_locks JOIN pg_stat_activity USING (pid)"
                        " WHERE datname = current_database()"
                        " AND (NOT granted OR mode = 'RowExclusiveLock')"
                    )
                    seen = cursor.fetchone()
                held, waited, looks = max(held, seen[0]), max(waited, seen[1]), looks + 1
            batches += pruning.result()
            assert others.result()
        print(
            f"\nbeside {batches:,} batches of prune, in {looks:,} looks: locks held for "
            f"{held * 1000:.0f} ms, waited for {waited * 1000:.0f} ms at most"
        )
        assert batches >= turns * 2
        assert max(held, waited) <= lock_limit


@pytest.mark.skipif(bool(obstacle()), reason=obstacle())
def test_counters_do_not_grow_on_and_on_under_checks(
    django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    """A server of its own, which vacuums as it comes; looked at after each part of the checks."""
    customers, checks, parts, hands = (
        (100_000, 10_000_000, 10, 4) if full else (1_000, 16_000, 4, 2)
    )
    # A table of a few pages doubles before it is vacuumed for the first time.
    limit, options = (1.25, ()) if full else (4, ("-F", "-c", "autovacuum_naptime=1s"))
    look = (
        "SELECT pg_total_relation_size(relid), n_dead_tup, autovacuum_count"
        " FROM pg_stat_user_tables WHERE relname = 'doc_priority_counter'"
    )
    sizes, began = [], time.monotonic()
    with (
        django_db_blocker.unblock(),
        private_postgresql(*options) as server,
        connection_elsewhere(**server.settings),
        connection.cursor() as cursor,
    ):
        call_command("migrate", verbosity=0)
        size = Size(customers, connections["default"], Client())
        with transaction.atomic():
            size.run(FILL)
        size.run("VACUUM ANALYZE")
        url = "postgres://{USER}@{HOST}:{PORT}/{NAME}".format_map(server.settings)
        monkeypatch.setenv("DATABASE_URL", url)
        with processes(hands) as pool:
            for part in range(parts):
                each = ceil(checks / parts / hands)
                seeds = range(part * hands, (part + 1) * hands)
                done = [pool.submit(check_anybody, each, customers, seed) for seed in seeds]
                for one in done:
                    one.result()
                cursor.execute(look)
                sizes.append(cursor.fetchone())
        # Autovacuum comes by once in a while: let it do what it has to do.
        deadline = time.monotonic() + 150
        while (
            sizes[-1][1] > 50 + customers / 5 or not sizes[-1][2]
        ) and time.monotonic() < deadline:
            Event().wait(0.2)
            cursor.execute(look)
            sizes.append(cursor.fetchone())
    for bytes_, dead, vacuums in [*sizes[:parts], sizes[-1]]:
        print(f"\n{bytes_ / 2**20:.1f} MB, {dead:,} dead rows, {vacuums} vacuums", end="")
    print(f"\n{checks:,} checks of {customers:,} customers in {time.monotonic() - began:,.0f} s")
    assert sizes[-1][2] > 0, "never vacuumed"
    assert sizes[-1][0] <= sizes[parts // 2 - 1][0] * limit
