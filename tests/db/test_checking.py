"""A check: its decision, its statements, and that many in one call decide like single ones."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from doc_priority import services
from doc_priority.exceptions import CustomerNotFound, InvalidPin
from doc_priority.models import Counter, Customer, DocumentDecision, Policy
from doc_priority.testing import frozen_time
from doc_priority.types import FLOOR, Decision
from tests.vectors import START

pytestmark = pytest.mark.django_db

BEGIN = datetime(2030, 5, 1, 9, tzinfo=UTC)
INTERVAL = timedelta(seconds=1500)
MICROSECOND = timedelta(microseconds=1)

WAYS: dict[str, Callable[..., Decision]] = {
    "check": services.check,
    "check with a document": partial(services.check, document="D"),
    "check_many": lambda key, at: services.check_many([key], at=at)[0],
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@pytest.fixture
def gold() -> Policy:
    return Policy.objects.create(
        name="gold | first", reset_interval=60, thresholds=[-5, -6, -7, -8, -9, -10, -11, -12]
    )


def test_the_first_check_makes_the_customer() -> None:
    decision = services.check("acme", at=START)
    assert decision == Decision(
        customer="acme",
        document="",
        pending_documents=0,
        priority=1,
        pinned=False,
        reset=False,
        repeated=False,
        decided_at=START,
        resets_at=START + INTERVAL,
        policy="",
    )
    assert Customer.objects.get().key == "acme"


def test_customers_are_not_made_when_the_settings_say_so(settings) -> None:
    services.check("known")
    for call in (
        lambda: services.check("acme", must_exist=True),
        lambda: services.check_many(["known", "acme"], must_exist=True),
    ):
        with pytest.raises(CustomerNotFound, match="'acme'"):
            call()
    settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": False}
    for document in ["", "D-1"]:
        with pytest.raises(CustomerNotFound, match="'acme'"):
            services.check("acme", document=document)
    unknown = [f"c{number}" for number in range(12)]
    for items in [["known", *unknown], [("known", "D-1"), *unknown]]:
        with pytest.raises(CustomerNotFound, match="and 2 more"):
            services.check_many(items)
    assert Customer.objects.get().key == "known"
    assert Counter.objects.get().pending_documents == 0

    Customer.objects.create(key="acme")
    assert services.check("acme").pending_documents == 0
    assert services.check_many(["acme"])[0].pending_documents == -1


def test_the_customers_policy_counts(gold: Policy, django_assert_num_queries) -> None:
    Customer.objects.create(key="acme", policy=gold)
    decisions = [services.check("acme", at=START) for _ in range(7)]
    assert [decision.priority for decision in decisions] == [1, 1, 1, 1, 1, 1, 2]
    assert decisions[-1].policy == "gold | first"
    assert decisions[-1].resets_at == START + timedelta(seconds=60)
    assert services.check_many(["acme"] * 2, at=START)[1].priority == 4
    assert services.peek("acme", at=START).policy == "gold | first"

    # A check and a peek are one statement each.
    for key in ["acme", "plain"]:
        services.check(key)
        for call in (services.check, services.peek):
            with django_assert_num_queries(1):
                call(key)


@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
def test_the_first_check_of_a_session_knows_the_policy(gold: Policy) -> None:
    services.check("acme")
    services.set_policy("acme", policy=gold.name)
    connection.close()
    assert services.check("acme").policy == gold.name


def test_a_peek_changes_nothing() -> None:
    services.check("acme", at=START)
    before = list(Counter.objects.values())
    seen = services.peek("acme", at=START + 2 * INTERVAL)
    assert (seen.pending_documents, seen.resets_at) == (0, None)
    assert list(Counter.objects.values()) == before

    Customer.objects.create(key="never")
    seen = services.peek("never")
    assert (seen.pending_documents, seen.priority, seen.resets_at) == (0, 1, None)


def test_a_repeated_document_gets_the_same_decision(settings) -> None:
    for key in ("idle", "window", "halving"):
        settings.DOC_PRIORITY = {"RECOVERY": key}
        services.check_many([key] * 5, at=START)
        first = services.check(key, document="Ä 1", at=START + timedelta(seconds=5))
        again = services.check(key, document="Ä 1", at=START + 3 * INTERVAL)
        assert (first.repeated, again.repeated) == (False, True)
        assert replace(again, repeated=False) == first
        many = services.check_many([(key, "Ä 1"), (key, "Ä 1")], at=START + 3 * INTERVAL)
        assert many == [again, again]
        assert Counter.objects.get(customer=key).pending_documents == -5

    # Documents and customers are told apart byte by byte.
    documents = ["a", "A", "a ", "á", "a\u0301"]
    decisions = [services.check("acme", document=document) for document in documents]
    assert [decision.pending_documents for decision in decisions] == [0, -1, -2, -3, -4]
    assert set(
        DocumentDecision.objects.filter(customer="acme").values_list("document", flat=True)
    ) == set(documents)

    for key in ["Other", "other", "OTHER"]:
        assert services.check(key, document="a").pending_documents == 0
    assert services.check_many(["Other", "other"])[0].pending_documents == -1


def test_the_lock_timeout_may_be_longer_than_the_connections(settings) -> None:
    settings.DOC_PRIORITY = {"LOCK_TIMEOUT_MS": 60_000}
    assert services.check("acme").priority == 1


def test_a_check_in_a_transaction_that_fails_is_undone() -> None:
    services.check("acme")
    with transaction.atomic():
        services.check("acme")
        services.check("acme", document="D-1")
        transaction.set_rollback(True)
    assert Counter.objects.get().pending_documents == 0
    assert not DocumentDecision.objects.exists()


def test_the_counter_stops_at_the_floor() -> None:
    customer = Customer.objects.create(key="acme")
    Counter.objects.create(
        customer=customer, pending_documents=FLOOR + 1, updated_at=START, recovered_at=START
    )
    many = services.check_many(["acme"] * 3, at=START)
    assert [decision.pending_documents for decision in many] == [FLOOR] * 3
    for document in ["", "D-1"]:
        decision = services.check("acme", document=document, at=START)
        assert (decision.pending_documents, decision.priority) == (FLOOR, 9)

    # And the last update never goes back.
    services.check("birch", at=START + INTERVAL)
    earlier = services.check("birch", at=START)
    assert (earlier.pending_documents, earlier.decided_at) == (-1, START + INTERVAL)
    assert services.peek("birch", at=START).decided_at == START + INTERVAL
    assert services.reset("birch", at=START).decided_at == START + INTERVAL
    assert Counter.objects.get(customer="birch").updated_at == START + INTERVAL


# Where the rule turns, it turns to the microsecond, by every way to check.


@every_way
def test_a_counter_recovers(way: Callable[..., Decision], settings) -> None:
    for recovery, passed, pending in [
        ("idle", INTERVAL, -9),
        ("idle", INTERVAL + MICROSECOND, 0),
        ("window", INTERVAL, -9),
        ("window", INTERVAL + MICROSECOND, 0),
        ("halving", INTERVAL / 10 - MICROSECOND, -9),
        ("halving", INTERVAL / 10, -5),
        ("halving", INTERVAL / 5 - MICROSECOND, -5),
        ("halving", INTERVAL / 5, -3),
        ("halving", INTERVAL, -1),
        ("halving", INTERVAL + MICROSECOND, 0),
    ]:
        settings.DOC_PRIORITY = {"RECOVERY": recovery}
        key = f"{recovery}-{passed.total_seconds()}"
        services.check_many([key] * 9, at=BEGIN)
        assert services.peek(key, at=BEGIN).pending_documents == -8, key
        assert way(key, at=BEGIN + passed).pending_documents == pending, key

    # A window is counted from its first document.
    settings.DOC_PRIORITY = {"RECOVERY": "window"}
    for key, passed, pending in [("in", INTERVAL, -3), ("over", INTERVAL + MICROSECOND, 0)]:
        for seconds in (0, 600, 1200):
            services.check(key, at=BEGIN + timedelta(seconds=seconds))
        assert way(key, at=BEGIN + passed).pending_documents == pending

    # What is left of a step counts for the next halving.
    settings.DOC_PRIORITY = {"RECOVERY": "halving"}
    services.check_many(["acme"] * 9, at=BEGIN)
    services.check("acme", at=BEGIN + INTERVAL / 10 + timedelta(seconds=100))
    assert way("acme", at=BEGIN + INTERVAL / 5 - MICROSECOND).pending_documents == -6
    assert Counter.objects.get(customer="acme").recovered_at == BEGIN + INTERVAL / 10
    assert services.check("acme", at=BEGIN + INTERVAL / 5).pending_documents == -4
    assert Counter.objects.get(customer="acme").recovered_at == BEGIN + INTERVAL / 5


@every_way
def test_a_policys_own_interval_and_a_pin_to_its_end(way: Callable[..., Decision]) -> None:
    services.create_policy(
        "brief", reset_interval=60, recovery="idle", thresholds=range(-1, -9, -1)
    )
    minute = timedelta(seconds=60)
    for key, passed, pending in [("in", minute, -9), ("over", minute + MICROSECOND, 0)]:
        services.create_customer(key, policy="brief")
        services.check_many([key] * 9, at=BEGIN)
        assert way(key, at=BEGIN + passed).pending_documents == pending

    for key, moment, expected in [
        ("pinned", BEGIN - MICROSECOND, (2, True)),
        ("no-more", BEGIN, (4, False)),
    ]:
        services.create_customer(key)
        services.pin(key, priority=2, until=BEGIN)
        services.check_many([key] * 8, at=BEGIN - INTERVAL / 2)
        decision = way(key, at=moment)
        assert (decision.priority, decision.pinned) == expected


def test_a_pin_ends_later_than_it_begins() -> None:
    services.create_customer("acme")
    with frozen_time(BEGIN):
        with pytest.raises(InvalidPin, match="has passed"):
            services.pin("acme", priority=2, until=BEGIN)
        assert services.pin("acme", priority=2, until=BEGIN + MICROSECOND).pinned


@every_way
def test_who_starts_again_is_told_so_and_who_is_new_is_not(way: Callable[..., Decision]) -> None:
    first = way("new", at=BEGIN)
    assert (first.pending_documents, first.reset) == (0, False)
    for key, passed, reset in [("in", INTERVAL, False), ("over", INTERVAL + MICROSECOND, True)]:
        assert not services.check(key, at=BEGIN).reset
        assert not services.check(key, at=BEGIN).reset
        late = way(key, at=BEGIN + passed)
        assert (late.pending_documents == 0, late.reset) == (reset, reset)


# Many in one call.


def test_many_are_the_same_as_one_after_the_other() -> None:
    keys = st.sampled_from(["a", "b", "B", "c"])
    documents = st.sampled_from(["", "D-1", "D-2", "D-3"])
    items = st.lists(st.one_of(keys, st.tuples(keys, documents)), max_size=12)
    pauses = st.one_of(
        st.integers(0, 2_000_000_000),
        st.sampled_from([1, 9_999_999, 10_000_000, 100_000_000, -50_000_000, 1_500_000_001]),
    )

    def all_at_once(call, moment) -> list[Decision]:
        return services.check_many(call, at=moment)

    def one_after_the_other(call, moment) -> list[Decision]:
        pairs = [item if isinstance(item, tuple) else (item, "") for item in call]
        return [services.check(key, document=document, at=moment) for key, document in pairs]

    @hypothesis_settings(max_examples=30)
    @given(st.lists(st.tuples(items, pauses), min_size=1, max_size=4))
    def agree(calls) -> None:
        results = []
        for check in (all_at_once, one_after_the_other):
            Customer.objects.all().delete()
            Policy.objects.all().delete()
            halving = Policy.objects.create(name="halving", recovery="halving")
            window = Policy.objects.create(name="window", recovery="window", reset_interval=600)
            Customer.objects.create(key="b", policy=halving)
            Customer.objects.create(key="c", policy=window)
            moment, decisions = START, []
            for call, pause in calls:
                moment += timedelta(microseconds=pause)
                decisions += check(call, moment)
            stored = DocumentDecision.objects.order_by("customer_id", "document").values_list(
                "customer_id", "document", "pending_documents", "priority", "decided_at"
            )
            results.append((decisions, list(Counter.objects.order_by("pk").values()), list(stored)))
        assert results[0] == results[1]

    agree()


def test_any_iterable_and_pairs_as_lists(
    django_assert_num_queries, django_assert_max_num_queries
) -> None:
    decisions = services.check_many(item for item in ["a", ["a", "D-1"]])
    assert [decision.pending_documents for decision in decisions] == [0, -1]
    with django_assert_num_queries(0):
        assert services.check_many([]) == []

    # Thousands of customers take a handful of statements.
    many = [f"c{number}" for number in range(3000)]
    with django_assert_max_num_queries(16):
        services.check_many(many)
    with django_assert_max_num_queries(9):
        decisions = services.check_many(reversed(many * 2))
    assert decisions[0].customer == "c2999"
    assert {decision.pending_documents for decision in decisions} == {-1, -2}


def test_decisions_are_looked_up_by_few_keys_at_a_time() -> None:
    """A statement has about 500 parameters at most, few enough for every database."""
    numbers = []

    def look(execute, sql, params, *rest):
        if sql.startswith("SELECT") and "documentdecision" in sql:
            numbers.append(len(params))
        return execute(sql, params, *rest)

    for documents_of, asked in [
        ([1] * 250, [500]),
        ([1] * 251, [500, 2]),
        ([1] * 249 + [2], [501]),
        ([1] * 249 + [3], [498, 4]),
        ([499], [500]),
        ([500, 1], [501, 2]),
        ([700], [501, 201]),
        ([1, 499], [2, 500]),
        ([100, 100, 300], [202, 301]),
    ]:
        named = [
            (f"c{customer}", f"{customer}-{number}")
            for customer, count in enumerate(documents_of)
            for number in range(count)
        ]
        Customer.objects.all().delete()
        numbers.clear()
        with connection.execute_wrapper(look):
            services.check_many(named)
        assert numbers == asked
        assert all(decision.repeated for decision in services.check_many(named))


@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
def test_every_service_has_a_twin_for_async_code_that_does_the_same() -> None:
    names = set(services.__all__)
    twins = {name for name in names if name[0] == "a" and name[1:] in names}
    assert len(names) == 2 * len(twins)
    for name in twins:
        twin = getattr(services, name)
        assert inspect.iscoroutinefunction(twin.__call__), name
        assert twin.func is getattr(services, name[1:]), name

    async def work(key: str, document: str) -> list[Decision]:
        first = await services.acheck(key, document=document)
        await services.acheck_many([key, key])
        return [first, await services.apeek(key), await services.areset(key, reason="async")]

    for key, document in [("acme", ""), ("birch", "D-1")]:
        decisions = async_to_sync(work)(key, document)
        assert [decision.pending_documents for decision in decisions] == [0, -2, 0]
