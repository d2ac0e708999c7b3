"""Corrections, customers and policies: what changes, and the event of the change."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from doc_priority import exceptions, services
from doc_priority.models import Counter, Customer, DocumentDecision, Event, Policy
from doc_priority.testing import frozen_time
from doc_priority.types import LAST_MOMENT, Pin, utc_text
from tests.concurrency.crowd import in_threads
from tests.vectors import START

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
STEPS = [-1, -2, -3, -4, -5, -6, -7, -8]


@pytest.fixture
def busy():
    """A customer at priority 7, updated just now by the database's clock."""
    return services.check_many(["acme"] * 15)[-1]


def test_a_reset_starts_again_at_0_and_is_kept(busy) -> None:
    user = get_user_model().objects.create_user("kim")
    decision = services.reset("acme", actor=user, reason="Their import ran twice", source="admin")
    assert (decision.pending_documents, decision.priority) == (0, 1)
    assert decision.resets_at == decision.decided_at + timedelta(seconds=1500)
    event = Event.objects.get()
    assert (event.customer, event.kind, event.actor) == ("acme", "reset", "kim")
    assert (event.source, event.reason) == ("admin", "Their import ran twice")
    assert event.before == {"pending_documents": -14, "priority": 7}
    assert event.after == {"pending_documents": 0, "priority": 1}
    assert event.created_at == decision.decided_at
    assert services.check("acme").pending_documents == -1


def test_many_are_reset_each_once_in_the_order_given(busy) -> None:
    services.check_many(["b", "a", "c", "a"])
    decisions = services.reset_many(["c", "a", "c"], actor="kim", reason="Maintenance", at=START)
    assert [decision.customer for decision in decisions] == ["c", "a"]
    assert Event.objects.filter(kind="reset", actor="kim").count() == 2
    assert services.reset_many([]) == []

    # All are reset or none.
    with pytest.raises(exceptions.CustomerNotFound, match="'nobody'"):
        services.reset_many(["acme", "nobody"])
    assert services.peek("acme").priority == 7
    assert not Event.objects.filter(customer="acme").exists()

    # Who counts nothing decides on no document.
    for call in (services.peek, services.reset, services.unpin):
        decision = call("acme")
        assert (decision.document, decision.reset, decision.repeated) == ("", False, False)


def test_a_pin_holds_until_its_time(busy) -> None:
    until = busy.decided_at + HOUR
    decision = services.pin("acme", priority=2, until=until, actor="kim", reason="Contract")
    assert (decision.priority, decision.pinned, decision.pending_documents) == (2, True, -14)
    assert services.peek("acme", at=until).priority == 1
    event = Event.objects.get()
    assert event.after == {
        "pending_documents": -14,
        "priority": 2,
        "pinned_priority": 2,
        "pinned_until": utc_text(until),
    }
    assert services.reset("acme").priority == 2  # it outlives a reset

    # A customer that never counted can be pinned, too.
    Customer.objects.create(key="birch")
    now = services.peek("birch").decided_at
    services.pin("birch", priority=3, until=now + HOUR)
    counter = Counter.objects.get(customer="birch")
    assert (counter.updated_at, counter.recovered_at) == (None, None)
    seen = services.peek("birch")
    assert (seen.pending_documents, seen.priority, seen.resets_at) == (0, 3, None)
    first = services.check("birch")
    assert (first.pending_documents, first.reset, first.priority) == (0, False, 3)


def test_an_unpinned_customer_follows_its_counter_again(busy) -> None:
    """Without a pin nothing changes, and there is no event."""
    services.pin("acme", priority=2, until=busy.decided_at + HOUR)
    decision = services.unpin("acme", actor="kim", reason="Contract ended")
    assert (decision.priority, decision.pinned) == (7, False)
    assert services.unpin("acme").priority == 7
    assert list(Event.objects.order_by("id").values_list("kind", flat=True)) == ["pin", "unpin"]


@pytest.mark.parametrize("until", [None, LAST_MOMENT])
def test_a_pin_without_an_end_holds_until_it_is_taken_off(busy, until) -> None:
    decision = services.pin("acme", priority=2, until=until, reason="Contract")
    assert (decision.priority, decision.pinned) == (2, True)
    pinned = {"pinned_priority": 2, "pinned_until": None}
    assert Event.objects.get().after == {"pending_documents": -14, "priority": 2, **pinned}
    long_after = datetime(9997, 12, 31, tzinfo=UTC)
    row = Customer.objects.live(long_after).select_related("counter").get()
    assert (row.priority, row.pinned, row.pinned_until) == (2, True, None)
    assert row.counter.pin == Pin(2, until=None)
    # What processes of version 0.1.0 compare and show as any other end.
    assert row.counter.pinned_until == LAST_MOMENT
    assert services.peek("acme", at=long_after).pinned
    for decision in (services.check("acme", at=long_after), services.check_many(["acme"])[0]):
        assert (decision.priority, decision.pinned) == (2, True)
    services.unpin("acme")
    assert not services.peek("acme").pinned
    assert Event.objects.first().before == {"pending_documents": -1, "priority": 2, **pinned}


