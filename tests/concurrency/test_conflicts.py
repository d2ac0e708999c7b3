"""Conflicts: the app's own transactions are retried, and the host's get TransactionConflict."""

from collections.abc import Callable, Iterator
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction

from doc_priority import services
from doc_priority.exceptions import TransactionConflict
from doc_priority.models import Counter, Customer, DocumentDecision
from doc_priority.services.transactions import in_one_transaction
from doc_priority.types import Decision
from tests.concurrency.crowd import assert_counted_exactly, in_threads
from tests.databases import count_elsewhere

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.django_db(transaction=True, available_apps=["doc_priority"]),
]

THREADS = 16
CALLS = 6

Call = Callable[[str], object]
Prepare = Callable[[], None]

CALLED: dict[str, Call] = {
    "check": services.check,
    "check with a document": lambda key: services.check(key, document="D"),
    "check_many": lambda key: services.check_many([key]),
    "check_many with documents": lambda key: services.check_many([(key, "E")]),
    "reset": services.reset,
}


def set_isolation(level: str) -> None:
    whose = {"postgresql": "SESSION CHARACTERISTICS AS", "mysql": "SESSION"}[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(f"SET {whose} TRANSACTION ISOLATION LEVEL {level}")


def set_snapshot_isolation() -> None:
    """The default from MariaDB 11.6.2 on."""
    set_isolation("REPEATABLE READ")
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION innodb_snapshot_isolation = ON")


ON_SERVERS = (pytest.mark.postgresql, pytest.mark.mariadb)
EVERY_ISOLATION = [
    pytest.param(partial(set_isolation, level), id=level.lower(), marks=ON_SERVERS)
    for level in ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
]
SNAPSHOT = pytest.param(set_snapshot_isolation, id="snapshot", marks=pytest.mark.mariadb)


@pytest.fixture(autouse=True)
def own_session() -> Iterator[None]:
    """A session that is closed after the test, with its settings."""
    yield
    connection.close()


@pytest.mark.parametrize("prepare", [*EVERY_ISOLATION, SNAPSHOT])
def test_on_a_hot_row_every_call_succeeds(prepare: Prepare, settings: Any) -> None:
    if prepare is not set_snapshot_isolation:
        # So many take turns for longer on a busy machine than a portal would wait.
        settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 20_000}
    documents = [f"D-{number}" for number in range(CALLS)]
    crossing = ["acme", "beta", "zeta"]
    works: dict[str, Callable[[int], list[list[Decision]]]] = {
        "alone": lambda _: [[services.check("acme")] for _ in range(CALLS)],
        "a document of its own": lambda thread: [
            [services.check("acme", document=f"{thread}-{document}")] for document in documents
        ],
        "shared documents": lambda _: [
            [services.check("acme", document=document)] for document in documents
        ],
        "many": lambda _: [
            services.check_many(["zeta", "acme", "zeta", "beta"]) for _ in range(CALLS)
        ],
        "many shared documents, of customers in another order": lambda thread: [
            services.check_many([(key, document) for key in crossing[:: 1 if thread % 2 else -1]])
            for document in documents
        ],
        # As the queues' adapters do what belongs together.
        "within one transaction": lambda _: [
            [in_one_transaction(lambda: services.check("acme"))] for _ in range(CALLS)
        ],
    }
    for name, work in works.items():
        Customer.objects.all().delete()
        results = in_threads([partial(work, thread) for thread in range(THREADS)], prepare=prepare)
        decided = [one for calls in results for decisions in calls for one in decisions]
        counted = [one for one in decided if not one.repeated]
        assert_counted_exactly(counted)
        assert len(counted) == len(decided) / (THREADS if "shared" in name else 1), name


@pytest.mark.parametrize("prepare", EVERY_ISOLATION)
def test_resets_of_a_hot_row_succeed(prepare: Prepare, settings: Any) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 20_000}
    services.check_many(["acme", "beta", "zeta"])

    def resets() -> None:
        for _ in range(CALLS):
            services.reset_many(["zeta", "acme", "beta"])
            services.check_many(["beta", "acme"])

    in_threads([resets] * (THREADS // 2), prepare=prepare)
    services.reset_many(["zeta", "acme", "beta"])
    assert set(Counter.objects.values_list("pending_documents", flat=True)) == {0}


@pytest.mark.parametrize(
    "prepare",
    [
        pytest.param(partial(set_isolation, "REPEATABLE READ"), marks=pytest.mark.postgresql),
        pytest.param(partial(set_isolation, "SERIALIZABLE"), marks=pytest.mark.postgresql),
        SNAPSHOT,
    ],
)
def test_a_conflict_in_the_hosts_transaction(prepare: Prepare) -> None:
    """Nothing is retried, and everything is rolled back."""
    prepare()

    def after_others_counted(call: Call) -> None:
        with transaction.atomic():
            assert Counter.objects.get().pending_documents == 0
            services.check("beta", document="D")
            count_elsewhere()
            call("acme")

    for name, call in CALLED.items():
        Customer.objects.all().delete()
        services.check("acme")
        with pytest.raises(TransactionConflict) as raised:
            after_others_counted(call)
        assert raised.value.code == "transaction_conflict", name
        assert Counter.objects.get().pending_documents == -7, name
        assert not DocumentDecision.objects.exists(), name
        call("acme")


@pytest.mark.parametrize("prepare", EVERY_ISOLATION)
def test_a_document_others_decided_since_the_hosts_transaction_began(prepare: Prepare) -> None:
    """The host's snapshot is older than the decision, which is found or gives a conflict."""
    prepare()
    for name in ("check with a document", "check_many with documents"):
        Customer.objects.all().delete()
        services.check("acme")
        try:
            with transaction.atomic():
                assert not Customer.objects.filter(key="nobody").exists()
                in_threads([lambda: services.check_many([("acme", "D"), ("acme", "E")])])
                CALLED[name]("acme")
        except TransactionConflict:
            CALLED[name]("acme")
        assert Counter.objects.get().pending_documents == -2, name
        assert DocumentDecision.objects.count() == 2, name


@pytest.mark.postgresql
@pytest.mark.mariadb
@pytest.mark.parametrize("call", CALLED.values(), ids=CALLED)
def test_a_deadlock_of_two_hosts(call: Call) -> None:
    """Two take two customers crosswise: one goes on, the other is told.

    No other test has these customers: where MariaDB removed a row, the next one is locked.
    """
    services.check_many(["left", "right", "left", "right"])
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

    ended = in_threads([partial(host, "left", "right"), partial(host, "right", "left")])
    assert sorted(ended) == ["committed", "transaction_conflict"]
    counts = set(Counter.objects.values_list("pending_documents", flat=True))
    assert len(counts) == 1
    assert counts != {-1}
