"""Customers made, renamed, given a policy, erased."""

import pytest
from django.db import connection, transaction

from doc_priority import services
from doc_priority.exceptions import (
    CustomerExists,
    CustomerNotFound,
    CustomerOutOfReach,
    InvalidKey,
    InvalidText,
    PolicyNotFound,
)
from doc_priority.models import Counter, Customer, DocumentDecision, Event
from tests.concurrency.crowd import in_threads

pytestmark = pytest.mark.django_db


@pytest.fixture
def halving():
    return services.create_policy(
        "halving", reset_interval=600, recovery="halving", thresholds=range(-1, -9, -1)
    )


def test_a_customer_is_made_once(halving):
    made = services.create_customer("acme", name="Acme", policy="halving")
    assert (made.key, made.name, made.policy) == ("acme", "Acme", halving)
    assert str(made) == "Acme"
    with pytest.raises(CustomerExists, match="'acme' exists already"):
        services.create_customer("acme")
    assert Customer.objects.get().name == "Acme"


def test_nothing_is_made_of_bad_input():
    with pytest.raises(InvalidKey):
        services.create_customer("ac me")
    with pytest.raises(InvalidText, match="name"):
        services.create_customer("acme", name="x" * 201)
    with pytest.raises(PolicyNotFound, match="'gold'"):
        services.create_customer("acme", policy="gold")
    assert not Customer.objects.exists()


def test_a_name_changes_and_the_key_stays():
    services.check("acme")
    assert str(Customer.objects.get()) == "acme"
    assert services.rename_customer("acme", name="Acme & Sons").name == "Acme & Sons"
    assert Customer.objects.get(key="acme").name == "Acme & Sons"
    with pytest.raises(CustomerNotFound):
        services.rename_customer("nobody", name="Nobody")


def test_a_customer_is_kept_in_step(halving):
    made = services.keep_customer("acme", name="Acme")
    assert (made.key, made.name, made.policy) == ("acme", "Acme", None)
    services.set_policy("acme", policy="halving")
    services.check_many(["acme"] * 4)
    kept = services.keep_customer("acme", name="Acme & Sons")
    assert (kept.pk, kept.name, kept.policy) == (made.pk, "Acme & Sons", halving)
    assert kept.created_at == made.created_at
    assert services.peek("acme").pending_documents == -3
    assert Customer.objects.filter(searched__contains="sons").exists()


def test_nobody_is_kept_by_bad_input():
    with pytest.raises(InvalidKey):
        services.keep_customer("ac me", name="Acme")
    with pytest.raises(InvalidText, match="name"):
        services.keep_customer("acme", name="x" * 201)
    assert not Customer.objects.exists()


def test_a_policy_is_given_and_taken(halving):
    services.check_many(["acme"] * 4)
    given = services.set_policy("acme", policy="halving", actor="kim", reason="Contract")
    assert (given.policy, given.priority) == ("halving", 3)
    taken = services.set_policy("acme", policy=None)
    assert (taken.policy, taken.priority) == ("", 2)
    first, second = Event.objects.filter(customer="acme").order_by("id")
    assert first.before == {"policy": "", "pending_documents": -3, "priority": 2}
    assert first.after == {"policy": "halving", "pending_documents": -3, "priority": 3}
    assert (first.actor, second.kind) == ("kim", "policy")


def test_the_same_policy_again_is_no_change(halving):
    services.create_customer("acme", policy="halving")
    events = Event.objects.count()
    services.set_policy("acme", policy="halving")
    assert Event.objects.count() == events


def test_an_unknown_policy_changes_nothing():
    services.check("acme")
    with pytest.raises(PolicyNotFound):
        services.set_policy("acme", policy="gold")
    assert not Event.objects.exists()


def test_forgetting_erases_what_is_kept_of_a_customer():
    services.check("acme", document="D-1")
    services.check("other", document="D-1")
    services.reset("acme", reason="something personal")
    services.forget("acme", actor="kim", reason="They asked for it", source="admin")
    assert list(Customer.objects.values_list("key", flat=True)) == ["other"]
    assert Counter.objects.count() == DocumentDecision.objects.count() == 1
    event = Event.objects.get()
    assert (event.customer, event.kind, event.actor) == ("acme", "forget", "kim")
    assert (event.before["documents"], event.before["events"]) == (1, 1)
    assert services.check("acme", document="D-1").pending_documents == 0


def test_name_and_policy_change_together_or_not_at_all(halving):
    services.create_customer("acme", name="Acme")
    decision = services.change_customer(
        "acme", name="Acme & Sons", policy="halving", actor="kim", reason="Contract"
    )
    customer = Customer.objects.get()
    assert (customer.name, customer.policy, decision.policy) == ("Acme & Sons", halving, "halving")
    event = Event.objects.get(customer="acme")
    assert (event.kind, event.actor, event.reason) == ("policy", "kim", "Contract")

    with pytest.raises(PolicyNotFound, match="'gold'"):
        services.change_customer("acme", name="Gold Acme", policy="gold")
    assert Customer.objects.get().name == "Acme & Sons"


def test_a_customer_stays_among_those_its_changer_reaches(halving):
    services.create_customer("acme", name="Acme")
    others = Customer.objects.filter(policy=None)
    services.change_customer("acme", name="Acme & Sons", among=others)
    with pytest.raises(CustomerOutOfReach, match="'acme'"):
        services.change_customer("acme", name="Gone", policy="halving", among=others)
    assert Customer.objects.values_list("name", "policy").get() == ("Acme & Sons", None)
    assert not Event.objects.filter(customer="acme").exists()


def test_what_is_not_given_stays(halving):
    services.create_customer("acme", name="Acme", policy="halving")
    services.change_customer("acme", name="Acme & Sons")
    assert Customer.objects.get().policy == halving
    services.change_customer("acme", policy="")
    customer = Customer.objects.get()
    assert (customer.name, customer.policy) == ("Acme & Sons", None)
    with pytest.raises(CustomerNotFound, match="'nobody'"):
        services.change_customer("nobody", name="Nobody")
    with pytest.raises(InvalidText, match="name"):
        services.change_customer("acme", name="x" * 201)


def test_a_customer_is_made_only_among_those_its_maker_reaches():
    services.create_customer("foreign")
    own = Customer.objects.filter(key__startswith="own-")
    assert services.create_customer("own-acme", among=own).key == "own-acme"
    for key in ("foreign", "missing"):
        with pytest.raises(CustomerOutOfReach, match=f"'{key}'"):
            services.create_customer(key, among=own)
    with pytest.raises(CustomerExists):
        services.create_customer("own-acme", among=own)
    assert set(Customer.objects.values_list("key", flat=True)) == {"foreign", "own-acme"}


@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "call",
    [
        lambda: services.reset("acme"),
        lambda: services.check_many(["acme"])[0],
        lambda: services.check_many([("acme", "D")])[0],
    ],
    ids=["reset", "check_many", "check_many with documents"],
)
def test_a_transaction_that_has_read_before_decides_by_what_holds_now(call):
    """Its snapshot is older; a customer made since is in none of what it reads without a lock."""
    services.check("acme")
    services.create_policy("gold", reset_interval=60, recovery="idle", thresholds=range(0, -8, -1))
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    try:
        with transaction.atomic():
            assert not Customer.objects.filter(key="new").exists()
            in_threads([lambda: services.set_policy("acme", policy="gold")])
            in_threads([lambda: services.check("new")])
            assert call().policy == "gold"
            assert services.reset("new").policy == ""
            assert services.set_policy("acme", policy=None).policy == ""
    finally:
        connection.close()
    assert Customer.objects.get(key="acme").policy is None