def test_of_an_ended_pin_nothing_is_said(busy) -> None:
    Counter.objects.update(pinned_priority=2, pinned_until=busy.decided_at)
    assert services.unpin("acme").priority == 7
    assert not Event.objects.exists()

    services.pin("acme", priority=4, until=services.peek("acme").decided_at + HOUR)
    pin = Event.objects.get()
    assert pin.before == {"pending_documents": -14, "priority": 7}
    assert pin.after["pinned_priority"] == 4

    Counter.objects.update(pinned_until=services.peek("acme").decided_at)
    assert services.reset("acme").priority == 1
    reset = Event.objects.get(kind="reset")
    assert reset.before == {"pending_documents": -14, "priority": 7}
    assert reset.after == {"pending_documents": 0, "priority": 1}

    # It has ended from its moment on.
    for key, ends, events in [("in", START + timedelta(microseconds=1), 1), ("over", START, 0)]:
        services.check(key, at=START)
        Counter.objects.filter(customer=key).update(pinned_priority=2, pinned_until=ends)
        with frozen_time(START):
            services.unpin(key)
        assert Event.objects.filter(customer=key).count() == events


def test_whoever_acts_is_told_as_text_and_the_event_stays_as_it_is() -> None:
    class Someone:
        """Who signed in otherwise than with Django's users."""

        def __init__(self, name: object) -> None:
            self.name = name

        def get_username(self) -> object:
            return self.name

    services.check("acme")
    for actor, told in [
        (Someone(7), "7"),
        (Someone("kim\u200e\n"), "kim"),
        (Someone("k" * 300), "k" * 254),
        (7, "7"),
    ]:
        services.reset("acme", actor=actor)
        event = Event.objects.latest("pk")
        assert event.actor == told
    event.reason = "another"
    with pytest.raises(exceptions.EventIsWritten):
        event.save()


def test_corrections_give_the_event_of_each_that_changed(busy) -> None:
    """The result is a list of decisions with the events beside them."""
    services.check_many(["birch", "cedar"])
    done = services.reset_many(["cedar", "acme", "cedar"], reason="Their import ran twice")
    assert done == list(done)
    assert [decision.customer for decision in done] == ["cedar", "acme"]
    assert done.events == {key: Event.objects.get(customer=key) for key in ("cedar", "acme")}
    assert services.reset_many([]).events == {}

    pinned = services.pin_many(["acme"], priority=2, until=None)
    assert pinned.events["acme"].after["pinned_priority"] == 2
    unpinned = services.unpin_many(["birch", "acme"])
    assert [decision.priority for decision in unpinned] == [1, 1]
    assert list(unpinned.events) == ["acme"]

    forgotten = services.forget_many(["birch", "acme", "birch"], actor="kim", reason="They left")
    assert forgotten == {key: Event.objects.get(customer=key) for key in ("birch", "acme")}
    assert {event.actor for event in forgotten.values()} == {"kim"}
    assert forgotten["acme"].before["events"] == 3
    assert services.forget_many([]) == {}
    assert Customer.objects.get().key == "cedar"


SOME = {
    "reset": partial(services.reset_many, ["acme", "birch"]),
    "pin": partial(services.pin_many, ["acme", "birch"], priority=3, until=None),
    "unpin": partial(services.unpin_many, ["acme", "birch"]),
    "forget": partial(services.forget_many, ["acme", "birch"]),
}


@pytest.mark.parametrize("kind", SOME)
def test_nothing_is_corrected_that_somebody_else_corrected_since(busy, kind: str) -> None:
    correct = SOME[kind]
    services.check_many(["birch", "cedar"])
    services.pin_many(["acme", "birch", "cedar"], priority=8, until=None)
    seen = Event.objects.latest("pk").pk
    services.reset("cedar")  # somebody else, whom nobody asks about
    services.pin("birch", priority=7, until=None, reason="called first")
    services.set_policy("birch", policy=None)
    services.create_policy("gold", reset_interval=60, recovery="idle", thresholds=STEPS)
    services.set_policy("birch", policy="gold", reason="contract")
    stored = (list(Counter.objects.values()), list(Event.objects.values()))

    with pytest.raises(exceptions.CorrectedMeanwhile, match="corrected after") as raised:
        correct(unless_newer_than=seen)
    assert [event.reason for event in raised.value.events] == ["contract", "called first"]
    assert raised.value.code == "corrected_meanwhile"
    assert (list(Counter.objects.values()), list(Event.objects.values())) == stored

    newest = raised.value.events[0].pk
    correct(unless_newer_than=newest)
    assert {event.kind for event in Event.objects.filter(pk__gt=newest)} == {kind}


