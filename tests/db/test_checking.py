"""A check, what it answers, and what it costs."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from doc_priority import services
from doc_priority.exceptions import CustomerNotFound
from doc_priority.models import Counter, Customer, DocumentDecision, Policy
from doc_priority.types import FLOOR, Decision
from tests.vectors import START

pytestmark = pytest.mark.django_db

INTERVAL = timedelta(seconds=1500)


@pytest.fixture
def gold():
    return Policy.objects.create(
        name="gold | first", reset_interval=60, thresholds=[-5, -6, -7, -8, -9, -10, -11, -12]
    )


def test_the_first_check_makes_the_customer():
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


@pytest.mark.django_db(transaction=True)
def test_the_first_check_of_a_session_knows_the_policy(gold):
    services.check("acme")
    services.set_policy("acme", policy=gold.name)
    connection.close()
    assert services.check("acme").policy == gold.name


def test_a_check_after_the_interval_says_that_it_reset():
    services.check("acme", at=START)
    assert not services.check("acme", at=START).reset
    late = services.check("acme", at=START + 2 * INTERVAL)
    assert (late.pending_documents, late.reset) == (0, True)


def test_customers_are_not_made_when_the_settings_say_so(settings):
    settings.DOC_PRIORITY = {"CREATE_CUSTOMERS": False}
    for document in ["", "D-1"]:
        with pytest.raises(CustomerNotFound, match="'acme'"):
            services.check("acme", document=document)
    with pytest.raises(CustomerNotFound, match="'acme'"):
        services.check_many(["acme"])
    with pytest.raises(CustomerNotFound, match="'acme'"):
        services.check_many([("acme", "D-1")])
    assert not Customer.objects.exists()
    Customer.objects.create(key="acme")
    assert services.check("acme").pending_documents == 0
    assert services.check_many(["acme"])[0].pending_documents == -1


def test_the_customers_policy_counts(gold):
    Customer.objects.create(key="acme", policy=gold)
    decisions = [services.check("acme", at=START) for _ in range(7)]
    assert [decision.priority for decision in decisions] == [1, 1, 1, 1, 1, 1, 2]
    assert decisions[-1].policy == "gold | first"
    assert decisions[-1].resets_at == START + timedelta(seconds=60)
    assert services.check_many(["acme"] * 2, at=START)[1].priority == 4
    assert services.peek("acme", at=START).policy == "gold | first"


def test_a_pin_counts_until_its_time():
    services.check("acme")
    until = services.peek("acme").decided_at + timedelta(hours=1)
    services.pin("acme", priority=4, until=until)
    for decision in [services.check("acme"), *services.check_many(["acme", ("acme", "D-1")])]:
        assert (decision.priority, decision.pinned) == (4, True)
    late = services.check("acme", at=until)
    assert (late.priority, late.pinned) == (1, False)


def test_a_check_is_one_statement(gold):
    Customer.objects.create(key="golden", policy=gold)
    for key in ["acme", "golden"]:
        services.check(key)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            services.check(key)
        assert len(queries) == 1


def test_a_peek_is_one_statement_and_changes_nothing(django_assert_num_queries):
    services.check("acme", at=START)
    before = list(Counter.objects.values())
    with django_assert_num_queries(1):
        seen = services.peek("acme", at=START + 2 * INTERVAL)
    assert (seen.pending_documents, seen.resets_at) == (0, None)
    assert list(Counter.objects.values()) == before


def test_a_peek_at_a_customer_that_never_counted():
    Customer.objects.create(key="acme")
    seen = services.peek("acme")
    assert (seen.pending_documents, seen.priority, seen.resets_at) == (0, 1, None)


@pytest.mark.parametrize("recovery", ["idle", "window", "halving"])
def test_a_repeated_document_gets_the_same_decision(settings, recovery):
    settings.DOC_PRIORITY = {"RECOVERY": recovery}
    services.check_many(["acme"] * 5, at=START)
    first = services.check("acme", document="Ä 1", at=START + timedelta(seconds=5))
    again = services.check("acme", document="Ä 1", at=START + 3 * INTERVAL)
    assert (first.repeated, again.repeated) == (False, True)
    assert [getattr(again, name) for name in SAME] == [getattr(first, name) for name in SAME]
    many = services.check_many([("acme", "Ä 1"), ("acme", "Ä 1")], at=START + 3 * INTERVAL)
    assert many == [again, again]
    assert Counter.objects.get().pending_documents == -5


SAME = [name for name in Decision.__dataclass_fields__ if name != "repeated"]


def test_documents_are_told_apart_byte_by_byte():
    documents = ["a", "A", "a ", "á", "a\u0301"]
    decisions = [services.check("acme", document=document) for document in documents]
    assert [decision.pending_documents for decision in decisions] == [0, -1, -2, -3, -4]
    assert set(DocumentDecision.objects.values_list("document", flat=True)) == set(documents)


def test_customers_are_told_apart_byte_by_byte():
    for key in ["Acme", "acme", "ACME"]:
        assert services.check(key).pending_documents == 0
    assert services.check_many(["Acme", "acme"])[0].pending_documents == -1


def test_the_same_document_of_two_customers_counts_for_both():
    services.check("one", document="D-1")
    assert not services.check("two", document="D-1").repeated


def test_a_check_in_a_transaction_that_fails_is_undone():
    services.check("acme")
    with transaction.atomic():
        services.check("acme")
        services.check("acme", document="D-1")
        transaction.set_rollback(True)
    assert Counter.objects.get().pending_documents == 0
    assert not DocumentDecision.objects.exists()


def test_the_counter_stops_at_the_floor():
    customer = Customer.objects.create(key="acme")
    Counter.objects.create(
        customer=customer, pending_documents=FLOOR + 1, updated_at=START, recovered_at=START
    )
    many = services.check_many(["acme"] * 3, at=START)
    assert [decision.pending_documents for decision in many] == [FLOOR] * 3
    for document in ["", "D-1"]:
        decision = services.check("acme", document=document, at=START)
        assert (decision.pending_documents, decision.priority) == (FLOOR, 9)


def test_the_last_update_never_goes_back():
    services.check("acme", at=START + INTERVAL)
    earlier = services.check("acme", at=START)
    assert (earlier.pending_documents, earlier.decided_at) == (-1, START + INTERVAL)
    assert services.peek("acme", at=START).decided_at == START + INTERVAL
    assert services.reset("acme", at=START).decided_at == START + INTERVAL
    assert Counter.objects.get().updated_at == START + INTERVAL
