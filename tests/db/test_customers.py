"""Customers and named policies: made, changed, given, deleted, and what is kept of it."""

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from doc_priority import services
from doc_priority.exceptions import (
    CustomerExists,
    CustomerNotFound,
    CustomerOutOfReach,
    InvalidPolicy,
    PolicyExists,
    PolicyInUse,
    PolicyNotFound,
)
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from tests.concurrency.crowd import in_threads

pytestmark = pytest.mark.django_db

STEPS = [-1, -2, -3, -4, -5, -6, -7, -8]


@pytest.fixture
def halving() -> Policy:
    return services.create_policy(
        "halving", reset_interval=600, recovery="halving", thresholds=STEPS
    )


def test_a_customer_is_made_once(halving: Policy) -> None:
    made = services.create_customer("acme", name="Acme", policy="halving")
    assert (made.key, made.name, made.policy) == ("acme", "Acme", halving)
    assert str(made) == "Acme"
    with pytest.raises(CustomerExists, match="'acme' exists already"):
        services.create_customer("acme")
    assert Customer.objects.get().name == "Acme"


def test_a_name_may_be_missing_and_changes_while_the_key_stays() -> None:
    services.check("counted")
    assert services.create_customer("made").name == ""
    assert str(Customer.objects.get(key="counted")) == "counted"
    assert services.rename_customer("counted", name="Acme & Sons").name == "Acme & Sons"
    assert Customer.objects.get(key="counted").name == "Acme & Sons"


def test_a_customer_is_kept_in_step(halving: Policy) -> None:
    made = services.keep_customer("acme", name="Acme")
    assert (made.key, made.name, made.policy) == ("acme", "Acme", None)
    services.set_policy("acme", policy="halving")
    services.check_many(["acme"] * 4)
    kept = services.keep_customer("acme", name="Acme & Sons")
    assert (kept.pk, kept.name, kept.policy) == (made.pk, "Acme & Sons", halving)
    assert kept.created_at == made.created_at
    assert services.peek("acme").pending_documents == -3
    assert Customer.objects.filter(searched__contains="sons").exists()


def test_a_policy_is_given_and_taken(halving: Policy) -> None:
    services.check_many(["acme"] * 4)
    given = services.set_policy("acme", policy="halving", actor="kim", reason="Contract")
    assert (given.policy, given.priority) == ("halving", 3)
    services.set_policy("acme", policy="halving")
    taken = services.set_policy("acme", policy=None)
    assert (taken.policy, taken.priority) == ("", 2)
    # The same policy again is no change.
    first, second = Event.objects.filter(customer="acme").order_by("id")
    assert first.before == {"policy": "", "pending_documents": -3, "priority": 2}
    assert first.after == {"policy": "halving", "pending_documents": -3, "priority": 3}
    assert (first.actor, second.kind) == ("kim", "policy")


def test_forgetting_erases_what_is_kept_of_a_customer() -> None:
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


def test_name_and_policy_change_together_or_not_at_all(halving: Policy) -> None:
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


def test_what_is_not_given_of_a_customer_stays(halving: Policy) -> None:
    services.create_customer("acme", name="Acme", policy="halving")
    services.change_customer("acme", name="Acme & Sons")
    assert Customer.objects.get().policy == halving
    services.change_customer("acme", policy="")
    customer = Customer.objects.get()
    assert (customer.name, customer.policy) == ("Acme & Sons", None)
    with pytest.raises(CustomerNotFound, match="'nobody'"):
        services.change_customer("nobody", name="Nobody")


def test_a_customer_stays_among_those_its_changer_reaches(halving: Policy) -> None:
    services.create_customer("acme", name="Acme")
    others = Customer.objects.filter(policy=None)
    services.change_customer("acme", name="Acme & Sons", among=others)
    with pytest.raises(CustomerOutOfReach, match="'acme'"):
        services.change_customer("acme", name="Gone", policy="halving", among=others)
    assert Customer.objects.values_list("name", "policy").get() == ("Acme & Sons", None)
    assert not Event.objects.filter(customer="acme").exists()


def test_a_customer_is_made_only_among_those_its_maker_reaches() -> None:
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
@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
@pytest.mark.parametrize(
    "call",
    [
        lambda: services.reset("acme"),
        lambda: services.check_many(["acme"])[0],
        lambda: services.check_many([("acme", "D")])[0],
    ],
    ids=["reset", "check_many", "check_many with documents"],
)
def test_a_transaction_that_has_read_before_decides_by_what_holds_now(call) -> None:
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


def test_a_policy_is_made_once_and_kept_as_an_event(halving: Policy) -> None:
    assert str(halving) == "halving"
    terms = (halving.reset_interval, halving.recovery, halving.thresholds)
    assert terms == (600, "halving", STEPS)
    with pytest.raises(PolicyExists, match="'halving' exists already"):
        services.create_policy("halving", reset_interval=60, recovery="idle", thresholds=STEPS)
    assert Policy.objects.get().recovery == "halving"
    event = Event.objects.get()
    assert (event.customer, event.kind, str(event)) == ("", "policy", "policy change")
    assert event.after == {
        "policy": "halving",
        "reset_interval": 600,
        "recovery": "halving",
        "thresholds": STEPS,
    }


def test_what_is_not_given_of_a_policy_stays(halving: Policy) -> None:
    services.create_customer("acme", policy="halving")
    services.check_many(["acme"] * 3)
    changed = services.change_policy("halving", thresholds=[-10, *range(-11, -18, -1)], actor="kim")
    assert (changed.reset_interval, changed.thresholds[0]) == (600, -10)
    assert services.peek("acme").priority == 1
    event = Event.objects.latest("id")
    assert (event.before["thresholds"], event.after["thresholds"][0]) == (STEPS, -10)
    services.change_policy("halving", reset_interval=600)
    assert Event.objects.latest("id") == event


def test_a_policy_is_deleted_when_nobody_has_it(halving: Policy) -> None:
    services.create_customer("acme", policy="halving")
    with pytest.raises(PolicyInUse, match="'halving' is in use; give its customers"):
        services.delete_policy("halving")
    services.set_policy("acme", policy=None)
    services.delete_policy("halving", reason="Unused")
    assert not Policy.objects.exists()
    assert Event.objects.latest("id").before["policy"] == "halving"


def test_a_form_says_what_is_wrong(halving: Policy) -> None:
    halving.threshold_3 = 0
    with pytest.raises(ValidationError, match="do not fall"):
        halving.full_clean()
    halving.threshold_3 = -3
    halving.full_clean()


def test_thresholds_are_given_as_a_list() -> None:
    policy = Policy.objects.create(name="listed", thresholds=STEPS)
    assert Policy.objects.get(pk=policy.pk).thresholds == STEPS
    with pytest.raises(InvalidPolicy, match="eight"):
        Policy(name="seven", thresholds=STEPS[:7])