def test_of_what_was_corrected_since_the_ten_newest_are_told(busy) -> None:
    for number in range(12):
        services.reset("acme", reason=f"{number}")
    with pytest.raises(exceptions.CorrectedMeanwhile) as raised:
        services.reset_many(["acme"], unless_newer_than=0)
    assert [event.reason for event in raised.value.events] == [str(n) for n in range(11, 1, -1)]
    services.reset_many(["acme"], unless_newer_than=None)


@pytest.mark.parametrize("kind", SOME)
def test_what_is_written_before_the_commit_is_kept_with_it_or_not_at_all(busy, kind: str) -> None:
    services.check("birch")
    services.pin_many(["acme", "birch"], priority=8, until=None)
    newest = Event.objects.latest("pk").pk
    correct = SOME[kind]

    def refuse(events: Any) -> None:
        assert set(events) == {"acme", "birch"}
        assert all(event.pk > newest for event in events.values())
        raise LookupError("the portal's own history is full")

    with pytest.raises(LookupError):
        correct(before_commit=refuse)
    assert Event.objects.latest("pk").pk == newest
    assert services.peek("acme").priority == 8

    told: list[Any] = []
    done = correct(before_commit=told.append)
    assert told == [done if kind == "forget" else done.events]


def test_what_is_left_out_is_empty_and_what_is_said_is_kept_word_for_word(busy) -> None:
    until = busy.decided_at + HOUR
    terms: dict[str, Any] = {"reset_interval": 60, "recovery": "idle", "thresholds": STEPS}
    words = {"actor": "ada", "reason": "Their import ran twice", "source": "portal"}
    for given in ({}, words):
        services.check_many(["acme", "birch"])
        services.pin("acme", priority=2, until=until)
        for name in ("given", "spare"):
            services.create_policy(name, **terms)
        for call in (
            partial(services.reset, "acme"),
            partial(services.reset_many, ["acme"]),
            partial(services.pin, "acme", priority=3, until=until),
            partial(services.pin_many, ["acme"], priority=4, until=until),
            partial(services.unpin, "acme"),
            partial(services.pin_many, ["acme"], priority=5, until=until),
            partial(services.unpin_many, ["acme"]),
            partial(services.set_policy, "acme", policy="given"),
            partial(services.change_customer, "acme", policy="spare"),
            partial(services.forget, "acme"),
            partial(services.forget_many, ["birch"]),
            partial(services.create_policy, "new", **terms),
            partial(services.change_policy, "given", reset_interval=90),
            partial(services.delete_policy, "spare"),
        ):
            newest = Event.objects.latest("pk").pk
            call(**given)
            (event,) = Event.objects.filter(pk__gt=newest)
            said = {name: getattr(event, name) for name in words}
            assert said == (given or dict.fromkeys(words, "")), call
        for name in ("given", "new"):
            services.delete_policy(name)


# Customers and named policies: made, changed, given, deleted, and what is kept of it.


@pytest.fixture
def halving() -> Policy:
    return services.create_policy(
        "halving", reset_interval=600, recovery="halving", thresholds=STEPS
    )


def test_a_customer_is_made_once_and_kept_in_step(halving: Policy) -> None:
    made = services.create_customer("acme", name="Acme", policy="halving")
    assert (made.key, made.name, made.policy) == ("acme", "Acme", halving)
    assert str(made) == "Acme"
    with pytest.raises(exceptions.CustomerExists, match="'acme' exists already"):
        services.create_customer("acme")
    assert Customer.objects.get().name == "Acme"

    # A name may be missing and changes while the key stays.
    services.check("counted")
    assert services.create_customer("made").name == ""
    assert str(Customer.objects.get(key="counted")) == "counted"
    assert services.rename_customer("counted", name="Acme & Sons").name == "Acme & Sons"
    assert Customer.objects.get(key="counted").name == "Acme & Sons"

    Customer.objects.all().delete()
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


def test_forgetting_erases_what_is_kept_of_a_customer(halving: Policy) -> None:
    services.check("acme", document="D-1")
    services.check("other", document="D-1")
    services.set_policy("acme", policy="halving")
    services.reset("acme", reason="something personal")
    services.forget("acme", actor="kim", reason="They asked for it", source="admin")
    assert list(Customer.objects.values_list("key", flat=True)) == ["other"]
    assert Counter.objects.count() == DocumentDecision.objects.count() == 1
    event = Event.objects.get(customer="acme")
    assert (event.kind, event.actor) == ("forget", "kim")
    counted = {"pending_documents": 0, "priority": 1, "documents": 1, "events": 2}
    assert event.before == {"policy": "halving", **counted}
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

    with pytest.raises(exceptions.PolicyNotFound, match="'gold'"):
        services.change_customer("acme", name="Gold Acme", policy="gold")
    assert Customer.objects.get().name == "Acme & Sons"

    # What is not given stays.
    services.change_customer("acme", name="Acme & Daughters")
    assert Customer.objects.get().policy == halving
    services.change_customer("acme", policy="")
    customer = Customer.objects.get()
    assert (customer.name, customer.policy) == ("Acme & Daughters", None)
    with pytest.raises(exceptions.CustomerNotFound, match="'nobody'"):
        services.change_customer("nobody", name="Nobody")


def test_a_customer_stays_among_those_its_changer_reaches(halving: Policy) -> None:
    services.create_customer("acme", name="Acme")
    others = Customer.objects.filter(policy=None)
    services.change_customer("acme", name="Acme & Sons", among=others)
    with pytest.raises(exceptions.CustomerOutOfReach, match="'acme'"):
        services.change_customer("acme", name="Gone", policy="halving", among=others)
    assert Customer.objects.values_list("name", "policy").get() == ("Acme & Sons", None)
    assert not Event.objects.filter(customer="acme").exists()

    # And is made only among those its maker reaches.
    services.create_customer("foreign")
    own = Customer.objects.filter(key__startswith="own-")
    assert services.create_customer("own-acme", among=own).key == "own-acme"
    for key in ("foreign", "missing"):
        with pytest.raises(exceptions.CustomerOutOfReach, match=f"'{key}'"):
            services.create_customer(key, among=own)
    with pytest.raises(exceptions.CustomerExists):
        services.create_customer("own-acme", among=own)
    assert set(Customer.objects.values_list("key", flat=True)) == {"acme", "foreign", "own-acme"}


@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True, available_apps=["doc_priority"])
def test_a_transaction_that_has_read_before_decides_by_what_holds_now() -> None:
    """Its snapshot is older, so reads without a lock do not find a customer created since."""
    services.check("acme")
    services.create_policy("gold", reset_interval=60, recovery="idle", thresholds=STEPS)
    for new, call in {
        "new": lambda: services.reset("acme"),
        "newer": lambda: services.check_many(["acme"])[0],
        "newest": lambda: services.check_many([("acme", "D")])[0],
    }.items():
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            with transaction.atomic():
                assert not Customer.objects.filter(key=new).exists()
                seen = Event.objects.latest("pk").pk
                in_threads([lambda: services.set_policy("acme", policy="gold")])
                in_threads([partial(services.check, new)])
                with pytest.raises(exceptions.CorrectedMeanwhile):
                    services.reset_many(["acme"], unless_newer_than=seen)
                assert call().policy == "gold"
                assert services.reset(new).policy == ""
                assert services.set_policy("acme", policy=None).policy == ""
        finally:
            connection.close()
        assert Customer.objects.get(key="acme").policy is None


def test_a_policy_is_made_once_and_kept_as_an_event(halving: Policy) -> None:
    assert str(halving) == "halving"
    terms = (halving.reset_interval, halving.recovery, halving.thresholds)
    assert terms == (600, "halving", STEPS)
    with pytest.raises(exceptions.PolicyExists, match="'halving' exists already"):
        services.create_policy("halving", reset_interval=60, recovery="idle", thresholds=STEPS)
    assert Policy.objects.get().recovery == "halving"
    event = Event.objects.get()
    assert (event.customer, event.kind, str(event)) == ("", "policy", "policy change")
    kept = {"reset_interval": 600, "recovery": "halving", "thresholds": STEPS}
    assert event.after == {"policy": "halving", **kept}

    # What is not given when it is changed stays.
    services.create_customer("acme", policy="halving")
    services.check_many(["acme"] * 3)
    changed = services.change_policy("halving", thresholds=[-10, *range(-11, -18, -1)], actor="kim")
    assert (changed.reset_interval, changed.thresholds[0]) == (600, -10)
    assert services.peek("acme").priority == 1
    event = Event.objects.latest("id")
    assert (event.before["thresholds"], event.after["thresholds"][0]) == (STEPS, -10)
    services.change_policy("halving", reset_interval=600)
    assert Event.objects.latest("id") == event

    # It is deleted when nobody has it.
    with pytest.raises(exceptions.PolicyInUse, match="'halving' is in use; give its customers"):
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

    # Thresholds are given as a list.
    policy = Policy.objects.create(name="listed", thresholds=STEPS)
    assert Policy.objects.get(pk=policy.pk).thresholds == STEPS
    with pytest.raises(exceptions.InvalidPolicy, match="eight"):
        Policy(name="seven", thresholds=STEPS[:7])
